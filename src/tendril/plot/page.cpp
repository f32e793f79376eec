#include "tendril/plot/page.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/plot/data_table.hpp"
#include "tendril/plot/page_style.hpp"
#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

constexpr std::string_view first_line = "<!DOCTYPE html>\n";
constexpr std::string_view generator = "<meta name=\"generator\" content=\"tendril plot\"/>";

}  // namespace

bool is_our_page(std::string_view html) {
  return html.starts_with(first_line) && html.substr(0, 1000).find(generator) != std::string_view::npos;
}

void Page::end_charts() {
  if (among_charts_) body_ += "</div>\n";
  among_charts_ = false;
}

void Page::add_heading(std::string_view text) {
  end_charts();
  has_section_ = true;
  body_ += fmt::format("<h2>{}</h2>\n", escaped(text));
}

void Page::add_text(std::string_view text) {
  end_charts();
  body_ += fmt::format("<p>{}</p>\n", escaped(text));
}

void Page::add_facts(std::span<const Fact> facts) {
  if (facts.empty()) return;
  end_charts();
  body_ += "<dl class=\"facts\">\n";
  for (const Fact& fact : facts)
    body_ += fmt::format("<div><dt>{}</dt><dd{}>{}</dd></div>\n", escaped(fact.name),
                         fact.tone == Tone::good  ? " class=\"good\""
                         : fact.tone == Tone::bad ? " class=\"bad\""
                                                  : "",
                         escaped(fact.value));
  body_ += "</dl>\n";
}

void Page::add_list(std::span<const std::string> items) {
  if (items.empty()) return;
  end_charts();
  body_ += "<ul>\n";
  const std::size_t shown = std::min(most_rows, items.size());
  for (const std::string& item : items.first(shown)) body_ += fmt::format("<li>{}</li>\n", escaped(item));
  if (shown < items.size()) body_ += fmt::format("<li>and {} more</li>\n", items.size() - shown);
  body_ += "</ul>\n";
}

void Page::add_table(const Table& table) {
  end_charts();
  body_ += to_html(table);
}

template <class C>
void Page::add_chart(const C& chart) {
  if (!among_charts_) body_ += "<div class=\"charts\">\n";
  among_charts_ = true;
  const std::string id = fmt::format("chart-{}", ++charts_);
  const std::string left_out = remarks(chart);
  const int level = has_section_ ? 3 : 2;  // no level of headings is skipped
  std::string caption = chart.description;
  if (!left_out.empty()) caption += (caption.empty() ? "" : " ") + left_out;
  body_ +=
      fmt::format("<figure>\n<h{0} class=\"title\">{1}</h{0}>\n{2}", level, escaped(chart.title), to_svg(chart, id));
  if (!caption.empty()) body_ += fmt::format("<figcaption>{}</figcaption>\n", escaped(caption));
  body_ +=
      fmt::format("<details><summary>Data<span class=\"unseen\"> of {}</span></summary>\n{}</details>\n</figure>\n",
                  escaped(chart.title), to_html(data_table(chart)));
}

template void Page::add_chart(const Chart&);
template void Page::add_chart(const BarChart&);

std::string Page::html() const {
  // The policy is a second lock: whatever got past the escaping could neither run nor fetch.
  return fmt::format(
      "{}<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n{}\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
      "base-uri 'none'; form-action 'none'\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>{}</title>\n"
      "<style>\n{}</style>\n</head>\n<body>\n<main>\n<h1>{}</h1>\n{}{}</main>\n</body>\n</html>\n",
      first_line, generator, escaped(title_), page_style(), escaped(title_), body_, among_charts_ ? "</div>\n" : "");
}

}  // namespace tendril::plot
