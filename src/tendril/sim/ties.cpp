#include "tendril/sim/ties.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr double near = 1e-3;  // of the first edge of a strand

double tolerance_of(const Curves& curves, std::size_t strand) {
  const auto x = curves.strand(strand);
  return x.size() < 2 ? 0.0 : near * (x[1] - x[0]).norm();
}

// Vertices of all strands by their coordinate along the axis along which they reach farthest, to look up what is near a
// point.
class VertexFinder {
 public:
  explicit VertexFinder(const Curves& curves) : curves_(curves), order_(curves.points.size()) {
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Vector3d& x : curves.points) low = low.cwiseMin(x), high = high.cwiseMax(x);
    (high - low).maxCoeff(&axis_);
    std::iota(order_.begin(), order_.end(), 0u);
    std::ranges::stable_sort(order_, {}, [&](std::uint32_t v) { return curves.points[v][axis_]; });
    strand_.resize(order_.size());
    for (std::uint32_t s = 0; s < curves.strands(); ++s)
      std::fill(strand_.begin() + std::ptrdiff_t(curves.offsets[s]),
                strand_.begin() + std::ptrdiff_t(curves.offsets[s + 1]), s);
  }

  // The vertex of another strand where a root was drawn. Of several the one of the first strand that has it within;
  // roots count only if there is no other, and only those of strands before: else two would hang on each other.
  std::optional<chain::Tie> at_root_of(std::uint32_t strand) const {
    const Vector3d& root = curves_.points[curves_.offsets[strand]];
    const double reach = tolerance_of(curves_, strand);
    const auto along = [&](std::uint32_t v) { return curves_.points[v][axis_]; };
    std::optional<chain::Tie> within, at_root;
    for (auto k = std::ranges::lower_bound(order_, root[axis_] - reach, {}, along);
         k != order_.end() && along(*k) <= root[axis_] + reach; ++k) {
      const std::uint32_t other = strand_[*k], vertex = *k - std::uint32_t(curves_.offsets[other]);
      if (other == strand || (curves_.points[*k] - root).norm() > reach) continue;
      std::optional<chain::Tie>& found = vertex > 0 ? within : at_root;
      if (vertex == 0 && other > strand) continue;
      if (!found || other < found->parent) found = chain::Tie{strand, other, vertex};
    }
    return within ? within : at_root;
  }

 private:
  const Curves& curves_;
  Eigen::Index axis_ = 0;
  std::vector<std::uint32_t> order_, strand_;
};

Result<std::vector<chain::Tie>> touching(const Curves& curves) {
  const VertexFinder finder(curves);
  std::vector<chain::Tie> ties;
  for (std::uint32_t s = 0; s < curves.strands(); ++s)
    if (const auto tie = finder.at_root_of(s)) ties.push_back(*tie);
  if (ties.empty())
    return Error{"parent",
                 "is \"touching\", but no strand begins at a vertex of another one; draw their roots there, or "
                 "leave out parent"};
  return ties;
}

Result<std::vector<chain::Tie>> as_told(const std::vector<RootOnStrand>& roots, const Curves& curves) {
  std::vector<chain::Tie> ties;
  for (const RootOnStrand& root : roots) {
    const auto strand = std::size_t(root.strand), of = std::size_t(root.of);
    for (const std::int64_t one : {root.strand, root.of})
      if (one < 0 || std::size_t(one) >= curves.strands())
        return Error{"parent", fmt::format("strand {} does not exist; there are {}", one, curves.strands())};
    const auto count = std::int64_t(curves.vertices(of));
    const std::int64_t vertex = root.vertex < 0 ? count + root.vertex : root.vertex;
    if (vertex < 0 || vertex >= count)
      return Error{"parent", fmt::format("strand {} has no vertex {}; it has {}", of, root.vertex, count)};
    const double apart =
        (curves.points[curves.offsets[strand]] - curves.points[curves.offsets[of] + std::size_t(vertex)]).norm();
    if (!(apart <= tolerance_of(curves, strand)))
      return Error{"parent", fmt::format("strand {} begins {:.3g} m from vertex {} of strand {}; draw its root there",
                                         strand, apart, vertex, of)};
    ties.push_back({std::uint32_t(strand), std::uint32_t(of), std::uint32_t(vertex)});
  }
  return ties;
}

// A root may hang on a root that hangs somewhere itself: as often as it takes, which is once per strand at most.
void put_roots_in_place(const std::vector<chain::Tie>& ties, Curves& curves) {
  bool has_moved = true;
  for (std::size_t round = 0; has_moved && round < ties.size(); ++round) {
    has_moved = false;
    for (const chain::Tie& tie : ties) {
      const Vector3d& place = curves.points[curves.offsets[tie.parent] + tie.vertex];
      Vector3d& root = curves.points[curves.offsets[tie.strand]];
      has_moved |= root != place;
      root = place;
    }
  }
}

}  // namespace

Result<std::vector<chain::Tie>> ties_of(const ParentSettings& settings, Curves& curves) {
  if (!settings.any()) return std::vector<chain::Tie>{};
  Result<std::vector<chain::Tie>> ties = settings.touching ? touching(curves) : as_told(settings.roots, curves);
  if (!ties) return ties;
  put_roots_in_place(ties.value(), curves);
  return ties;
}

}  // namespace tendril
