// What contact did over many steps, for reports.
#pragma once

#include <algorithm>
#include <cstdint>

#include "tendril/sim/contact/stage.hpp"

namespace tendril {

struct ContactTotals {
  std::int64_t steps = 0, over_tolerance = 0;
  std::int64_t contacts = 0, sweeps = 0, local_solves = 0, rescued = 0, unsolved = 0, rounds = 0, crossings = 0;
  std::size_t contacts_max = 0;
  double error_max = 0.0;
  double penetration_max = 0.0, strand_overlap_max = 0.0;  // [m]
  std::size_t inside_start = 0, inside_end = 0;            // vertices that were in a body from the start, and still are
  double deepest_start = 0.0, deepest_end = 0.0;           // [m], of these
  double detection_seconds = 0.0, contact_seconds = 0.0;

  void add(const StepContacts& step) {
    if (steps++ == 0) inside_start = step.inside, deepest_start = step.deepest_inside;
    inside_end = step.inside, deepest_end = step.deepest_inside;
    over_tolerance += step.over_tolerance;
    contacts += std::int64_t(step.contacts), sweeps += step.solver.sweeps;
    local_solves += std::int64_t(step.solver.local_solves), rescued += std::int64_t(step.solver.rescued);
    unsolved += std::int64_t(step.solver.unsolved), rounds += step.rounds, crossings += std::int64_t(step.crossings);
    contacts_max = std::max(contacts_max, step.contacts);
    error_max = std::max(error_max, step.solver.error);
    penetration_max = std::max(penetration_max, step.penetration);
    strand_overlap_max = std::max(strand_overlap_max, step.strand_overlap);
    detection_seconds += step.detection_seconds, contact_seconds += step.solve_seconds;
  }

  // Those of later steps.
  ContactTotals& operator+=(const ContactTotals& later) {
    if (later.steps == 0) return *this;
    if (steps == 0) inside_start = later.inside_start, deepest_start = later.deepest_start;
    inside_end = later.inside_end, deepest_end = later.deepest_end;
    steps += later.steps, over_tolerance += later.over_tolerance;
    contacts += later.contacts, sweeps += later.sweeps, local_solves += later.local_solves;
    rescued += later.rescued, unsolved += later.unsolved, rounds += later.rounds, crossings += later.crossings;
    contacts_max = std::max(contacts_max, later.contacts_max);
    error_max = std::max(error_max, later.error_max);
    penetration_max = std::max(penetration_max, later.penetration_max);
    strand_overlap_max = std::max(strand_overlap_max, later.strand_overlap_max);
    detection_seconds += later.detection_seconds, contact_seconds += later.contact_seconds;
    return *this;
  }
};

}  // namespace tendril
