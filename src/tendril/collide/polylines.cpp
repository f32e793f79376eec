#include "tendril/collide/polylines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/clearance_kernels.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 1024;

// Whether some numbers are finite and not too large. Parallel: a scan of all positions is memory traffic that one core
// cannot pull.
bool are_usable(std::span<const double> numbers) {
  const ClearanceKernels& kernels = clearance_kernels(active_isa());
  std::atomic<bool> usable = true;
  parallel_for((numbers.size() + chunk - 1) / chunk, [&](std::size_t c) {
    const auto some = numbers.subspan(c * chunk, std::min(chunk, numbers.size() - c * chunk));
    if (!kernels.are_below(some.data(), some.size(), largest_coordinate)) usable = false;
  });
  return usable;
}

std::string name_of_vertex(std::span<const std::uint32_t> offsets, std::size_t vertex) {
  const auto after = std::ranges::upper_bound(offsets, vertex);
  const auto strand = static_cast<std::size_t>(after - offsets.begin()) - 1;
  return fmt::format("strand {}, vertex {}", strand, vertex - offsets[strand]);
}

}  // namespace

Status check_sizes(const Polylines& strands) {
  const auto& offsets = strands.offsets;
  if (strands.positions.size() > largest_vertex_count)
    return Error{"polylines", fmt::format("{} vertices; at most {} can be searched", strands.positions.size(),
                                          largest_vertex_count)};
  if (strands.radius.size() != strands.positions.size())
    return Error{"polylines", fmt::format("{} radii for {} vertices", strands.radius.size(), strands.positions.size())};
  if (offsets.empty() ? !strands.positions.empty() : offsets.front() != 0 || offsets.back() != strands.positions.size())
    return Error{"polylines", "the offsets of the strands do not run from 0 to the number of vertices"};
  if (!std::ranges::is_sorted(offsets)) return Error{"polylines", "the offsets of the strands decrease"};
  if (!strands.group.empty() && strands.group.size() != strands.strand_count())
    return Error{"polylines", fmt::format("{} groups for {} strands", strands.group.size(), strands.strand_count())};
  if (!strands.twins.empty() && strands.twins.size() != strands.strand_count())
    return Error{"polylines", fmt::format("{} twins for {} strands", strands.twins.size(), strands.strand_count())};
  return ok();
}

Status check_positions(std::span<const Vector3d> positions, std::span<const std::uint32_t> offsets) {
  if (positions.empty() || are_usable({positions.front().data(), 3 * positions.size()})) return ok();
  const auto bad = static_cast<std::size_t>(
      std::ranges::find_if(positions,
                           [](const Vector3d& x) { return !(x.cwiseAbs().array() <= largest_coordinate).all(); }) -
      positions.begin());
  const Vector3d& x = positions[bad];
  return Error{name_of_vertex(offsets, bad), fmt::format("the position ({}, {}, {}) is not finite or beyond {} m", x[0],
                                                         x[1], x[2], largest_coordinate)};
}

Status check(const Polylines& strands) {
  if (Status sizes = check_sizes(strands); !sizes) return sizes;
  if (Status positions = check_positions(strands.positions, strands.offsets); !positions) return positions;
  const auto& radius = strands.radius;
  const auto bad = static_cast<std::size_t>(
      std::ranges::find_if(radius, [](double r) { return !(r >= 0.0 && r <= largest_coordinate); }) - radius.begin());
  if (bad == radius.size()) return ok();
  return Error{name_of_vertex(strands.offsets, bad),
               fmt::format("the radius {} m is not between 0 and {}", radius[bad], largest_coordinate)};
}

Status check(const Margin& margin) {
  const auto usable = [](double x) { return x >= 0.0 && x <= largest_coordinate; };
  if (usable(margin.relative) && usable(margin.absolute)) return ok();
  return Error{"margin", fmt::format("{} of the radii + {} m is not between 0 and {}", margin.relative, margin.absolute,
                                     largest_coordinate)};
}

void strands_of_vertices(const Polylines& strands, std::vector<std::uint32_t>& strand) {
  strand.resize(strands.positions.size());
  parallel_for(strands.strand_count(), [&](std::size_t s) {
    std::fill(strand.begin() + strands.offsets[s], strand.begin() + strands.offsets[s + 1],
              static_cast<std::uint32_t>(s));
  });
}

}  // namespace tendril::collide
