#include "tendril/collide/near_pairs.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/grid.hpp"
#include "tendril/collide/swept_boxes.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 1024;  // of segments or pairs
constexpr std::size_t leavers_per_chunk = 16, sample_every = 32;
// Of the segments, that leave the list: in one step, and since it was made. With more of them a new list costs less.
constexpr double most_leavers = 0.02, most_leavers_so_far = 0.05;
constexpr double longest_list = 32.0;  // steps
constexpr double most_on_way = 0.1;    // of the length of a segment: how far it may go until the list is made anew
constexpr double more_ahead = 1.2;     // of the way ahead without contact, which changes little by little
// In mean radii with half of the margin, that contact leads segments elsewhere: what boxes of one step have room for.
constexpr double first_room = 4.0, least_room = 0.25;
constexpr double largest_room = 0.5;  // in mean lengths of segments
constexpr double many_strayed = 0.01, few_strayed = 0.002;
constexpr double room_of_leavers = 2.0;  // in the sum of both radii: most are still on their way in the next round
constexpr double turning_loss = 1e-12;   // likewise, after many turns

constexpr Margin nothing_more{0.0, 0.0};  // than centre lines: what passes through each other does so by these
constexpr double infinity = std::numeric_limits<double>::infinity();
const Bounds nothing{Vector3d::Constant(infinity), Vector3d::Constant(-infinity)};

std::size_t chunks_of(std::size_t count, std::size_t size = chunk) { return (count + size - 1) / size; }

bool same(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) { return std::ranges::equal(a, b); }

// In single precision, not below (above) it: far beyond the round-off of a few sums.
float up(double x) { return static_cast<float>(x * (1.0 + 1e-6) + 1e-30); }
float down(double x) { return static_cast<float>(x * (1.0 - 1e-6)); }

double size_of(const Vector3d& x) { return std::abs(x[0]) + std::abs(x[1]) + std::abs(x[2]); }

}  // namespace

void NearPairs::set_strands(const Polylines& strands) {
  if (same(offsets_, strands.offsets) && same(twins_, strands.twins)) return;
  offsets_.assign(strands.offsets.begin(), strands.offsets.end());
  twins_.assign(strands.twins.begin(), strands.twins.end());
  strands_of_vertices(strands, strand_);
  list_segments(strands, segments_);
  longest_strand_ = 0;
  for (std::size_t s = 0; s + 1 < offsets_.size(); ++s)
    longest_strand_ = std::max(longest_strand_, offsets_[s + 1] - offsets_[s]);
  const std::size_t vertices = strands.positions.size();
  for (std::vector<float>* values : {&gone_, &ahead_, &need_, &reach_, &most_, &need_before_})
    values->assign(vertices, 0.0f);
  drift_.assign(vertices, {}), approach_.assign(vertices, {});
  budget_.resize(vertices);
  place_.assign(strands.positions.begin(), strands.positions.end());
  foreseen_.resize(vertices), box_.resize(vertices), known_.resize(vertices);
  for (std::vector<char>* marks : {&mark_, &is_new_leaver_, &is_wider_, &is_out_}) marks->assign(vertices, 0);
  list_.clear(), due_.clear(), aside_.clear();
  horizon_ = {}, room_ = 0.0, strayed_ = 0;
  forget();
}

// All have left a list that there is not.
void NearPairs::forget() { std::ranges::fill(budget_, -1.0f), std::ranges::fill(most_, -1.0f); }

// Since the last step, to first order the best for some vertices: distances do not depend on it.
NearPairs::Motion NearPairs::common_motion(std::span<const Vector3d> positions) const {
  Vector3d from = Vector3d::Zero(), to = Vector3d::Zero(), moment = Vector3d::Zero();
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
  double count = 0.0;
  for (std::size_t v = 0; v < positions.size(); v += sample_every) from += place_[v], to += positions[v], ++count;
  from /= std::max(1.0, count), to /= std::max(1.0, count);
  for (std::size_t v = 0; v < positions.size(); v += sample_every) {
    const Vector3d arm = place_[v] - from, way = positions[v] - to - arm;
    moment += arm.cross(way);
    inertia += arm.squaredNorm() * Eigen::Matrix3d::Identity() - arm * arm.transpose();
  }
  Motion made;
  const Vector3d turn = inertia.ldlt().solve(moment);
  if (const double angle = turn.norm(); angle > 0.0 && angle < 1.0)
    made.turn = Eigen::AngleAxisd(angle, turn / angle).toRotationMatrix();
  made.by = to - made.turn * from;
  return made;
}

