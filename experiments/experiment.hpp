// What a paper reports, done again: each experiment computes, says what the paper has, what we have and what is
// required, and draws it. One folder per paper; registry.cpp lists all.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/plot/bar_chart.hpp"
#include "tendril/plot/chart.hpp"
#include "tendril/plot/table.hpp"

namespace tendril::experiments {

// One thing that a paper says.
struct Claim {
  std::string what;
  std::string paper, ours, required;
  bool held = false;

  static constexpr std::string_view nothing = "nothing";
  bool is_required() const { return required != nothing; }
};

struct Findings {
  std::vector<Claim> claims;
  std::vector<plot::Chart> charts;
  std::vector<plot::BarChart> bars;
  std::vector<plot::Table> tables;
  std::vector<std::string> notes;  // what differs from the paper, and why

  void claim(std::string what, std::string paper, std::string ours, std::string required, bool held) {
    claims.push_back({std::move(what), std::move(paper), std::move(ours), std::move(required), held});
  }
  // A number beside the paper's of which nothing is required: it depends on the machine or on what the paper leaves
  // out.
  void tell(std::string what, std::string paper, std::string ours) {
    claim(std::move(what), std::move(paper), std::move(ours), std::string(Claim::nothing), true);
  }
};

struct Context {
  std::filesystem::path data;  // folder with real grooms; empty: none
  std::filesystem::path runs;  // folder of long runs, which go on where they were interrupted; empty: a temporary one
  bool quick = false;          // few problems, few strands, short times: to see that everything works
};

struct Experiment {
  std::string_view id;     // "sagfree/fig-7"
  std::string_view title;  // one line
  Findings (*run)(const Context& context);
};

std::span<const Experiment> all();

}  // namespace tendril::experiments
