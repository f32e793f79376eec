#include "experiments/contact/depth_watch.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <variant>

#include "tendril/base/parallel.hpp"
#include "tendril/sim/contact/geometry.hpp"

namespace tendril::experiments {
namespace {

using Eigen::Vector3d;

constexpr double noticeable = 1e-6, too_deep = 1e-4;  // [m]

double distance(const collide::Shape& shape, const Vector3d& place) {
  const auto ask = [&](const auto& one) {
    if constexpr (requires { *one; })
      return nearest(*one, place).distance;
    else
      return nearest(one, place).distance;
  };
  return std::visit(ask, shape);
}

}  // namespace

DepthWatch::DepthWatch(const Simulation& simulation) {
  const StrandGeometry geometry(simulation.world());
  counts_.assign(geometry.positions.size(), 1);
  for (std::size_t s = 0; s + 1 < geometry.offsets.size(); ++s)
    counts_[geometry.offsets[s]] = counts_[geometry.offsets[s] + 1] = 0;
  allowed_ = depths(simulation);
  grew_.assign(allowed_.size(), 0), pierced_.assign(allowed_.size(), 0);
  for (std::size_t v = 0; v < allowed_.size(); ++v) {
    allowed_[v] = counts_[v] != 0 ? std::max(0.0, allowed_[v]) : 0.0;
    inside_start += allowed_[v] > 0.0;
    deepest_start = std::max(deepest_start, allowed_[v]);
  }
  inside_now = inside_start, deepest_now = deepest_start;
}

void DepthWatch::look(const Simulation& simulation) {
  const std::vector<double> now = depths(simulation);
  inside_now = 0, deepest_now = 0.0;
  for (std::size_t v = 0; v < now.size(); ++v) {
    if (counts_[v] == 0) continue;
    const double beyond = now[v] - allowed_[v];
    if (allowed_[v] > 0.0) {
      growth = std::max(growth, beyond);
      grew_[v] |= beyond > noticeable;
    } else {
      deepest_outside = std::max(deepest_outside, beyond);
      pierced_[v] |= beyond > too_deep;
    }
    allowed_[v] = std::clamp(now[v], 0.0, allowed_[v]);
    inside_now += allowed_[v] > 0.0;
    deepest_now = std::max(deepest_now, allowed_[v]);
  }
  grown = std::size_t(std::ranges::count(grew_, 1)), pierced = std::size_t(std::ranges::count(pierced_, 1));
}

std::vector<double> DepthWatch::depths(const Simulation& simulation) const {
  const World& world = simulation.world();
  StrandGeometry geometry(world);
  geometry.set_positions(world, simulation.state());
  std::vector<double> deepest(geometry.positions.size(), -std::numeric_limits<double>::infinity());
  for (const Collider& collider : world.colliders) {
    const Pose to_body = inverse(collider_pose(world, collider, simulation.time(), 1.0, simulation.state()));
    parallel_for(deepest.size(), [&](std::size_t v) {
      const double depth = geometry.radius[v] - distance(collider.shape, apply(to_body, geometry.positions[v]));
      deepest[v] = std::max(deepest[v], depth);
    });
  }
  return deepest;
}

}  // namespace tendril::experiments