AffineNumbers NearPairs::Motion::numbers() const {
  AffineNumbers made;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) made.turn[i][j] = turn(i, j);
    made.by[i] = by[i];
  }
  return made;
}

WayView NearPairs::way_view(const Polylines& start, std::span<const Vector3d> end, std::size_t s) const {
  const std::size_t first = offsets_[s], count = offsets_[s + 1] - first;
  return {start.positions[first].data(), end[first].data(), &start.radius[first], count, largest_coordinate};
}

Ways NearPairs::ways_of(std::size_t s) {
  static_assert(sizeof(Drift) == 4 * sizeof(float));
  const std::size_t first = offsets_[s];
  return {&gone_[first], &ahead_[first], &reach_[first], &need_[first], &drift_[first].x, &approach_[first].x};
}

// False if a number is not usable.
bool NearPairs::measure(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep) {
  const Motion common = common_motion(start.positions);
  const Eigen::Matrix3d back = to_list_.turn * common.turn.transpose();
  to_list_ = {back, to_list_.by - back * common.by}, is_here_ = false;
  const AffineNumbers numbers = common.numbers();
  const auto [relative, absolute] = sweep.contacts;
  const WayKernels& kernels = way_kernels(active_isa());
  std::atomic<bool> is_usable = true;
  parallel_for(start.strand_count(), [&](std::size_t s) {
    if (offsets_[s] == offsets_[s + 1]) return;
    double* const place = place_[offsets_[s]].data();
    if (!kernels.measure(way_view(start, end, s), numbers, relative, absolute, place, ways_of(s))) is_usable = false;
  });
  return is_usable;
}

// The box that a segment sweeps, where strands were when the list was made.
Bounds NearPairs::box_in_list(const Polylines& start, std::span<const Vector3d> end, const Margin& margin,
                              std::uint32_t v) const {
  if (is_here_) return swept_box(start, end, margin, v);
  const auto& x = start.positions;
  const std::array<Vector3d, 4> corners = {to_list_(x[v]), to_list_(x[v + 1]), to_list_(end[v]), to_list_(end[v + 1])};
  Bounds box{corners[0], corners[0]};
  double size = 0.0;
  for (const Vector3d& corner : corners) box = box.with({corner, corner}), size = std::max(size, size_of(corner));
  const Vector3d room = Vector3d::Constant(grown_radius(start, margin, v) + turning_loss * size);
  return {box.low - room, box.high + room};
}

// Whether the list has all pairs of a segment: if it stays where no direction was foreseen, or within its box.
bool NearPairs::is_covered(const Polylines& start, std::span<const Vector3d> end, const Margin& margin, float room,
                           std::uint32_t v) const {
  const float way = gone_[v] + ahead_[v];
  if (way <= budget_[v] + room) return true;
  if (!(way <= most_[v] + room)) return false;
  return foreseen_[v].holds(box_in_list(start, end, margin, v));
}

void NearPairs::find_leavers(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep) {
  for (const std::uint32_t v : leavers_) mark_[v] = at_home;
  leavers_.clear();
  leavers_by_chunk_.resize(chunks_of(segments_.size()));
  parallel_for(leavers_by_chunk_.size(), [&](std::size_t c) {
    leavers_by_chunk_[c].clear();
    for (const std::uint32_t v : std::span(segments_).subspan(c * chunk, std::min(chunk, segments_.size() - c * chunk)))
      if (!is_covered(start, end, sweep.boxes, 0.0f, v)) leavers_by_chunk_[c].push_back(v);
  });
  for (const auto& some : leavers_by_chunk_) leavers_.insert(leavers_.end(), some.begin(), some.end());
}

// Room costs pairs, and what strays from its box is looked for by itself: where many have strayed in the last step,
// boxes get more room, where hardly any have, less.
void NearPairs::adapt_room(const Polylines& start) {
  double reach = 0.0, length = 0.0, count = 0.0;
  for (std::size_t k = 0; k < segments_.size(); k += sample_every, ++count) {
    const std::uint32_t v = segments_[k];
    reach += reach_[v], length += (start.positions[v + 1] - start.positions[v]).norm();
  }
  const double share = double(strayed_) / double(std::max<std::size_t>(1, segments_.size()));
  if (room_ == 0.0) room_ = first_room * reach / count;
  if (!is_for_more_) room_ *= share > many_strayed ? 1.5 : share < few_strayed ? 0.8 : 1.0;
  room_ = std::max(least_room * reach, std::min(largest_room * length, room_ * count)) / count;
}

