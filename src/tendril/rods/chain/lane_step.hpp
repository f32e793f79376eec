// A step of one lane group of chains that are held at their first points or by nothing, with nothing around them
// (docs/theory/chain.md, "Steps in lanes"): prediction, projection by Newton's method in the directions of the links,
// velocities and frames, from the state of the rods to that after the step.
#pragma once

#include "tendril/geometry/transport.hpp"
#include "tendril/linalg/lane_masks.hpp"
#include "tendril/rods/chain/direction_block.hpp"
#include "tendril/rods/chain/lane_kernels.hpp"
#include "tendril/rods/der/layout.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
class LaneStep {
 public:
  using V3 = Vec3<S>;
  using Block = DirectionBlock<S>;
  using Slot = typename Block::Slot;
  using State = der::StateLayout;
  using Holds = der::HoldLayout;

  LaneStep(const LaneStepView& view, void* memory) : view_(view), block_(std::size_t(view.vertices), memory) {
    first_ = value(LaneValues::first), held_end_ = value(LaneValues::held_end);
    skipped_ = value(LaneValues::skipped) > S{}, any_skipped_ = any(skipped_);
    refused_ = skipped_;
  }

  void run() {
    start();
    iterate();
    finish();
  }

 private:
  static constexpr int w = lane_count<S>;
  static constexpr int most_steps = 12;
  static constexpr double round_off = 1e-7;      // of the mean link: what may stand still because of it
  static constexpr double no_direction = 1e-14;  // of the length of a link
  static constexpr double rigid = 1e-9;          // of it, that one between held points may be off

  static TENDRIL_INLINE S number(double value) { return broadcast<S>(value); }

  TENDRIL_INLINE S value(int component) const { return load<S>(view_.lanes + component * w); }
  TENDRIL_INLINE V3 vector(int component) const { return load3<S>(view_.lanes + component * w); }
  TENDRIL_INLINE V3 rotated(int matrix, const V3& a) const {
    return {dot(vector(matrix), a), dot(vector(matrix + 3), a), dot(vector(matrix + 6), a)};
  }

  TENDRIL_INLINE S constant(int k, int component) const {
    return load<S>(view_.constants + (k * LaneConstants::components + component) * w);
  }
  TENDRIL_INLINE V3 of(const double* state, int k, int component) const {
    return load3<S>(state + (k * State::components + component) * w);
  }

  TENDRIL_INLINE Mask<S> is_real(int k) const { return number(k) >= first_; }
  TENDRIL_INLINE Mask<S> is_held(int k) const { return is_real(k) & (number(k) < held_end_); }

  // Where point k starts from: to this a step times the velocity at the end is added (Eqs. 21, 22, 30).
  TENDRIL_INLINE V3 from(int k) const {
    const V3 x = of(view_.state, k, State::position);
    if (view_.previous == nullptr) return x;
    return x + number(view_.share) * (x - of(view_.previous, k, State::position));
  }
  TENDRIL_INLINE V3 onward(int k) const {
    const V3 v = of(view_.state, k, State::velocity);
    if (view_.previous == nullptr) return v;
    return v + number(view_.share) * (v - of(view_.previous, k, State::velocity));
  }
  // Of a held point: where it ends. Called for those slots only where some lane holds one.
  TENDRIL_INLINE V3 target(int k) const {
    return load3<S>(view_.holds + (view_.hold_of[k] * Holds::components + Holds::target) * w);
  }
  TENDRIL_INLINE bool is_special(int k) const { return view_.hold_of[k] >= 0; }

  // Where a point would be without any force; a held one where it ends.
  TENDRIL_INLINE V3 unforced(int k) const {
    const V3 there = from(k) + number(view_.step) * onward(k);
    return is_special(k) ? select(is_held(k), target(k), there) : there;
  }

  // The first point's, from which all others are measured.
  V3 find_origin() {
    const int last = view_.vertices - 1;
    int k = 0;
    while (k < last && is_special(k)) ++k;
    V3 origin = unforced(k);
    block_.first_turning = std::size_t(k);
    while (k-- > 0) origin = select(is_real(k), unforced(k), origin);
    return origin;
  }

