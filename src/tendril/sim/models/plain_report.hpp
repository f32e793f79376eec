// What a model with a report of its own says, in the terms that the world reads.
#pragma once

#include "tendril/rods/der/stepper.hpp"

namespace tendril {

// Such a model takes one linear solve per step, and fails only where a number is not finite.
template <class Report>
der::StepReport in_terms_of_rods(const Report& report) {
  der::StepReport out;
  out.outcome = report.outcome, out.strand = report.strand, out.troubled = report.troubled, out.iterations = 1;
  if (report.outcome == Outcome::failed) out.trouble = der::Trouble::not_finite;
  return out;
}

}  // namespace tendril
