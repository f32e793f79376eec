#include "experiments/sagfree/side_curls.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tendril::experiments::sagfree {
namespace {

using Eigen::Vector3d;

struct SideCurl {
  double arc;     // [m] radius of the quarter circle that leads from sideways to down
  double radius;  // [m] of the helix
  double turns;
  double reach;  // [m] length of the centre line
};

// The point at a share of the centre line.
Vector3d point(const SideCurl& curl, double share) {
  const double along = share * curl.reach, quarter = 0.5 * std::numbers::pi * curl.arc;
  const double angle = std::min(along, quarter) / curl.arc, below = std::max(0.0, along - quarter);
  const Vector3d centre = {curl.arc * std::sin(angle), curl.arc * (std::cos(angle) - 1.0) - below, 0.0};
  const Vector3d outwards = {std::sin(angle), std::cos(angle), 0.0};
  const double grown = std::min(1.0, below / curl.arc);  // the helix begins below the arc
  const double phase = 2.0 * std::numbers::pi * curl.turns * below / (curl.reach - quarter);
  return centre + curl.radius * grown * (std::cos(phase) * outwards + std::sin(phase) * Vector3d::UnitZ());
}

}  // namespace

Curves side_curls(std::size_t count) {
  Curves out;
  for (std::size_t i = 0; i < count; ++i) {
    // Each quantity goes through its range at a pace of its own.
    const auto within = [&](double low, double high, double pace) {
      return low + (high - low) * std::fmod(pace * double(i), 1.0);
    };
    const SideCurl curl{within(0.02, 0.04, 0.618), within(0.004, 0.008, 0.414), within(2.0, 4.0, 0.732), 0.2};
    const auto vertices = std::size_t(within(40.0, 61.0, 0.303));
    for (std::size_t v = 0; v < vertices; ++v) out.points.push_back(point(curl, double(v) / double(vertices - 1)));
    out.offsets.push_back(out.points.size());
  }
  return out;
}

}  // namespace tendril::experiments::sagfree
