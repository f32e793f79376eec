#include "tendril/collide/continuous.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/pair_view.hpp"

namespace tendril::collide {
namespace {

// A point q(time) = start + time * way.
struct LinearMotion {
  Vector3d start, way;
};

// [u v w] as a polynomial of time (Eq. 14): the volume that the segments span, zero when they lie in one plane.
struct Cubic {
  std::array<double, 4> c = {};  // c[k] time^k
  double round_off = 0.0;

  double at(double x) const { return ((c[3] * x + c[2]) * x + c[1]) * x + c[0]; }
  bool is_zero() const {
    return std::ranges::all_of(c, [&](double one) { return std::abs(one) <= round_off; });
  }
};

double triple(const Vector3d& a, const Vector3d& b, const Vector3d& c) { return a.cross(b).dot(c); }

Cubic volume(const LinearMotion& u, const LinearMotion& v, const LinearMotion& w) {
  Cubic cubic;
  cubic.c[0] = triple(u.start, v.start, w.start);
  cubic.c[1] = triple(u.way, v.start, w.start) + triple(u.start, v.way, w.start) + triple(u.start, v.start, w.way);
  cubic.c[2] = triple(u.start, v.way, w.way) + triple(u.way, v.start, w.way) + triple(u.way, v.way, w.start);
  cubic.c[3] = triple(u.way, v.way, w.way);
  const auto size = [](const LinearMotion& m) { return m.start.norm() + m.way.norm(); };
  cubic.round_off = 32.0 * std::numeric_limits<double>::epsilon() * size(u) * size(v) * size(w);
  return cubic;
}

// 0, the places in between where the slope is zero, and 1: between two of them the cubic is monotonic.
struct Turns {
  std::array<double, 4> at = {};
  int count = 0;

