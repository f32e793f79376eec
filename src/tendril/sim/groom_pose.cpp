#include "tendril/sim/groom_pose.hpp"

#include "tendril/base/parallel.hpp"
#include "tendril/sim/strand_channels.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

void gather_guides(const der::Strands& strands, const der::State& state, GroomScratch& scratch) {
  GuidePose& pose = scratch.guides;
  pose.positions.resize(strands.vertex_count()), pose.directors.resize(strands.vertex_count());
  der::gather_positions(strands, state, pose.positions);
  gather_material_directors(strands, state, pose.positions, scratch.thetas, pose.directors);
}

// Where a mesh holds the roots of all strands; empty: guides carry the roots, too.
void find_roots(const World& world, std::size_t i, const WorldState& state, std::vector<Vector3d>& roots) {
  const World::Part& part = world.parts[i];
  roots.clear();
  if (!part.follower_roots || state.given_poses[i]) return;
  const double time = state.clock.time(world.run.dt());
  const Curves& groom = part.groom();
  roots.resize(groom.strands());
  parallel_for(roots.size(), [&](std::size_t s) {
    roots[s] = apply(part.follower_roots->pose(s, time), groom.points[groom.offsets[s]]);
  });
}

}  // namespace

void gather_groom(const World& world, std::size_t i, const WorldState& state, GroomScratch& scratch,
                  std::span<Vector3d> out) {
  const World::Part& part = world.parts[i];
  if (!part.followers) return der::gather_positions(part.strands, state.parts[i], out);
  gather_guides(part.strands, state.parts[i], scratch);
  find_roots(world, i, state, scratch.roots);
  part.followers->carry(scratch.guides, scratch.roots, scratch.followers, out);
}

void gather_groom_velocities(const World& world, std::size_t i, const LastStep& last, const WorldState& state,
                             std::span<const Vector3d> positions, GroomScratch& scratch, std::span<Vector3d> out) {
  const World::Part& part = world.parts[i];
  if (!part.followers) return der::gather_velocities(part.strands, state.parts[i], out);
  const Curves& groom = part.groom();
  if (last.before == nullptr) {
    for (Vector3d& velocity : out) velocity.setZero();
  } else {
    gather_groom(world, i, *last.before, scratch, out);
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = (positions[v] - out[v]) / last.dt;
  }
  std::vector<Vector3d>& guides = scratch.guides.positions;
  guides.resize(part.strands.vertex_count());
  der::gather_velocities(part.strands, state.parts[i], guides);
  for (std::size_t s = 0; s < groom.strands(); ++s)
    if (const std::optional<std::size_t> guide = part.simulated(s))
      for (std::size_t v = 0; v < groom.vertices(s); ++v)
        out[groom.offsets[s] + v] = guides[part.strands.offset(*guide) + v];
}

}  // namespace tendril
