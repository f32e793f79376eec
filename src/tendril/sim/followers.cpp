#include "tendril/sim/followers.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/arc_length.hpp"

namespace tendril {
namespace {

using Eigen::Quaterniond;
using Eigen::Vector3d;

// Columns (director, tangent x director, tangent); the director is across the edge but for rounding.
Eigen::Matrix3d frame_of(const Vector3d& edge, const Vector3d& director) {
  const Vector3d tangent = edge.normalized(), across = (director - director.dot(tangent) * tangent).normalized();
  Eigen::Matrix3d frame;
  frame << across, tangent.cross(across), tangent;
  return frame;
}

// Half-way between two rotations; of q and -q, which are one rotation, the nearer is meant.
Quaterniond mean(const Quaterniond& a, const Quaterniond& b) {
  return Quaterniond(a.coeffs() + (a.dot(b) < 0.0 ? -1.0 : 1.0) * b.coeffs()).normalized();
}

}  // namespace

Followers::Followers(Curves groom, Curves guides, std::vector<Vector3d> directors, GuideBinding binding)
    : groom_(std::move(groom)),
      guides_(std::move(guides)),
      directors_(std::move(directors)),
      binding_(std::move(binding)),
      guide_of_(groom_.strands(), none) {
  for (std::size_t g = 0; g < binding_.strands.size(); ++g) guide_of_[binding_.strands[g]] = std::uint32_t(g);
  find_places();
}

void Followers::find_places() {
  for (std::size_t g = 0; g < guides_.strands(); ++g)
    std::ranges::copy(arc_lengths(guides_.strand(g)), std::back_inserter(lengths_));
  places_.resize(GuideBinding::most * groom_.points.size());
  parallel_for(groom_.strands(), [&](std::size_t s) {
    if (is_guide(s)) return;
    const std::vector<double> along = arc_lengths(groom_.strand(s));
    for (std::size_t i = 0; i < along.size(); ++i)
      for (std::size_t c = 0; c < GuideBinding::most; ++c) {
        const std::size_t g = binding_.closest[s][c];
        const std::span<const double> length(&lengths_[guides_.offsets[g]], guides_.vertices(g));
        const Spot spot = spot_at(length, length.back() * (along[i] / along.back()));
        places_[GuideBinding::most * (groom_.offsets[s] + i) + c] = {std::uint32_t(guides_.offsets[g] + spot.before),
                                                                     spot.along};
      }
  });
}

// A vertex turns by the mean of its two edges: between two vertices the turn then goes over from one to the other.
void Followers::measure_guide(std::size_t g, const GuidePose& now, FollowerScratch& scratch) const {
  const std::size_t first = guides_.offsets[g], last = guides_.offsets[g + 1] - 1;
  Quaterniond behind = Quaterniond::Identity();
  scratch.lengths[first] = 0.0;
  for (std::size_t v = first; v <= last; ++v) {
    Quaterniond turn = behind;
    if (v < last) {
      const Vector3d before = guides_.points[v + 1] - guides_.points[v],
                     after = now.positions[v + 1] - now.positions[v];
      scratch.lengths[v + 1] = scratch.lengths[v] + after.norm();
      turn =
          Quaterniond(Eigen::Matrix3d(frame_of(after, now.directors[v]) * frame_of(before, directors_[v]).transpose()));
    }
    scratch.turns[v] = (v == first || v == last ? turn : mean(behind, turn)).toRotationMatrix();
    behind = turn;
  }
}

void Followers::carry(const GuidePose& now, std::span<const Vector3d> roots, FollowerScratch& scratch,
                      std::span<Vector3d> out) const {
  scratch.turns.resize(guides_.points.size()), scratch.lengths.resize(guides_.points.size());
  parallel_for(guides_.strands(), [&](std::size_t g) { measure_guide(g, now, scratch); });
  scratch.blends.resize(std::size_t(thread_count()));
  parallel_for(groom_.strands(), [&](std::size_t s) {
    if (!is_guide(s)) return carry_strand(s, now, roots, scratch, out);
    const std::size_t from = guides_.offsets[guide_of_[s]], to = groom_.offsets[s];
    std::copy_n(now.positions.begin() + std::ptrdiff_t(from), groom_.vertices(s), out.begin() + std::ptrdiff_t(to));
  });
}

void Followers::carry_strand(std::size_t s, const GuidePose& now, std::span<const Vector3d> roots,
                             FollowerScratch& scratch, std::span<Vector3d> out) const {
  const std::size_t begin = groom_.offsets[s], vertices = groom_.vertices(s);
  std::vector<Vector3d>& blend = scratch.blends[std::size_t(worker_index())];
  blend.resize(vertices);
  // How much longer the guides are now between the places of vertices v and v + 1.
  const auto stretch_at = [&](std::size_t v) {
    double stretch = 0.0;
    for (std::size_t c = 0; c < GuideBinding::most; ++c) {
      const Place &p = places_[GuideBinding::most * v + c], &q = places_[GuideBinding::most * (v + 1) + c];
      const auto between = [&](const std::vector<double>& lengths) {
        const auto at = [&](const Place& x) {
          return lengths[x.edge] + x.along * (lengths[x.edge + 1] - lengths[x.edge]);
        };
        return at(q) - at(p);
      };
      stretch += binding_.weights[s][c] * (between(scratch.lengths) / between(lengths_));
    }
    return stretch;
  };
  for (std::size_t i = 0; i < vertices; ++i) {
    blend[i].setZero();
    for (std::size_t c = 0; c < GuideBinding::most; ++c) {
      const double weight = binding_.weights[s][c];
      if (weight == 0.0) continue;
      const Place& place = places_[GuideBinding::most * (begin + i) + c];
      const auto between = [&](const std::vector<Vector3d>& x) -> Vector3d {
        return x[place.edge] + place.along * (x[place.edge + 1] - x[place.edge]);
      };
      const Vector3d offset = groom_.points[begin + i] - between(guides_.points);
      const Vector3d turned = (1.0 - place.along) * (scratch.turns[place.edge] * offset) +
                              place.along * (scratch.turns[place.edge + 1] * offset);
      blend[i] += weight * (between(now.positions) + turned);
    }
  }
  out[begin] = roots.empty() ? blend[0] : roots[s];
  for (std::size_t i = 0; i + 1 < vertices; ++i) {
    const Vector3d edge = blend[i + 1] - blend[i];
    const double wanted = stretch_at(begin + i) * (groom_.points[begin + i + 1] - groom_.points[begin + i]).norm();
    const double length = edge.norm();
    out[begin + i + 1] = out[begin + i];
    if (length > 1e-3 * wanted) out[begin + i + 1] += (wanted / length) * edge;  // else the guides have lost its course
  }
}

}  // namespace tendril