// Whether segments go so little, in one step and a few more, that room for it does not make boxes much wider.
bool NearPairs::is_slow(const Polylines& start, double measured) const {
  double way = 0.0, length = 0.0;
  for (std::size_t k = 0; k < segments_.size(); k += sample_every) {
    const std::uint32_t v = segments_[k];
    way += ahead_[v] + 2.0 * gone_[v] / measured;
    length += (start.positions[v + 1] - start.positions[v]).norm();
  }
  return way <= most_on_way * length;
}

// Boxes of this step with room for more.
void NearPairs::foresee(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep) {
  const double measured = horizon_.age() + 1;
  if (!segments_.empty()) adapt_room(start);
  is_for_more_ = is_slow(start, measured) && horizon_.looks_ahead();
  parallel_for(chunks_of(segments_.size()), [&](std::size_t c) {
    for (const std::uint32_t v :
         std::span(segments_).subspan(c * chunk, std::min(chunk, segments_.size() - c * chunk))) {
      const double length = (start.positions[v + 1] - start.positions[v]).norm();
      const double way = std::min(longest_list * gone_[v] / measured, most_on_way * length);
      const double budget = is_for_more_ ? more_ahead * ahead_[v] + way + reach_[v] : 0.0;
      const double astray = more_ahead * ahead_[v] + grown_radius(start, sweep.boxes, v) + room_;
      budget_[v] = down(budget), most_[v] = is_for_more_ ? std::max(budget_[v], ahead_[v]) : up(astray);
      const Bounds box = swept_box(start, end, sweep.boxes, v);
      const Vector3d room = Vector3d::Constant(is_for_more_ ? budget : room_);
      foreseen_[v] = {box.low - room, box.high + room};
      gone_[v] = 0.0f, need_[v] = up(double(ahead_[v]) + reach_[v]);
      approach_[v].spread = up(double(drift_[v].spread) + reach_[v]);
    }
  });
  to_list_ = {}, is_here_ = true;
}

// From the middle of all, where single precision is fine.
void NearPairs::pack(std::span<const Vector3d> positions) {
  const GapKernels& kernels = gap_kernels(active_isa());
  const Vector3d& origin = positions[positions.size() / 2];
  single_.resize(positions.size()), most_reach_.resize(positions.size());
  parallel_for(chunks_of(positions.size() - 1), [&](std::size_t c) {
    const std::size_t first = c * chunk, count = std::min(chunk, positions.size() - 1 - first);
    for (std::size_t v = first; v < first + count; ++v) most_reach_[v] = up(double(most_[v]) + reach_[v]);
    kernels.pack(positions[first].data(), origin.data(), &most_reach_[first], count, &single_[first]);
  });
}

Status NearPairs::make_list(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep) {
  foresee(start, end, sweep);
  rows_.enter(foreseen_, segments_);
  list_.clear(), leavers_so_far_ = 0;
  if (segments_.empty()) return ok();
  pack(start.positions);
  const PairRules rules(start, true, strand_);
  found_.resize(rows_.chunk_count());
  const auto keep = [&](std::size_t c, std::span<const SlotPair> met) { return keep_near(rules, c, met); };
  if (!gather_pairs(rows_, keep)) {
    forget();
    return too_many_pairs();
  }
  for (const std::vector<Watched>& some : found_) list_.insert(list_.end(), some.begin(), some.end());
  if (is_for_more_) sort_list();
  return ok();
}

// But those that stay out of reach as long as the list lasts, most of them. Gives how many.
std::size_t NearPairs::keep_near(const PairRules& rules, std::size_t c, std::span<const SlotPair> met) {
  static_assert(sizeof(SlotPair) == 2 * sizeof(std::uint32_t));
  thread_local std::vector<float> gaps;
  thread_local std::vector<std::uint32_t> left;
  found_[c].clear();
  if (met.empty()) return 0;
  if (gaps.size() < met.size() + gaps_per_register)
    gaps.resize(met.size() + gaps_per_register), left.resize(met.size() + gaps_per_register);
  const std::size_t near =
      gap_kernels(active_isa()).within_reach(single_.data(), &met.front().a, met.size(), gaps.data(), left.data());
  for (const std::uint32_t k : std::span(left).first(near)) {
    const auto [a, b] = std::minmax(met[k].a, met[k].b);
    if (rules.may_ever_meet(a, b)) found_[c].push_back({{a, b}, gaps[k]});
  }
  return found_[c].size();
}

