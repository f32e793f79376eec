// Solvers one after the other, each going on where the one before gave up, with what all of them took.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "tendril/contact/solver.hpp"

namespace tendril::contact {

inline Report by_rung(Report report) {
  report.sweeps_by[std::size_t(report.solver)] = report.sweeps;
  return report;
}

// What `first` left undone, `second` went on with: the sweeps of both, and the better error.
inline Report followed(const Report& first, Report second) {
  for (std::size_t s = 0; s < solver_count; ++s) second.sweeps_by[s] += first.sweeps_by[s];
  second.sweeps += first.sweeps;
  second.local_solves += first.local_solves, second.rescued += first.rescued, second.unsolved += first.unsolved;
  second.jammed = std::max(first.jammed, second.jammed);
  if (first.error < second.error) second.error = first.error, second.solver = first.solver;
  if (second.outcome == Outcome::not_definite) second.outcome = first.outcome;  // it could not even begin
  return second;
}

// Goes on from r with another solver, and keeps the better impulses.
template <class Solve>
Report next_rung(const Report& before, Impulses& r, const Solve& solve) {
  Impulses tried = r;
  const Report after = solve(tried);
  if (after.error < before.error) r = std::move(tried);
  return followed(before, after);
}

// Nothing solves a jam: what is left of the error is that of the jammed. Where numbers overflowed on the way from
// impulses that have an error others may go on from these; where nothing has one the problem itself overflows.
inline bool is_done(const Report& report) {
  return report.outcome == Outcome::converged || !std::isfinite(report.error) || report.jammed > 0;
}

}  // namespace tendril::contact
