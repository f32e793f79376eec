// Attraction to the animated groom (docs/theory/der.md, "Attraction"): each vertex is drawn to where it would be if its
// strand, as drawn, were carried along rigidly by its root.
//
// With stiffness k = m (2 pi f)^2 and damper c = 2 zeta m (2 pi f), the force at the end of a step of length h that
// leads from x_0 to x_1 while the place goes from p_0 to p_1 is
//   k (p_1 - x_1) + c ((p_1 - p_0) - (x_1 - x_0)) / h = (k + c/h) (p - x_1),   p = p_1 + (c/h) (x_0 - p_0) / (k + c/h),
// a single spring to a place that is known when the step begins.
#pragma once

#include <vector>

#include "tendril/rods/der/strands.hpp"
#include "tendril/scene/scene.hpp"

namespace tendril {

class Attraction {
 public:
  Attraction(const AttractionSettings& settings, const der::Strands& strands);

  struct Scratch {
    std::vector<Eigen::Vector3d> positions, places;
    std::vector<double> stiffness;
  };
  // `before` and `after` carry the start pose: one pose for all strands, or one for each.
  void aim(const der::Strands& strands, const der::State& state, const std::vector<Pose>& before,
           const std::vector<Pose>& after, double dt, Scratch& scratch, der::Targets& targets) const;

 private:
  std::vector<double> stiffness_;  // [N/m] per vertex
  std::vector<double> damper_;     // [N s/m]
};

}  // namespace tendril