  void add(double x) { at[static_cast<std::size_t>(count++)] = x; }
};

Turns turns_of(const Cubic& cubic) {
  Turns turns;
  turns.add(0.0);
  // Roots of a x^2 + 2 b x + c, the larger one first: no cancellation.
  const double a = 3.0 * cubic.c[3], b = cubic.c[2], c = cubic.c[1], under = b * b - a * c;
  if (under >= 0.0) {
    const double sum = -(b + std::copysign(std::sqrt(under), b));
    const double one = a != 0.0 ? sum / a : -1.0, other = sum != 0.0 ? c / sum : -1.0;
    for (const double x : {std::min(one, other), std::max(one, other)})
      if (x > 0.0 && x < 1.0) turns.add(x);
  }
  turns.add(1.0);
  return turns;
}

double bisect(const Cubic& cubic, double low, double high) {
  const bool rising = cubic.at(high) > cubic.at(low);
  for (int i = 0; i < 64; ++i) {
    const double middle = 0.5 * (low + high);
    ((cubic.at(middle) < 0.0) == rising ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

// Times, in order, at which the volume is zero or, at a turn, so small that it may be. At most 3 roots and 4 turns.
struct Times {
  std::array<double, 7> at = {};
  int count = 0;

  void add(double x) { at[static_cast<std::size_t>(count++)] = x; }
};

Times times_in_one_plane(const Cubic& cubic) {
  const Turns turns = turns_of(cubic);
  Times times;
  for (int k = 0; k < turns.count; ++k) {
    const double here = turns.at[static_cast<std::size_t>(k)];
    if (std::abs(cubic.at(here)) <= cubic.round_off) times.add(here);
    if (k + 1 == turns.count) break;
    const double next = turns.at[static_cast<std::size_t>(k + 1)];
    if ((cubic.at(here) < 0.0) != (cubic.at(next) < 0.0)) times.add(bisect(cubic, here, next));
  }
  return times;
}

double size_of(const MovingSegment& p, const MovingSegment& q) {
  const std::array<Vector3d, 8> points = {p.start.start, p.start.end, p.end.start, p.end.end,
                                          q.start.start, q.start.end, q.end.start, q.end.end};
  double size = 0.0;
  for (const Vector3d& point : points) size = std::max(size, (point - points[0]).norm());
  return 2.0 * size;
}

// For segments that stay in one plane all the time: goes ahead by no more than the distance allows (Eq. 15). Those that
// slide along each other closer than a ten-thousandth of their way may count as met.
constexpr int most_advances = 10000;

double squared_motion_bound(const MovingSegment& p, const MovingSegment& q) {
  const std::array<Vector3d, 2> of_p = {p.end.start - p.start.start, p.end.end - p.start.end};
  const std::array<Vector3d, 2> of_q = {q.end.start - q.start.start, q.end.end - q.start.end};
  double bound = 0.0;
  for (const Vector3d& a : of_p)
    for (const Vector3d& b : of_q) bound = std::max(bound, (a - b).squaredNorm());
  return bound;
}

std::optional<Crossing> advance_until_met(const MovingSegment& p, const MovingSegment& q, double near) {
  const double speed = relative_motion_bound(p, q);
  double time = 0.0;
  for (int step = 0;; ++step) {
    const SegmentPoints closest = closest_points(p.at(time), q.at(time));
    const double distance = closest.apart.norm();
    if (distance <= near || step == most_advances) return Crossing{time, closest.s, closest.t};
    if (!(speed > 0.0) || time == 1.0) return std::nullopt;
    time = std::min(1.0, time + distance / speed);
  }
}

// Groups of pairs of which one or more may cross for all that is known of their ways. Gives how many.
std::size_t list_asked(std::span<const SegmentPair> pairs, const float* distances, std::span<const Drift> drifts,
                       std::span<const char> is_settled, std::span<std::uint32_t> asked) {
  constexpr std::size_t fetched = 16;  // pairs ahead: where second segments are in memory nobody foresees
  std::size_t count = 0;
  for (std::size_t k = 0; k < pairs.size();) {
    bool is_any = false;
    asked[count] = static_cast<std::uint32_t>(k / pairs_per_group);
    for (const std::size_t end = std::min(pairs.size(), k + pairs_per_group); k < end; ++k) {
      const auto [a, b] = pairs[k];
      if (!drifts.empty()) __builtin_prefetch(&drifts[pairs[std::min(pairs.size() - 1, k + fetched)].second]);
      const bool settled = !is_settled.empty() && (is_settled[a] & is_settled[b]) != 0;
      is_any |= !(settled | (!drifts.empty() && stay_apart(drifts[a], drifts[b], distances[k])));
    }
    count += is_any;
  }
  return count;
}

}  // namespace

double relative_motion_bound(const MovingSegment& p, const MovingSegment& q) {
  return std::sqrt(squared_motion_bound(p, q));
}

std::optional<Crossing> first_crossing(const MovingSegment& p, const MovingSegment& q, double tolerance) {
  const double near = tolerance * size_of(p, q);
  const auto between = [](const Segment& start, const Segment& end) {
    return LinearMotion{start.direction(), end.direction() - start.direction()};
  };
  const Segment link_start{p.start.start, q.start.start}, link_end{p.end.start, q.end.start};
  const Cubic cubic = volume(between(p.start, p.end), between(q.start, q.end), between(link_start, link_end));
  if (cubic.is_zero()) return advance_until_met(p, q, near);
  const Times times = times_in_one_plane(cubic);
  for (int k = 0; k < times.count; ++k) {
    const double time = times.at[static_cast<std::size_t>(k)];
    const SegmentPoints closest = closest_points(p.at(time), q.at(time));
    if (closest.apart.norm() <= near) return Crossing{time, closest.s, closest.t};
  }
  return std::nullopt;
}

Status CrossingSearch::find(const Polylines& start, std::span<const Vector3d> end, const GridOptions& options,
                            std::vector<StrandCrossing>& crossings) {
  crossings.clear();
  if (end.size() != start.positions.size())
    return Error{"polylines", "start and end of the step differ in their number of vertices"};
  if (Status searched = grid_.find_swept(start, end, options, pairs_); !searched) return searched;
  among(start, end, pairs_, {}, {}, crossings);
  return ok();
}

void CrossingSearch::among(const Polylines& start, std::span<const Vector3d> end, std::span<const SegmentPair> pairs,
                           const KnownPairs& known, std::span<const char> is_settled,
                           std::vector<StrandCrossing>& crossings) {
  constexpr std::size_t chunk = 256, groups_per_chunk = chunk / pairs_per_group;
  const PairKernels& kernels = pair_kernels(active_isa());
  const auto& x = start.positions;
  const auto moving = [&](std::uint32_t v) { return MovingSegment{{x[v], x[v + 1]}, {end[v], end[v + 1]}}; };
  const auto look = [&](const SegmentPair& pair, std::vector<StrandCrossing>& found) {
    const MovingSegment p = moving(pair.first), q = moving(pair.second);
    if (closest_points(p.start, q.start).apart.squaredNorm() > squared_motion_bound(p, q)) return;
    if (const std::optional<Crossing> crossing = first_crossing(p, q)) found.push_back({pair, *crossing});
  };
  found_by_chunk_.resize((pairs.size() + chunk - 1) / chunk);
  parallel_for(found_by_chunk_.size(), [&](std::size_t c) {
    found_by_chunk_[c].clear();
    const auto some = pairs.subspan(c * chunk, std::min(chunk, pairs.size() - c * chunk));
    const std::size_t groups = (some.size() + pairs_per_group - 1) / pairs_per_group;
    std::array<SeparatorGroup, groups_per_chunk> own;
    std::array<float, chunk + pairs_per_group> apart;
    std::array<std::uint32_t, chunk + pairs_per_group> left;
    if (known.separators.empty())
      kernels.may_touch(pair_view(x, {}, {}, some), 0, groups, own.data(), apart.data(), left.data());
    const SeparatorGroup* const separators =
        known.separators.empty() ? own.data() : known.separators.data() + c * groups_per_chunk;
    const float* const distances = known.distances.empty() ? apart.data() : known.distances.data() + c * chunk;
    std::array<std::uint32_t, groups_per_chunk + 1> asked;
    const std::size_t asked_count = list_asked(some, distances, known.drifts, is_settled, asked);
    const PairView view = pair_view(end, {}, {}, some);
    for (const std::uint32_t g : std::span(asked).first(asked_count)) {
      const std::size_t count = kernels.may_cross(view, g, g + 1, separators, left.data());
      for (const std::uint32_t k : std::span(left).first(count)) look(some[k], found_by_chunk_[c]);
    }
  });
  crossings.clear();
  for (const auto& some : found_by_chunk_) crossings.insert(crossings.end(), some.begin(), some.end());
  std::ranges::sort(crossings, {}, &StrandCrossing::segments);
}

}  // namespace tendril::collide
