#include "tendril/collide/foresight.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 1024, sample_every = 32;
constexpr int shortest_horizon = 2, longest_horizon = 32;
constexpr int most_failures = 6;
constexpr double aside = 0.25;       // of the way ahead: what is not foreseen
constexpr double least_aside = 0.1;  // of the width of the box

}  // namespace

// A list that has lasted as long as foreseen could last longer. Where strands are too quick for any list to last, wide
// boxes only cost time: it is tried again after some steps, each time after twice as many.
void Foresight::choose_horizon() {
  if (horizon_ > 1 && age_ == 0) pause_ = 1 << std::min(failures_++, most_failures);
  if (age_ > 0) failures_ = 0;
  if (pause_ > 0) {
    --pause_;
    horizon_ = 1;
  } else {
    horizon_ = std::clamp(age_ >= horizon_ ? 2 * horizon_ : age_, shortest_horizon, longest_horizon);
  }
}

std::span<const Bounds> Foresight::foresee(const Polylines& start, std::span<const Vector3d> end,
                                           std::span<const std::uint32_t> segments, std::span<const Bounds> boxes) {
  choose_horizon();
  age_ = 0;
  sample_.clear();
  for (std::size_t v = 0; v < start.positions.size(); v += sample_every) sample_.push_back(start.positions[v]);
  if (horizon_ == 1) return boxes;
  foreseen_.resize(boxes.size());
  const double steps = horizon_ - 1;
  parallel_for((segments.size() + chunk - 1) / chunk, [&](std::size_t c) {
    for (const std::uint32_t v : segments.subspan(c * chunk, std::min(chunk, segments.size() - c * chunk))) {
      const Vector3d first = steps * (end[v] - start.positions[v]),
                     second = steps * (end[v + 1] - start.positions[v + 1]);
      const double by =
          aside * std::max(first.norm(), second.norm()) + least_aside * (boxes[v].high - boxes[v].low).minCoeff();
      const Vector3d zero = Vector3d::Zero(), room = Vector3d::Constant(by);
      foreseen_[v].low = boxes[v].low + first.cwiseMin(second).cwiseMin(zero) - room;
      foreseen_[v].high = boxes[v].high + first.cwiseMax(second).cwiseMax(zero) + room;
    }
  });
  return foreseen_;
}

Vector3d Foresight::shift(std::span<const Vector3d> positions) const {
  Vector3d sum = Vector3d::Zero();
  for (std::size_t k = 0; k < sample_.size(); ++k) sum += positions[k * sample_every] - sample_[k];
  return sum / static_cast<double>(std::max<std::size_t>(1, sample_.size()));
}

}  // namespace tendril::collide
