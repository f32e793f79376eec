#include "tendril/collide/narrow.hpp"

#include <algorithm>
#include <array>
#include <atomic>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/pair_view.hpp"
#include "tendril/collide/segment_pair.hpp"
#include "tendril/collide/segment_pair_kernels.hpp"
#include "tendril/collide/swept_boxes.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 128, groups_per_chunk = chunk / pairs_per_group;
constexpr std::size_t groups_at_once = 16, pairs_at_once = groups_at_once * pairs_per_group;  // what a cache holds
// A middle that is deeper than both ends of a facing stretch by less than this part of the radii adds nothing.
constexpr double deeper = 0.01;

struct PairOfSegments {
  const Polylines& strands;
  const NarrowOptions& options;
  const LastContacts& last;
  SegmentPair pair;
  std::uint32_t strand_a, strand_b;

  Segment segment(std::uint32_t v) const { return {strands.positions[v], strands.positions[v + 1]}; }
  double radius(std::uint32_t v, double along) const {
    return strands.radius[v] + along * (strands.radius[v + 1] - strands.radius[v]);
  }
  // Points of both, with what all ask for.
  struct Place {
    SegmentPoints at;
    double distance, radii, margin, gap;
  };
  Place place(const SegmentPointsGroup& of, std::size_t lane) const {
    const SegmentPoints at{of.s[lane], of.t[lane], {of.apart[0][lane], of.apart[1][lane], of.apart[2][lane]}};
    const double a = radius(pair.first, at.s), b = radius(pair.second, at.t), distance = of.distance[lane];
    return {at, distance, a + b, options.margin.between(a, b), distance - (a + b)};
  }
  bool within_margin(const Place& here) const {
    return here.gap < here.margin || (here.gap + recess(here) < here.margin && sweeps_meet(here));
  }
  Vector3d motion(std::uint32_t v, double along) const {
    return options.motion[v] + along * (options.motion[v + 1] - options.motion[v]);
  }
  // Boxes that reach farther about two points than these are apart need not be made.
  bool sweeps_meet(const Place& here) const {
    if (options.end.empty()) return true;
    const auto reach = [&](std::uint32_t v) { return grown_radius(strands, options.sweep_margin, v); };
    if (here.distance <= (1.0 - 1e-9) * (reach(pair.first) + reach(pair.second))) return true;
    const auto box = [&](std::uint32_t v) { return swept_box(strands, options.end, options.sweep_margin, v); };
    return box(pair.first).meets(box(pair.second));
  }
  // By how much the motion widens the gap.
  double recess(const Place& here) const {
    if (options.motion.empty() || !(here.distance > 0.0)) return 0.0;
    const SegmentPoints& at = here.at;
    return at.apart.dot(motion(pair.first, at.s) - motion(pair.second, at.t)) / here.distance;
  }

  Contact contact(const Place& here) const {
    const SegmentPoints& at = here.at;
    const Segment p = segment(pair.first), q = segment(pair.second);
    Contact made;
    made.a = {strand_a, pair.first - strands.offsets[strand_a], at.s};
    made.b = {strand_b, pair.second - strands.offsets[strand_b], at.t};
    made.point_a = p.at(at.s), made.point_b = q.at(at.t);
    made.gap = here.gap;
    made.normal = here.distance > coincident * here.radii
                      ? Vector3d(at.apart / here.distance)
                      : normal_of_coincident(p.direction(), q.direction(), last.remember(made.a, made.b));
    made.side = made.normal.dot(p.direction().cross(q.direction())) < 0.0 ? -1.0 : 1.0;
    return made;
  }

  // Whether the strands come closer still beyond the end of one of the segments: then the contact is that of the next
  // segment. Not asked of one strand, where the next pair may be one that is left out.
  bool goes_on(const SegmentPoints& at) const {
    return strand_a != strand_b && (closer_beyond(pair.first, strand_a, at.s, at.apart) ||
                                    closer_beyond(pair.second, strand_b, at.t, -at.apart));
  }
  bool closer_beyond(std::uint32_t v, std::uint32_t strand, double along, const Vector3d& apart) const {
    const auto& x = strands.positions;
    const bool next = along == 1.0 && v + 2 < strands.offsets[strand + 1],
               previous = along == 0.0 && v > strands.offsets[strand];
    if (!next && !previous) return false;
    const Vector3d onward = next ? x[v + 2] - x[v + 1] : x[v - 1] - x[v];
    return apart.dot(onward) < -1e-6 * apart.norm() * onward.norm();
  }

  // Whether segments so far apart can be within the margin anywhere, now or by their motion.
  bool may_touch(double distance) const {
    const auto largest = [&](std::uint32_t v) { return std::max(strands.radius[v], strands.radius[v + 1]); };
    const double a = largest(pair.first), b = largest(pair.second);
    const double beyond = distance - (a + b) - options.margin.between(a, b);
    return beyond < 0.0 || beyond * beyond < squared_approach_bound();
  }
  double squared_approach_bound() const {
    if (options.motion.empty()) return 0.0;
    double bound = 0.0;
    for (const std::uint32_t i : {pair.first, pair.first + 1})
      for (const std::uint32_t j : {pair.second, pair.second + 1})
        bound = std::max(bound, (options.motion[i] - options.motion[j]).squaredNorm());
    return bound;
  }