  // Predictions, and directions to start from: those of points that nothing forces, since tensions and joints leave
  // little of what does.
  void start() {
    const S zero{}, h = number(view_.step), squared = h * h;
    const V3 nothing = {zero, zero, zero};
    const V3 fall = squared * V3{number(view_.gravity[0]), number(view_.gravity[1]), number(view_.gravity[2])};
    origin_ = find_origin();
    S total = zero;
    V3 last = nothing, x = nothing, bent_from = vector(LaneValues::tangent_before);
    for (int k = 0; k < view_.vertices; ++k) {
      Slot& at = block_.slots[k];
      at.mass = constant(k, LaneConstants::mass), at.inverse_mass = constant(k, LaneConstants::inverse_mass);
      at.length = constant(k, LaneConstants::length), at.share = constant(k, LaneConstants::share);
      V3 there = unforced(k) - origin_, push = fall;
      if (view_.loads != nullptr) push = push + (squared * at.inverse_mass) * load3<S>(view_.loads + k * 4 * w);
      if (is_special(k)) {
        there = select(is_real(k), there, nothing);
        push = select(is_real(k) & !is_held(k), push, nothing);
      }
      if (k > 0) {
        set_direction(k - 1, there - last);
        x = x + block_.slots[k - 1].length * block_.slots[k - 1].e;
      }
      at.p = there + push, at.pull = at.mass * (x - at.p);
      last = there, total += at.mass;
      if (k + 1 < view_.vertices) set_joint(k, bent_from);
    }
    block_.slots[view_.vertices - 1].e = block_.slots[view_.vertices - 1].u = nothing;
    block_.inverse_total_mass = number(1.0) / total;
    block_.root = nothing;
    block_.free_roots = view_.free_roots;
    block_.is_free_root = held_end_ == first_;
  }

  void set_direction(int k, const V3& link) {
    const S zero{}, one = number(1.0);
    Slot& at = block_.slots[k];
    const S size = square_root(dot(link, link));
    at.e = (one / size) * link;
    refused_ = refused_ | (is_real(k) & !(size > number(no_direction) * at.length));
    const auto turns = is_real(k) & (number(k + 1) >= held_end_);
    if (!any(!turns)) {
      at.u = across(at.e);
      return;
    }
    refused_ = refused_ | (is_held(k) & is_held(k + 1) & !(magnitude(at.share * size - one) <= number(rigid)));
    at.e = select(turns, at.e, select(is_real(k), at.share * link, vector(LaneValues::tangent)));
    at.u = select(turns, across(at.e), {zero, zero, zero});
  }

  // Rests turn along with the root (Eq. 31). Damping is about how joints are bent now, turned as the rests turn.
  void set_joint(int k, V3& bent_from) {
    const S damping = value(LaneValues::damping), more = number(1.0) + damping;
    Slot& at = block_.slots[k];
    at.stiffness = number(view_.step * view_.step) * more * constant(k, LaneConstants::stiffness);
    const double* const drawn = view_.constants + (k * LaneConstants::components + LaneConstants::rest) * w;
    at.rest = rotated(LaneValues::turn, load3<S>(drawn));
    if (!view_.damped) return;
    const V3 now = at.share * (of(view_.state, k + 1, State::position) - of(view_.state, k, State::position));
    const V3 here = select(is_real(k), now, bent_from);
    at.rest = (number(1.0) / more) * (at.rest + damping * rotated(LaneValues::turned, here - bent_from));
    bent_from = here;
  }

  // Newton's method in full steps. What a lane does depends on it alone.
  void iterate() {
    const S zero{}, one = number(1.0), reach = value(LaneValues::reach);
    const S floor = number(round_off) * value(LaneValues::mean_length);
    auto active = !refused_, is_definite = active;
    S last = number(1e300), slow = zero, iterations = zero;
    for (int k = 0;; ++k) {
      block_.measure();
      const S& worst = block_.worst;
      const auto near = worst <= floor * floor;
      slow = near & (worst > number(0.25) * last) ? slow + one : slow;
      iterations = active ? number(k) : iterations;
      const auto done = (worst <= reach * reach) | (slow >= number(2.0));
      const auto unsolved = k == 0 ? active : active & !done;
      if (any(unsolved)) is_definite = (is_definite & !unsolved) | (solve(unsolved) & unsolved);
      const auto sound = done ? is_definite : near | (worst <= last);
      refused_ = refused_ | (active & !sound);
      active = active & sound & !done;
      last = worst;
      if (k == most_steps) refused_ = refused_ | active;
      if (k == most_steps || !any(active)) break;
      move(k, active);
    }
    for (int lane = 0; lane < w; ++lane) {
      view_.refused[lane] = is_set(refused_, lane) ? 1 : 0;
      view_.iterations[lane] = std::int32_t(lane_of(iterations, lane));
    }
  }