// In linear time but for those of one segment.
void NearPairs::sort_list() {
  first_.assign(offsets_.back() + std::size_t{1}, 0);
  for (const Watched& one : list_) ++first_[one.pair.first + 1];
  for (std::size_t v = 1; v < first_.size(); ++v) first_[v] += first_[v - 1];
  other_.resize(list_.size());
  for (const Watched& one : list_) other_[first_[one.pair.first]++] = one;
  list_.swap(other_);
  parallel_for(chunks_of(segments_.size()), [&](std::size_t c) {
    for (const std::uint32_t v : std::span(segments_).subspan(c * chunk, std::min(chunk, segments_.size() - c * chunk)))
      std::ranges::sort(list_.begin() + (v == 0 ? 0 : first_[v - 1]), list_.begin() + first_[v], {}, &Watched::pair);
  });
}

// The pairs of a chunk of the list that must be looked at in this step, and those that need not be only because both
// segments go the same way.
void NearPairs::sort_out(const PairRules& rules, std::size_t c, Sorted& found) const {
  constexpr std::size_t fetched = 16;  // pairs ahead: where second segments are in memory nobody foresees
  const std::size_t begin = c * chunk, end = std::min(list_.size(), begin + chunk);
  std::array<std::uint32_t, chunk + fetched> due;
  std::array<std::uint32_t, chunk> aside;
  std::size_t near = 0, due_count = 0, aside_count = 0;
  for (std::size_t k = begin; k < end; ++k) {
    const auto [a, b] = list_[k].pair;
    due[near] = static_cast<std::uint32_t>(k);
    near += list_[k].until <= need_[a] + need_[b];
  }
  std::fill_n(due.begin() + std::ptrdiff_t(near), fetched, static_cast<std::uint32_t>(begin));
  for (std::size_t n = 0; n < near; ++n) {
    __builtin_prefetch(&approach_[list_[due[n + fetched]].pair.second]);
    const std::uint32_t k = due[n];
    const auto& [pair, until] = list_[k];
    const bool is_aside = stay_apart(approach_[pair.first], approach_[pair.second], until);
    due[due_count] = aside[aside_count] = k;
    due_count += !is_aside, aside_count += is_aside;
  }
  found.aside.assign(aside.begin(), aside.begin() + std::ptrdiff_t(aside_count));
  found.due.clear();
  for (const std::uint32_t k : std::span(due).first(due_count))
    if (counts(rules, list_[k].pair)) found.due.push_back(k);
}

// Not if the list has nothing to say of one of them, or if they are too near to each other on one strand.
bool NearPairs::counts(const PairRules& rules, const SegmentPair& pair) const {
  const auto [a, b] = pair;
  if (!leavers_.empty() && (mark_[a] == away || mark_[b] == away)) return false;
  return b - a >= longest_strand_ || rules.are_apart(a, b);
}

void NearPairs::find_due(const PairRules& rules, std::vector<SegmentPair>& pairs) {
  sorted_.resize(chunks_of(list_.size()));
  parallel_for(sorted_.size(), [&](std::size_t c) { sort_out(rules, c, sorted_[c]); });
  due_.clear(), aside_.clear();
  for (const auto& [due, aside] : sorted_) {
    due_.insert(due_.end(), due.begin(), due.end());
    aside_.insert(aside_.end(), aside.begin(), aside.end());
  }
  pairs.resize(due_.size());
  parallel_for(chunks_of(due_.size()), [&](std::size_t c) {
    for (std::size_t k = c * chunk; k < std::min(due_.size(), (c + 1) * chunk); ++k) pairs[k] = list_[due_[k]].pair;
  });
}

// Pairs that were set aside and do not go the same way any more, each once.
void NearPairs::take_back(const PairRules& rules, std::vector<SegmentPair>& pairs) {
  constexpr auto taken = std::numeric_limits<std::uint32_t>::max();
  const std::size_t chunks = chunks_of(aside_.size());
  gatherer_.begin(chunks);
  parallel_for(chunks, [&](std::size_t c) {
    for (std::size_t k = c * chunk; k < std::min(aside_.size(), (c + 1) * chunk); ++k) {
      if (aside_[k] == taken) continue;
      const auto& [pair, until] = list_[aside_[k]];
      const auto [a, b] = pair;
      const float apart = until - (gone_[a] + gone_[b]);
      if (apart > ahead_[a] + ahead_[b] || stay_apart(drift_[a], drift_[b], apart)) continue;
      if (counts(rules, pair)) gatherer_.of_chunk(c).push_back(pair);
      aside_[k] = taken;
    }
  });
  gatherer_.add_to(pairs);
}

