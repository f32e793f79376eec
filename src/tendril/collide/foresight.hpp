// Where segments will be within the next steps, so that a list of pairs lasts for some of them (docs/theory/collide.md,
// Neighbours): on along their way of this step, and a little aside. It decides how long a list lasts, never what is
// found.
#pragma once

#include <span>
#include <vector>

#include "tendril/collide/bounds.hpp"
#include "tendril/collide/polylines.hpp"

namespace tendril::collide {

class Foresight {
 public:
  // Boxes that hold those of this step, and of the next ones if vertices go on as from `start` to `end`.
  std::span<const Bounds> foresee(const Polylines& start, std::span<const Vector3d> end,
                                  std::span<const std::uint32_t> segments, std::span<const Bounds> boxes);
  // How far strands have gone, all together, since then.
  Vector3d shift(std::span<const Vector3d> positions) const;
  void count_step() { ++age_; }

 private:
  void choose_horizon();

  int horizon_ = 1, age_ = 0;     // steps: that are foreseen, and since then
  int pause_ = 0, failures_ = 0;  // steps to go without foresight, and how often it has been of no use
  std::vector<Vector3d> sample_;  // of the positions then
  std::vector<Bounds> foreseen_;
};

}  // namespace tendril::collide