  // Where the matrix is not positive definite, links that push are left out of it. Returns where it was.
  Mask<S> solve(const Mask<S>& unsolved) {
    const S zero{}, one = number(1.0);
    const auto is_definite = block_.solve(one);
    if (any(unsolved & !is_definite)) block_.solve(is_definite ? one : zero);
    return is_definite;
  }

  // Meanwhile the next group is called for, once: what is read of it, and what is written.
  void move(int k, const Mask<S>& active) {
    if (k == 0)
      block_.move(active, [&](std::size_t i) TENDRIL_INLINE_LAMBDA { fetch_state(i); });
    else if (k == 1)
      block_.move(active, [&](std::size_t i) TENDRIL_INLINE_LAMBDA { fetch_out(i); });
    else
      block_.move(active, [](std::size_t) {});
  }

  // The next group lies right behind this one in memory, and comes from there while this one is in the registers.
  TENDRIL_INLINE void fetch_state(std::size_t i) const {
    const std::size_t next = std::size_t(view_.vertices) + i;
    fetch<State::velocity + 3>(view_.state + next * State::components * w);
    fetch<LaneConstants::components>(view_.constants + next * LaneConstants::components * w);
  }
  TENDRIL_INLINE void fetch_out(std::size_t i) const {
    const std::size_t next = std::size_t(view_.vertices) + i;
    fetch<State::components, true>(view_.out + next * State::components * w);
  }
  template <int components, bool to_write = false>
  static TENDRIL_INLINE void fetch(const double* from) {
    constexpr int line = 8;
    for (int at = 0; at < components * w; at += line) __builtin_prefetch(from + at, to_write ? 1 : 0, 2);
  }

  // Points, velocities, and frames that are carried along the strand.
  void finish() {
    const S zero{}, per_step = number(1.0 / view_.step);
    V3 x = origin_ + block_.root, tangent = vector(LaneValues::tangent), director = vector(LaneValues::director);
    for (int k = 0; k < view_.vertices; ++k) {
      const Slot& at = block_.slots[k];
      double* const out = view_.out + k * State::components * w;
      const bool is_last = k + 1 == view_.vertices;
      const auto real = is_real(k);
      const V3 here = is_special(k) ? select(is_held(k), target(k), x) : x;
      if (!is_last) director = select(real, carried(tangent, at.e, director), director), tangent = at.e;
      store3(here, out + State::position * w);
      store3(per_step * (here - from(k)), out + State::velocity * w);
      store3(director, out + State::director * w);
      store(zero, out + State::theta * w), store(zero, out + State::theta_velocity * w);
      store(load<S>(view_.state + (k * State::components + State::reference_twist) * w),
            out + State::reference_twist * w);
      if (is_last || is_special(k) || any_skipped_)
        keep(k, real & !skipped_, is_last ? zero != zero : real & !skipped_);
      x = x + at.length * at.e;
    }
  }

  // What no chain has stays as it is: slots before the first point, the frame at the last one, and all of a lane that
  // is skipped, whose points are not those that were looked at here.
  TENDRIL_INLINE void keep(int k, const Mask<S>& point, const Mask<S>& edge) const {
    const double* const before = view_.state + k * State::components * w;
    double* const out = view_.out + k * State::components * w;
    const auto keep_where_not = [&](const Mask<S>& mask, int component) TENDRIL_INLINE_LAMBDA {
      store(mask ? load<S>(out + component * w) : load<S>(before + component * w), out + component * w);
    };
    for (int c = 0; c < 3; ++c) {
      keep_where_not(point, State::position + c), keep_where_not(point, State::velocity + c);
      keep_where_not(edge, State::director + c);
    }
    keep_where_not(edge, State::theta), keep_where_not(edge, State::theta_velocity);
  }

  // transport_director() for any two tangents: to the opposite one it leaves the director as it is.
  static TENDRIL_INLINE V3 carried(const V3& from, const V3& to, const V3& director) {
    constexpr double nearly_opposite = 1e-8;
    const S sum = number(1.0) + dot(from, to);
    const auto opposite = sum <= number(nearly_opposite);
    const S scale = opposite ? S{} : dot(to, director) / (opposite ? number(1.0) : sum);
    V3 u = director - scale * (from + to);
    u = u - dot(u, to) * to;
    return (number(1.5) - number(0.5) * dot(u, u)) * u;
  }

  const LaneStepView& view_;
  Block block_;
  S first_, held_end_;
  V3 origin_;
  Mask<S> refused_, skipped_;
  bool any_skipped_;
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