Status NearPairs::find(const Polylines& start, std::span<const Vector3d> end, const Sweep& sweep,
                       std::vector<SegmentPair>& pairs) {
  pairs.clear();
  if (Status usable = check_sizes(start); !usable) return usable;
  for (const Margin& margin : {sweep.contacts, sweep.boxes})
    if (Status usable = check(margin); !usable) return usable;
  if (end.size() != start.positions.size())
    return Error{"polylines", "start and end of the step differ in their number of vertices"};
  set_strands(start);
  if (!measure(start, end, sweep)) {
    forget();
    if (Status usable = check(start); !usable) return usable;
    if (Status usable = check_positions(end, start.offsets); !usable) return usable;
  }
  find_leavers(start, end, sweep);
  const auto share = [&](double of) { return std::size_t(of * double(segments_.size())); };
  leavers_so_far_ += leavers_.size();
  if (leavers_.size() > share(most_leavers) || leavers_so_far_ > share(most_leavers_so_far)) {
    leavers_.clear();
    if (Status made = make_list(start, end, sweep); !made) return made;
  } else {
    horizon_.count_step();
  }
  strayed_ = 0;
  for (const std::uint32_t v : leavers_) {
    mark_[v] = away, is_new_leaver_[v] = 1;
    box_[v] = box_in_list(start, end, sweep.boxes, v), known_[v] = nothing;
  }
  new_leavers_ = leavers_;
  const PairRules rules(start, true, strand_);
  find_due(rules, pairs);
  find_at_leavers(rules, pairs);
  return ok();
}

void NearPairs::learn(std::span<const float> distances) {
  parallel_for(chunks_of(due_.size()), [&](std::size_t c) {
    for (std::size_t k = c * chunk; k < std::min(due_.size(), (c + 1) * chunk); ++k) {
      auto& [pair, until] = list_[due_[k]];
      until = down(double(distances[k]) + gone_[pair.first] + gone_[pair.second]);
    }
  });
}

// Whether all of a strand is still covered by what find() has looked at; if not, which of its segments are out.
bool NearPairs::measure_again(const Polylines& start, std::span<const Vector3d> end, std::uint32_t s) {
  const std::uint32_t first = offsets_[s], count = offsets_[s + 1] - first;
  if (count == 0) return true;
  const bool is_same = way_kernels(active_isa()).measure_again(way_view(start, end, s), &budget_[first], ways_of(s));
  if (is_same &&
      std::ranges::all_of(std::span(mark_).subspan(first, count - 1), [](char mark) { return mark == at_home; }))
    return true;
  for (std::uint32_t v = first; v + 1 < first + count; ++v)
    is_out_[v] = mark_[v] != at_home || !is_covered(start, end, nothing_more, reach_[v], v);
  return false;
}

bool NearPairs::is_usable(std::span<const Vector3d> end, std::uint32_t s) const {
  const std::uint32_t first = offsets_[s], count = offsets_[s + 1] - first;
  return clearance_kernels(active_isa()).are_below(end[first].data(), 3 * std::size_t(count), largest_coordinate);
}

// What has left what was looked at has room for more of the same.
void NearPairs::widen(const Polylines& start, std::span<const Vector3d> end, std::uint32_t s) {
  for (std::uint32_t v = offsets_[s]; v + 1 < offsets_[s + 1]; ++v) {
    const double room = room_of_leavers * (start.radius[v] + start.radius[v + 1]);
    if (is_out_[v] != 0) leave(box_in_list(start, end, nothing_more, v), room, v);
    if (mark_[v] == away || gone_[v] + ahead_[v] <= need_[v]) continue;
    need_before_[v] = need_[v], need_[v] = up(double(gone_[v]) + ahead_[v] + room);
    is_wider_[v] = 1, wider_.push_back(v);
  }
}

