// What single precision leaves, against double: errors of positions and lengths, by points and load.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/chain/chain.hpp"
#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::experiments::chain {

Findings single_precision(const Context&) {
  using namespace tendril::chain;
  Findings out;
  plot::Table table{.caption = "Two-stage iterations in single precision, 40 of them, against double",
                    .columns = {{"chain"}, {"position [link]", true}, {"links off by", true}, {"residual", true}},
                    .rows = {}};
  double of_short = 0.0, of_long = 0.0, links = 0.0;
  for (const std::size_t points : {20, 200})
    for (const double load : {1.0, 1e2, 1e4, 1e6}) {
      const Problem problem = jerked_chain(3, points, 0.1, load);
      Options exact, single;
      exact.tolerance = 1e-12, exact.max_iterations = 400;
      single.method = Method::two_stage, single.tolerance = 1e-30, single.max_iterations = 40;
      single.single_precision = true;
      const Projections closest = project(problem, exact), found = project(problem, single);
      double error = 0.0;
      for (std::size_t i = 0; i < points; ++i)
        error = std::max(error, (found.positions[i] - closest.positions[i]).norm());
      const double off = violation(problem, found.positions);
      (points == 20 ? of_short : of_long) = std::max(points == 20 ? of_short : of_long, error);
      links = std::max(links, off);
      table.rows.push_back({fmt::format("{} points, tip mass {:g}", points, load), fmt::format("{:.1e}", error),
                            fmt::format("{:.1e}", off), fmt::format("{:.1e}", found.chains[0].residual)});
    }
  out.claim("error of positions, 20 points, in links", no_figure("1.5e-6 to 1.3e-5"), fmt::format("{:.1e}", of_short),
            "less than 1e-4", of_short < 1e-4);
  out.claim("the same, 200 points", no_figure("4e-5 to 7e-5"), fmt::format("{:.1e}", of_long), "less than 1e-3",
            of_long < 1e-3);
  out.claim("lengths", no_figure("5e-7 to 5e-6"), fmt::format("{:.1e}", links), "less than 2e-5", links < 2e-5);
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace tendril::experiments::chain
