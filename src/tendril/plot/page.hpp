// One HTML page that stands by itself: style and drawings inside, nothing fetched, no script. It follows the reader's
// choice of light or dark, fits a telephone, and prints. Under each chart its numbers fold out as a table.
//
//   Page page("shaken-head");
//   page.add_heading("Energies");
//   page.add(chart);
//   std::string html = page.html();
//
// The page is well-formed XML too, and the same input gives the same bytes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "tendril/plot/bar_chart.hpp"
#include "tendril/plot/chart.hpp"
#include "tendril/plot/table.hpp"

namespace tendril::plot {

struct Fact {
  std::string name, value;
  Tone tone = Tone::plain;
};

// How a page of ours begins: enough to know one that may be replaced by a newer one.
bool is_our_page(std::string_view html);

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  void add_heading(std::string_view text);  // begins a section
  void add_text(std::string_view text);     // a paragraph
  void add_facts(std::span<const Fact> facts);
  void add_list(std::span<const std::string> items);
  void add_table(const Table& table);
  void add(const Chart& chart) { add_chart(chart); }
  void add(const BarChart& chart) { add_chart(chart); }

  std::size_t charts() const { return charts_; }
  std::string html() const;

 private:
  template <class C>
  void add_chart(const C& chart);
  void end_charts();  // charts that follow each other stand side by side where there is room

  std::string title_, body_;
  std::size_t charts_ = 0;
  bool among_charts_ = false, has_section_ = false;
};

}  // namespace tendril::plot