void NearPairs::leave(const Bounds& box, double room, std::uint32_t v) {
  const Bounds larger{box.low - Vector3d::Constant(room), box.high + Vector3d::Constant(room)};
  if (mark_[v] != at_home && box_[v].holds(box)) return;
  if (mark_[v] == at_home) leavers_.push_back(v), box_[v] = foreseen_[v], ++strayed_;
  const bool list_counts = mark_[v] != away && gone_[v] + ahead_[v] <= most_[v] + reach_[v];
  known_[v] = list_counts || mark_[v] == away ? box_[v] : nothing;
  box_[v] = box_[v].with(larger), mark_[v] = list_counts ? strayed : away;
  is_new_leaver_[v] = 1, new_leavers_.push_back(v);
}

Status NearPairs::find_astray(const Polylines& start, std::span<const Vector3d> end,
                              std::span<const std::uint32_t> strands, std::vector<SegmentPair>& pairs) {
  if (!same(offsets_, start.offsets) || end.size() != start.positions.size() || need_.size() != end.size())
    return Error{"polylines", "find_astray follows a find of the same strands"};
  is_checked_.resize(strands.size());
  parallel_for(strands.size(), [&](std::size_t k) { is_checked_[k] = measure_again(start, end, strands[k]); });
  const PairRules rules(start, true, strand_);
  take_back(rules, pairs);
  if (std::ranges::find(is_checked_, 0) == is_checked_.end()) return ok();
  for (std::size_t k = 0; k < strands.size(); ++k)
    if (is_checked_[k] == 0 && !is_usable(end, strands[k])) return check_positions(end, start.offsets);
  new_leavers_.clear(), wider_.clear();
  for (std::size_t k = 0; k < strands.size(); ++k)
    if (is_checked_[k] == 0) widen(start, end, strands[k]);
  find_wider(rules, pairs);
  find_at_leavers(rules, pairs);
  return ok();
}

// Pairs of the list that were out of reach before.
void NearPairs::find_wider(const PairRules& rules, std::vector<SegmentPair>& pairs) {
  if (wider_.empty()) return;
  const auto before = [&](std::uint32_t v) { return is_wider_[v] != 0 ? need_before_[v] : need_[v]; };
  for (const auto& [pair, until] : list_) {
    const auto [a, b] = pair;
    if ((is_wider_[a] | is_wider_[b]) == 0 || mark_[a] == away || mark_[b] == away) continue;
    if (until <= need_[a] + need_[b] && until > before(a) + before(b) && rules.are_apart(a, b)) pairs.push_back(pair);
  }
  for (const std::uint32_t v : wider_) is_wider_[v] = 0;
}

// With those that have not left, which are somewhere in the boxes of the list, and among each other.
void NearPairs::find_at_leavers(const PairRules& rules, std::vector<SegmentPair>& pairs) {
  if (new_leavers_.empty()) return;
  const std::span<const std::uint32_t> some = new_leavers_;
  const std::size_t chunks = chunks_of(some.size(), leavers_per_chunk);
  gatherer_.begin(chunks + 1);
  near_.resize(static_cast<std::size_t>(thread_count()));
  parallel_for(chunks, [&](std::size_t c) {
    std::vector<std::uint32_t>& near = near_[static_cast<std::size_t>(worker_index())];
    const std::size_t first = c * leavers_per_chunk;
    for (const std::uint32_t v : some.subspan(first, std::min(leavers_per_chunk, some.size() - first))) {
      near.clear();
      rows_.find_at(box_[v], near);
      for (const std::uint32_t other : near) {
        const auto [i, j] = std::minmax(v, other);
        if (mark_[other] == at_home && box_[v].meets(foreseen_[other]) && !known_[v].meets(foreseen_[other]) &&
            rules.may_meet(i, j))
          gatherer_.of_chunk(c).push_back({i, j});
      }
    }
  });
  leaver_pairs_.clear();
  leaver_rows_.enter(box_, leavers_);
  for (std::size_t c = 0; c < leaver_rows_.chunk_count(); ++c) leaver_rows_.find_pairs(c, leaver_pairs_);
  const auto known = [&](std::uint32_t v) -> const Bounds& { return is_new_leaver_[v] != 0 ? known_[v] : box_[v]; };
  for (const auto& [a, b] : leaver_pairs_) {
    const auto [i, j] = std::minmax(a, b);
    if (box_[i].meets(box_[j]) && !known(i).meets(known(j)) && rules.may_meet(i, j))
      gatherer_.of_chunk(chunks).push_back({i, j});
  }
  for (const std::uint32_t v : new_leavers_) is_new_leaver_[v] = 0;
  gatherer_.add_to(pairs);
}

}  // namespace tendril::collide
