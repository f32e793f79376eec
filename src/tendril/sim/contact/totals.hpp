// What contact did over many steps, for reports.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

#include "tendril/sim/contact/step_contacts.hpp"

namespace tendril {

struct ContactTotals {
  std::int64_t steps = 0, over_tolerance = 0;
  std::int64_t contacts = 0, sweeps = 0, local_solves = 0, rescued = 0, unsolved = 0, rounds = 0, crossings = 0;
  std::int64_t islands = 0, immovable = 0, jammed = 0, jammed_steps = 0, coarse_solves = 0, refined_solves = 0,
               replaced_solves = 0;
  std::array<std::int64_t, contact::solver_count> sweeps_by{}, islands_by{}, contacts_by{};  // as contact::Report's
  std::optional<Jam> jam;                                                                    // the worst of any step
  std::size_t contacts_max = 0, overlaps_left_max = 0;
  double error_max = 0.0;
  double penetration_max = 0.0, regrowth_max = 0.0, strand_overlap_max = 0.0;  // [m]
  std::size_t inside_start = 0, inside_end = 0;   // vertices that were in a body from the start, and still are
  double deepest_start = 0.0, deepest_end = 0.0;  // [m], of these
  double detection_seconds = 0.0, contact_seconds = 0.0;
  double rejected_seconds = 0.0;  // with contact in steps that were not taken, which are in no other sum

  void add(const StepContacts& step) {
    if (steps++ == 0) inside_start = step.inside, deepest_start = step.deepest_inside;
    inside_end = step.inside, deepest_end = step.deepest_inside;
    over_tolerance += step.over_tolerance;
    contacts += std::int64_t(step.contacts), sweeps += step.solver.sweeps;
    local_solves += std::int64_t(step.solver.local_solves), rescued += std::int64_t(step.solver.rescued);
    unsolved += std::int64_t(step.solver.unsolved), rounds += step.rounds, crossings += std::int64_t(step.crossings);
    islands += std::int64_t(step.solver.islands), immovable += std::int64_t(step.solver.immovable);
    jammed += std::int64_t(step.jammed), jammed_steps += step.jammed > 0;
    keep_worse(step.jam);
    coarse_solves += step.coarse_solves, refined_solves += step.refined_solves;
    replaced_solves += step.replaced_solves;
    for (std::size_t s = 0; s < contact::solver_count; ++s) {
      sweeps_by[s] += step.solver.sweeps_by[s], islands_by[s] += std::int64_t(step.solver.islands_by[s]);
      contacts_by[s] += std::int64_t(step.solver.contacts_by[s]);
    }
    contacts_max = std::max(contacts_max, step.contacts);
    overlaps_left_max = std::max(overlaps_left_max, step.overlaps_left);
    error_max = std::max(error_max, step.solver.error);
    penetration_max = std::max(penetration_max, step.penetration);
    regrowth_max = std::max(regrowth_max, step.regrowth);
    strand_overlap_max = std::max(strand_overlap_max, step.strand_overlap);
    detection_seconds += step.detection_seconds, contact_seconds += step.solve_seconds;
  }

  void add_rejected(const StepContacts& step) { rejected_seconds += step.detection_seconds + step.solve_seconds; }

  // Those of later steps.
  ContactTotals& operator+=(const ContactTotals& later) {
    rejected_seconds += later.rejected_seconds;
    if (later.steps == 0) return *this;
    if (steps == 0) inside_start = later.inside_start, deepest_start = later.deepest_start;
    inside_end = later.inside_end, deepest_end = later.deepest_end;
    steps += later.steps, over_tolerance += later.over_tolerance;
    contacts += later.contacts, sweeps += later.sweeps, local_solves += later.local_solves;
    rescued += later.rescued, unsolved += later.unsolved, rounds += later.rounds, crossings += later.crossings;
    islands += later.islands, immovable += later.immovable, jammed += later.jammed;
    jammed_steps += later.jammed_steps;
    keep_worse(later.jam);
    coarse_solves += later.coarse_solves, refined_solves += later.refined_solves;
    replaced_solves += later.replaced_solves;
    for (std::size_t s = 0; s < contact::solver_count; ++s) {
      sweeps_by[s] += later.sweeps_by[s], islands_by[s] += later.islands_by[s];
      contacts_by[s] += later.contacts_by[s];
    }
    contacts_max = std::max(contacts_max, later.contacts_max);
    overlaps_left_max = std::max(overlaps_left_max, later.overlaps_left_max);
    error_max = std::max(error_max, later.error_max);
    penetration_max = std::max(penetration_max, later.penetration_max);
    regrowth_max = std::max(regrowth_max, later.regrowth_max);
    strand_overlap_max = std::max(strand_overlap_max, later.strand_overlap_max);
    detection_seconds += later.detection_seconds, contact_seconds += later.contact_seconds;
    return *this;
  }

 private:
  void keep_worse(const std::optional<Jam>& other) {
    if (other && (!jam || other->speed > jam->speed)) jam = other;
  }
};

}  // namespace tendril
