// What contact did in one step.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tendril/contact/report.hpp"

namespace tendril {

// No impulses came of it, not even such as are above the tolerance.
inline bool is_without_answer(const contact::Report& report) {
  return report.outcome == contact::Outcome::unsuitable || report.outcome == contact::Outcome::not_definite ||
         report.outcome == contact::Outcome::not_finite;
}

// The worst of the contacts that no impulse keeps apart: where what was asked of the solver is missed most.
struct Jam {
  std::string place;   // "hair, strand 3, vertex 7, and head"
  double speed = 0.0;  // [m/s]
};

struct StepContacts {
  std::size_t contacts = 0;
  contact::Report solver{.error = 0.0};  // of the last round; where nothing touches nothing is left
  bool over_tolerance = false;
  // At the start of the step, of vertices that are free to move:
  double penetration = 0.0;       // [m], of the one that is deepest in a body, of those that have been outside
  std::size_t inside = 0;         // that have been in a body from the start, and still are
  double deepest_inside = 0.0;    // [m], of these
  double regrowth = 0.0;          // [m], by how much one of these is deeper than it has been
  double strand_overlap = 0.0;    // [m], deepest of strand and strand at the start of the step
  std::size_t overlaps_left = 0;  // contacts whose overlap is not pushed apart in this step, since others hold it
  std::size_t crossings = 0;      // pairs of segments that would pass through each other, and could not be kept from it
  std::size_t jammed = 0;         // contacts that no impulse keeps apart, most of any round
  std::optional<Jam> jam;         // the worst of them
  int rounds = 0;
  int coarse_solves = 0, refined_solves = 0;  // in single precision, and of these what had to be solved again in full
  int replaced_solves = 0;                    // by `auto`, of problems that are none for the solver that was asked for
  double detection_seconds = 0.0, solve_seconds = 0.0;

  // That of an earlier iteration of the same step.
  void add_effort(const StepContacts& earlier) {
    detection_seconds += earlier.detection_seconds, solve_seconds += earlier.solve_seconds;
    rounds += earlier.rounds, solver.add_effort(earlier.solver);
    coarse_solves += earlier.coarse_solves, refined_solves += earlier.refined_solves;
    replaced_solves += earlier.replaced_solves;
  }
};

}  // namespace tendril
