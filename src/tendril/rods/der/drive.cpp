// Where a drive puts the clamps and holds at the end of a step.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/eigen_vec3.hpp"
#include "tendril/geometry/transport.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::der {
using Eigen::Vector3d;
using std::numbers::pi;

void Strands::drive(const Drive& drive, const State& state, Targets& targets, bool onwards) const {
  const int w = lanes();
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    const std::span<const double> start = start_.current[g], now = state.current[g];
    const std::span<double> holds = targets.holds[g];
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane) {
      const std::size_t s = group.strands[lane];
      const auto target = [&](int slot, int component) -> double& {
        return holds[stream_at(group.hold_of[std::size_t(slot)], HoldLayout::components, HoldLayout::target + component,
                               w, lane)];
      };
      const auto move_vertex = [&](int slot, const Pose& pose) {
        const Vector3d x = apply(pose, to_eigen(read3(start, slot, StateLayout::position, w, lane)));
        for (int c = 0; c < 3; ++c) target(slot, c) = x[c];
        return x;
      };
      // The clamped edge reaches its pose, and its material frame that of the pose (docs/theory/der.md, Eq. 17).
      const auto move_clamp = [&](int slot, const Pose& pose) {
        const Vector3d a = move_vertex(slot, pose), b = move_vertex(slot + 1, pose);
        const Vec3<double> old_tangent = make_edge(read3(now, slot + 1, StateLayout::position, w, lane) -
                                                   read3(now, slot, StateLayout::position, w, lane))
                                             .tangent;
        const Vec3<double> tangent = make_edge(to_vec3(b) - to_vec3(a)).tangent;
        const Vec3<double> director =
            transport_director_anywhere(old_tangent, tangent, read3(now, slot, StateLayout::director, w, lane));
        // theta is 0 in the start pose: its director is its material frame.
        const Vector3d wanted = pose.rotation * to_eigen(read3(start, slot, StateLayout::director, w, lane));
        const double angle = angle_of(dot(cross(director, to_vec3(wanted)), tangent), dot(director, to_vec3(wanted)));
        const double theta = onwards ? target(slot, 3) : now[state_at(slot, StateLayout::theta, w, lane)];
        const double wished = angle + 2.0 * pi * std::nearbyint((theta - angle) / (2.0 * pi));
        // The angle of a clamp that stands still is not to stray by the rounding of its measurement. This looks at
        // nothing but the state: a run that was resumed must come to the same bits.
        constexpr double rounding = 1e-12;
        const bool stands = !onwards && std::abs(wished - theta) <= rounding * std::max(1.0, std::abs(theta));
        target(slot, 3) = stands ? theta : wished;
      };
      const int root = group.real_begin[lane], tip = group.vertices - 2;
      if (clamps(s).root != Clamp::free) move_clamp(root, of_strand(drive.root, s));
      if (clamps(s).tip != Clamp::free) move_clamp(tip, of_strand(drive.tip, s));
      for (const std::size_t h : holds_of(s)) {
        const int slot = group.first[lane] + holds_[h].vertex;
        const Vector3d x = apply(drive.holds.empty() ? Pose{} : drive.holds[h],
                                 to_eigen(read3(start, slot, StateLayout::position, w, lane)));
        for (int c = 0; c < 3; ++c)
          if (holds_[h].components[std::size_t(c)]) target(slot, c) = x[c];
        if (holds_[h].components[3]) target(slot, 3) = drive.hold_angles.empty() ? 0.0 : drive.hold_angles[h];
      }
    }
  });
}

}  // namespace tendril::der
