// Contacts that keep two segments from passing through each other in a step (docs/theory/coupling.md, Eqs. 6 and 7).
//
// The line between their closest points at the start separates them: along it all of A lies ahead of all of B. Motions
// are straight and even, so as long as the ends of A end ahead of the ends of B, nothing has crossed in between.
#pragma once

#include <array>
#include <optional>

#include "tendril/collide/contact.hpp"
#include "tendril/collide/continuous.hpp"
#include "tendril/sim/contact/geometry.hpp"

namespace tendril {

class Separation {
 public:
  // Nothing if the centre lines meet at the start: then no line separates them.
  static std::optional<Separation> of(const StrandGeometry& geometry, const collide::SegmentPair& pair);

  // Of two material points, in shares of the segments: the gap is that along the separating line.
  collide::Contact at(double s, double t) const;
  // Of all ends with each other: where these hold nothing crosses, whatever else the segments do.
  std::array<collide::Contact, 4> corners() const;

 private:
  const StrandGeometry* geometry_ = nullptr;
  collide::SegmentPair pair_;
  collide::StrandPoint a_, b_;
  Eigen::Vector3d normal_ = Eigen::Vector3d::UnitX();
};

}  // namespace tendril
