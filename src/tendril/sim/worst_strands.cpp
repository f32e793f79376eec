#include "tendril/sim/worst_strands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/joint_curvature.hpp"

namespace tendril {
namespace {

constexpr std::size_t list_length = 10;

bool is_worse(const WorstStrand& a, const WorstStrand& b) {
  return a.stretch != b.stretch ? a.stretch > b.stretch : a.strand < b.strand;
}

// Replaces the entry of the same strand if this one is worse.
void enter(const WorstStrand& strand, std::vector<WorstStrand>& worst) {
  const auto same = std::ranges::find_if(
      worst, [&](const WorstStrand& w) { return w.strand == strand.strand && w.set == strand.set; });
  if (same != worst.end()) {
    if (strand.stretch > same->stretch) *same = strand;
  } else {
    worst.push_back(strand);
  }
}

}  // namespace

void WorstStrands::update(const World& world, const WorldState& state, int frame, std::vector<WorstStrand>& worst) {
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    positions_.resize(strands.vertex_count()), velocities_.resize(strands.vertex_count());
    stretch_.resize(strands.size());
    der::gather_positions(strands, state.parts[i], positions_);
    parallel_for(strands.size(), [&](std::size_t s) {
      double most = 0.0;
      for (std::size_t v = strands.offset(s); v + 1 < strands.offset(s) + strands.vertices(s); ++v)
        most = std::max(most, std::abs(rest_.strain(i, v, (positions_[v + 1] - positions_[v]).norm())));
      stretch_[s] = most;
    });
    // Only the worst few of this frame can enter the list.
    std::vector<std::size_t> order(strands.size());
    std::iota(order.begin(), order.end(), std::size_t(0));
    const std::size_t few = std::min(list_length, order.size());
    std::ranges::partial_sort(order, order.begin() + std::ptrdiff_t(few), [&](std::size_t a, std::size_t b) {
      return stretch_[a] != stretch_[b] ? stretch_[a] > stretch_[b] : a < b;
    });
    der::gather_velocities(strands, state.parts[i], velocities_);
    for (std::size_t k = 0; k < few; ++k) {
      const std::size_t s = order[k], begin = strands.offset(s), end = begin + strands.vertices(s);
      WorstStrand entry{world.parts[i].settings.name, s, frame, stretch_[s], 0.0, 0.0};
      for (std::size_t v = begin; v < end; ++v) entry.speed = std::max(entry.speed, velocities_[v].norm());
      for (std::size_t v = begin + 1; v + 1 < end; ++v)
        entry.curvature =
            std::max(entry.curvature, joint_curvature(positions_[v - 1], positions_[v], positions_[v + 1]));
      enter(entry, worst);
    }
  }
  std::ranges::stable_sort(worst, is_worse);
  if (worst.size() > list_length) worst.resize(list_length);
}

}  // namespace tendril
