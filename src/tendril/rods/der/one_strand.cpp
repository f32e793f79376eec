#include "tendril/rods/der/one_strand.hpp"

namespace tendril::der {

using Eigen::Vector3d;

void gather_strand(const Strands& strands, std::size_t s, const GroupStreams& streams, int component,
                   std::span<Vector3d> out) {
  const Strands::Place at = strands.place(s);
  for (std::size_t i = 0; i < strands.vertices(s); ++i) {
    const Vec3<double> v =
        read3(streams[at.group], at.first + int(i), component, strands.lanes(), std::size_t(at.lane));
    out[strands.offset(s) + i] = {v.x, v.y, v.z};
  }
}

void show_strand(const Strands& strands, std::size_t s, std::span<const Vector3d> positions,
                 std::span<const Vector3d> velocities, std::span<const Vector3d> directors, State& state) {
  const std::size_t g = strands.place(s).group;
  for (std::size_t lane = 0; lane < std::size_t(strands.lanes()); ++lane)
    if (strands.groups()[g].strands[lane] == s) show_lane(strands, g, lane, positions, velocities, directors, state);
}

void show_lane(const Strands& strands, std::size_t g, std::size_t lane, std::span<const Vector3d> positions,
               std::span<const Vector3d> velocities, std::span<const Vector3d> directors, State& state) {
  const Strands::Group& group = strands.groups()[g];
  const std::span<double> stream = state.current[g];
  const int w = strands.lanes();
  const std::size_t first = strands.offset(group.strands[lane]), n = strands.vertices(group.strands[lane]);
  const auto write = [&](std::size_t i, int component, const Vector3d& value) {
    for (int c = 0; c < 3; ++c) stream[state_at(group.first[lane] + int(i), component + c, w, lane)] = value[c];
  };
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t v = first + i;
    write(i, StateLayout::position, positions[v]), write(i, StateLayout::velocity, velocities[v]);
    if (i + 1 == n) continue;
    const Vector3d tangent = (positions[v + 1] - positions[v]).normalized();
    write(i, StateLayout::director, (directors[v] - tangent * tangent.dot(directors[v])).normalized());
    stream[state_at(group.first[lane] + int(i), StateLayout::theta, w, lane)] = 0.0;
    stream[state_at(group.first[lane] + int(i), StateLayout::theta_velocity, w, lane)] = 0.0;
  }
}

}  // namespace tendril::der
