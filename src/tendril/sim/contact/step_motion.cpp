#include "tendril/sim/contact/step_motion.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/clearance_kernels.hpp"

namespace tendril {
namespace {

using collide::StrandPoint;
using Eigen::Vector3d;

constexpr double length_in_skin = 0.25;  // of an edge that grows out of a clamped one

Vector3d mean(std::span<const Vector3d> vectors) {
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& v : vectors) sum += v;
  return sum / double(std::max<std::size_t>(1, vectors.size()));
}

}  // namespace

void StepMotion::begin(const World& world, std::span<StepSystem* const> systems, const WorldState& state) {
  blocks_ = all_blocks(systems);
  step_ = systems.front()->step();
  geometry_.set_positions(world, state);
  for (BlockVectors* vectors : {&start_velocity_, &free_velocity_}) vectors->shape(blocks_);
  const std::size_t vertices = geometry_.positions.size();
  for (auto* vectors : {&ways_, &ends_, &common_ends_}) vectors->resize(vertices);
  for (auto* flags : {&is_driven_, &is_driven_vertex_}) flags->resize(vertices);
  has_start_velocity_.resize(blocks_.size()), squared_way_.resize(blocks_.size());
  parallel_for(blocks_.size(), [&](std::size_t b) {
    const auto& [system, block] = blocks_[b];
    has_start_velocity_[b] = system->has_start_velocity();
    if (has_start_velocity_[b] != 0) system->start_velocity(block, start_velocity_[b]);
    system->free_velocity(block, free_velocity_[b]);
    set_driven(std::uint32_t(b));
    set_ways(free_velocity_, std::uint32_t(b));
  });
  common_way_ = mean(ways_);
  parallel_for(blocks_.size(), [&](std::size_t b) { set_ends(free_velocity_, std::uint32_t(b)); });
}

void StepMotion::move(const BlockVectors& velocity, std::span<const std::uint32_t> strands) {
  parallel_for(strands.size(), [&](std::size_t k) { set_ways(velocity, strands[k]), set_ends(velocity, strands[k]); });
}

void StepMotion::set_driven(std::uint32_t b) {
  const std::size_t first = geometry_.offsets[b], count = geometry_.offsets[b + 1] - first;
  blocks_[b].system->find_driven(blocks_[b].block, std::span(is_driven_vertex_).subspan(first, count),
                                 std::span(is_driven_).subspan(first, count - 1));
}

void StepMotion::set_ways(const BlockVectors& velocity, std::uint32_t b) {
  const std::size_t first = geometry_.offsets[b], count = geometry_.offsets[b + 1] - first;
  const std::span<Vector3d> ways = std::span(ways_).subspan(first, count),
                            room = std::span(ends_).subspan(first, count);  // set_ends fills it
  const BlockPlace& block = blocks_[b];
  block.system->vertex_velocities(block.block, velocity[b], ways);
  if (has_start_velocity_[b] != 0) {
    block.system->vertex_velocities(block.block, start_velocity_[b], room);
    for (std::size_t k = 0; k < count; ++k) ways[k] -= room[k];
  }
  for (Vector3d& way : ways) way *= step_;
}

void StepMotion::set_ends(const BlockVectors& velocity, std::uint32_t b) {
  const std::size_t first = geometry_.offsets[b], count = geometry_.offsets[b + 1] - first;
  for (std::size_t v = first; v < first + count; ++v) {
    ends_[v] = geometry_.positions[v] + ways_[v];
    common_ends_[v] = geometry_.positions[v] + (ways_[v] - common_way_);
  }
  // Models whose points do not go straight know better.
  blocks_[b].system->set_end_positions(blocks_[b].block, velocity[b], std::span(ends_).subspan(first, count));
  squared_way_[b] = collide::clearance_kernels(active_isa())
                        .squared_longest_way(geometry_.positions[first].data(), ends_[first].data(), count);
}

double StepMotion::longest_way() const {
  constexpr double room = 1.0 + 1e-6;  // for round-off
  return squared_way_.empty() ? 0.0 : room * std::sqrt(std::ranges::max(squared_way_));
}

Vector3d StepMotion::velocity_at(const BlockVectors& velocity, const StrandPoint& at) const {
  const BlockPlace& block = blocks_[at.strand];
  return block.system->point_velocity(block.point(at.edge, at.along), velocity[at.strand]);
}

Vector3d StepMotion::start_velocity_at(const StrandPoint& at) const {
  return has_start_velocity_[at.strand] != 0 ? velocity_at(start_velocity_, at) : Vector3d::Zero();
}

Vector3d StepMotion::place_of(const StrandPoint& at) const {
  const std::size_t v = geometry_.offsets[at.strand] + at.edge;
  return geometry_.positions[v] + at.along * (geometry_.positions[v + 1] - geometry_.positions[v]);
}

bool StepMotion::is_driven(const StrandPoint& at) const {
  if (at.strand == collide::nobody) return true;
  const std::size_t v = geometry_.offsets[at.strand] + at.edge;
  if (at.along == 0.0 || at.along == 1.0) return is_driven_vertex_[at.along == 0.0 ? v : v + 1] != 0;
  return is_driven_[v] != 0;
}

bool StepMotion::is_held(const StrandPoint& at) const {
  return at.strand == collide::nobody || (at.along < 1.0 && is_driven({at.strand, at.edge, 0.0})) ||
         (at.along > 0.0 && is_driven({at.strand, at.edge, 1.0}));
}

bool StepMotion::has_just_grown(const StrandPoint& at) const {
  const std::uint32_t v = geometry_.offsets[at.strand] + at.edge;
  if (is_driven_[v] != 0) return false;
  const bool before = at.edge > 0 && is_driven_[v - 1] != 0;
  const bool after = v + 2 < geometry_.offsets[at.strand + 1] && is_driven_[v + 1] != 0;
  return (before && at.along < length_in_skin) || (after && 1.0 - at.along < length_in_skin);
}

}  // namespace tendril