  // From what lanes have found of the pair.
  void find(const SegmentPairGroup& of, std::size_t lane, std::vector<Contact>& contacts) const {
    const Place middle = place(of.closest, lane);
    if (!may_touch(middle.distance)) return;
    double ends = std::numeric_limits<double>::infinity();  // [m], the smaller gap of a stretch with two contacts
    if (of.faces[lane] != 0.0) {
      const Place from = place(of.first, lane), to = place(of.last, lane);
      if (within_margin(from) && within_margin(to)) {
        contacts.push_back(contact(from)), contacts.push_back(contact(to));
        ends = std::min(from.gap, to.gap);
      }
    }
    if (middle.gap < ends - deeper * middle.radii && within_margin(middle) && !goes_on(middle.at))
      contacts.push_back(contact(middle));
  }
};

}  // namespace

void Narrow::set_reach(const Polylines& strands, const Margin& margin) {
  reach_.resize(strands.radius.size());
  parallel_for(strands.strand_count(), [&](std::size_t s) {
    for (std::size_t v = strands.offsets[s]; v + 1 < strands.offsets[s + 1]; ++v)
      reach_[v] = margin.grown(std::max(strands.radius[v], strands.radius[v + 1]));
  });
}

// Pairs that may touch, sorted.
void Narrow::sift(const Polylines& strands, std::span<const SegmentPair> pairs, std::span<const Vector3d> motion) {
  const std::size_t groups = (pairs.size() + pairs_per_group - 1) / pairs_per_group;
  const std::size_t chunks = (pairs.size() + chunk - 1) / chunk;
  const PairKernels& kernels = pair_kernels(active_isa());
  const PairView view = pair_view(strands.positions, motion, reach_, pairs);
  separators_.resize(groups), distances_.resize((groups + 1) * pairs_per_group);
  gatherer_.begin(chunks);
  parallel_for(chunks, [&](std::size_t c) {
    std::array<std::uint32_t, chunk + pairs_per_group> left;
    const std::size_t first = c * groups_per_chunk, end = std::min(groups, first + groups_per_chunk);
    const std::size_t count = kernels.may_touch(view, first, end, separators_.data(), distances_.data(), left.data());
    for (const std::uint32_t k : std::span(left).first(count)) gatherer_.of_chunk(c).push_back(pairs[k]);
  });
  near_.clear();
  gatherer_.add_to(near_);
  if (!std::ranges::is_sorted(near_)) gatherer_.sorted(strands.positions.size(), near_);
}

void Narrow::find(const Polylines& strands, std::span<const SegmentPair> pairs, const NarrowOptions& options,
                  const LastContacts& last, ContactRefs& contacts) {
  if (!std::ranges::equal(offsets_, strands.offsets)) {
    offsets_.assign(strands.offsets.begin(), strands.offsets.end());
    strands_of_vertices(strands, strand_);
  }
  set_reach(strands, options.margin);
  sift(strands, pairs, options.motion);
  const std::size_t chunks = (near_.size() + chunk - 1) / chunk;
  found_by_chunk_.resize(std::max(found_by_chunk_.size(), chunks));
  for (std::size_t c = chunks; c < found_by_chunk_.size(); ++c) found_by_chunk_[c].clear();
  std::atomic<std::size_t> found = 0;
  const SegmentPairKernels& kernels = segment_pair_kernels(active_isa());
  const PairView view = pair_view(strands.positions, {}, {}, near_);
  parallel_for(chunks, [&](std::size_t c) {
    found_by_chunk_[c].clear();
    if (found > options.most) return;
    const std::size_t groups = (near_.size() + pairs_per_group - 1) / pairs_per_group;
    const std::size_t first = c * groups_per_chunk, end = std::min(groups, first + groups_per_chunk);
    std::array<SegmentPairGroup, groups_at_once> measured;
    for (std::size_t g = first; g < end; g += groups_at_once) {
      kernels.measure(view, g, std::min(end, g + groups_at_once), measured.data());
      const std::size_t begin = g * pairs_per_group, beyond = std::min(near_.size(), begin + pairs_at_once);
      for (std::size_t k = begin; k < beyond; ++k) {
        const auto& [i, j] = near_[k];
        const PairOfSegments both{strands, options, last, near_[k], strand_[i], strand_[j]};
        both.find(measured[(k - begin) / pairs_per_group], k % pairs_per_group, found_by_chunk_[c]);
      }
    }
    found += found_by_chunk_[c].size();
  });
  contacts.clear();
  found_ = found, most_ = options.most;
  if (has_found_too_many()) return;
  merge_contacts(strands, options.spacing, found_by_chunk_, contacts);
}

}  // namespace tendril::collide
