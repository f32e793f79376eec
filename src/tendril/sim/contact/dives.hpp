// Places at which strands are in bodies in the course of a step: at its end and, where something goes farther than a
// body is thick, at times in between, so that nothing can pass through it unseen (docs/theory/coupling.md, Dives).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/body.hpp"
#include "tendril/sim/contact/geometry.hpp"

namespace tendril {

struct Dive {
  collide::Contact contact;  // with a gap below 0
  double time = 1.0;         // of the step, above 0 and up to 1
};

class DiveSearch {
 public:
  // Vertices go straight from where the geometry has them to `ends`, no farther than `longest_way` [m]. Of what
  // deforms, `bodies` has the shape at the end of the step.
  Status find(const StrandGeometry& geometry, std::span<const Eigen::Vector3d> ends, double longest_way,
              std::span<const collide::Body> bodies, std::span<const char> is_driven, collide::Clearances& clearances,
              std::vector<Dive>& dives);

 private:
  Status shape_bodies(std::span<const collide::Body> bodies, double time);

  std::vector<Eigen::Vector3d> places_;
  std::vector<collide::Body> shaped_;  // at the time that is looked at
  std::vector<collide::Contact> found_;
};

}  // namespace tendril
