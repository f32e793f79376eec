// One island of a problem by the solver that options name, and what all islands say together (docs/theory/contact.md,
// "Islands").
#pragma once

#include <vector>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/large_first.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::contact {

// `speed`: what errors are relative to [m/s]. r: the start, then the best impulses that were met.
Report solve_island(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r);
Report solve_island(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r);

// The given impulses, within their cones, or none if those are nearer to the law.
void choose_start(const NodeSpace& space, NodeResponse& response, Impulses& r);

// Where nothing can touch nothing is left undone.
Report report_of_no_islands(Solver solver);
// The worst of all islands speaks for all.
void merge(const Report& part, std::size_t contacts, Report& all);

// All islands, the small ones side by side, the large ones each with all threads. size(i): how many contacts one has;
// solve(i): its report.
template <class Size, class Solve>
Report solve_islands(std::size_t count, const Options& options, const Size& size, const Solve& solve) {
  std::vector<Report> reports(count);
  solve_large_first(
      count, [&](std::size_t i) { return size(i) >= large_problem || options.observer; },
      [&](std::size_t i) { reports[i] = solve(i); });
  Report all = report_of_no_islands(options.solver);
  for (std::size_t i = 0; i < count; ++i) merge(reports[i], size(i), all);
  return all;
}

}  // namespace tendril::contact
