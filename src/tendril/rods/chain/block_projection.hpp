// The closest chains with links of given lengths, of one block (docs/theory/chain.md, Eqs. 1-12): Newton's method on
// the product of spheres, and far from the solution the two-stage step beside it. Every iterate has its lengths.
#pragma once

#include "tendril/rods/chain/block.hpp"
#include "tendril/rods/chain/newton_search.hpp"
#include "tendril/rods/chain/project_kernels.hpp"
#include "tendril/rods/chain/start_links.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

// Of blocks of the type B: chains that resist bending have one of their own.
template <class S, class B = Block<S>, class View = BlockView<Element<S>>>
class BlockProjection {
 public:
  using T = Element<S>;
  using V3 = Vec3<S>;

  BlockProjection(const View& view, const BlockOptions& options, S* memory)
      : view_(view), options_(options), block_(view.points, memory) {}

  void run() {
    start();
    for (int k = 0;; ++k) {
      measure();
      settle(k);
      if (!any(active_)) break;
      if (options_.method == BlockMethod::two_stage)
        plain_two_stage_step();
      else
        step();
    }
    finish();
  }

 private:
  static constexpr double far_away = 0.1;       // a residual, above which the two-stage step is tried too
  static constexpr double very_far_away = 0.3;  // likewise, and the one that turns what stands on its head
  static constexpr double falling_fast =
      0.3;  // a residual over the one before: two stages are then not tried against Newton
  static constexpr double decrease = 1e-4;    // of the slope, that the two-stage step must reach (Armijo)
  static constexpr double kick_angle = 0.01;  // [rad], out of a saddle
  static constexpr double most_kicks = 3.0;
  static constexpr double uneven_masses = 100.0;  // ratio above which light points are looked at by themselves
  static constexpr double very_uneven_masses = 1e3;

  static TENDRIL_INLINE S number(double value) { return broadcast<S>(value); }

  void start() {
    B& b = block_;
    constexpr std::size_t w = std::size_t(lane_count<S>);
    const S zero{}, one = number(1.0);
    S lightest = zero, heaviest = number(1e30), links = zero, length = zero;
    for (std::size_t i = 0; i < b.points; ++i) {
      b.p[i] = load3<S>(view_.prediction + 3 * i * w);
      b.w[i] = load<S>(view_.inverse_mass + i * w);
      lightest = maximum(lightest, b.w[i]);
      heaviest = b.w[i] > zero ? minimum(heaviest, b.w[i]) : heaviest;
    }
    for (std::size_t i = 0; i < b.links; ++i) {
      b.length[i] = load<S>(view_.length + i * w);
      length += b.length[i], links += b.length[i] > zero ? one : zero;
    }
    b.set_masses();
    if constexpr (requires { b.load_joints(view_); }) b.load_joints(view_);
    mean_length_ = length / links;
    scale_ = one / (square_root(b.total_mass) * mean_length_);
    is_uneven_ = lightest > number(uneven_masses) * heaviest;
    is_very_uneven_ = lightest > number(very_uneven_masses) * heaviest;
    set_start_links(view_, b.length, b.links, b.z);
    twice_ = b.place(b.z, b.x);
    active_ = zero == zero, seen_ = zero != zero, round_off_ = seen_, stalled_ = seen_, converged_ = seen_,
    was_damped_ = seen_;
    kicks_ = slow_ = iterations_ = zero;
    last_residual_ = number(1e30);
  }

  void find_multipliers() {
    block_.multipliers();
    if (any(is_very_uneven_)) block_.refine(is_very_uneven_);
  }

  // Multipliers, and the residual (Eq. 7).
  void measure() {
    const B& b = block_;
    find_multipliers();
    const S relative = b.sizes.sum * scale_, worst = b.sizes.largest / mean_length_;
    residual_ = is_uneven_ ? maximum(worst, relative) : relative;
  }

  // Which chains have come to their end, and are no saddles.
  void settle(int k) {
    B& b = block_;
    const S zero{}, one = number(1.0), tolerance = tolerance_of<S>(view_, options_.tolerance);
    const S settled = maximum(number(Precision<T>::settled), tolerance);
    const auto near = active_ & (residual_ <= settled) & !seen_;
    if (any(near) && options_.method != BlockMethod::two_stage) {
      auto saddle = near & !b.is_convex();
      if (any(saddle)) saddle = saddle & !b.eliminate({}) & (kicks_ < number(most_kicks));
      if (any(saddle)) kick(saddle, k);
      seen_ = seen_ | (near & !saddle);
      residual_ = saddle ? one : residual_;
    }
    const auto done = active_ & (residual_ <= tolerance);
    const double share = options_.method == BlockMethod::two_stage ? 1.0 : 0.5;  // that two stages take off at best
    const auto is_small = residual_ <= number(Precision<T>::round_off);
    slow_ += is_small ? slowness<S>(residual_, last_residual_, was_damped_, share) : zero;
    const auto ended = active_ & !done & ((slow_ >= number(too_slow)) | (stalled_ & is_small));
    converged_ = converged_ | done, round_off_ = round_off_ | ended;
    falls_fast_ = residual_ < number(falling_fast) * last_residual_;
    last_residual_ = active_ ? residual_ : last_residual_;
    iterations_ = active_ ? number(k) : iterations_;
    active_ = active_ & !(done | ended | stalled_);
    if (k >= options_.max_iterations) active_ = zero != zero;
  }

  // Every link turned a little, in directions that are the same in every run.
  void kick(const Mask<S>& which, int k) {
    B& b = block_;
    std::uint64_t random = 0x9e3779b97f4a7c15u * std::uint64_t(k + 1);
    const auto next = [&]() TENDRIL_INLINE_LAMBDA {
      random = random * 6364136223846793005u + 1442695040888963407u;
      return double(random >> 40) * (2.0 / 16777216.0) - 1.0;
    };
    for (std::size_t i = 0; i < b.links; ++i) {
      const double x = next(), y = next(), z = next();
      const S by = number(kick_angle) * b.length[i];
      const V3 turned = b.z[i] + V3{number(x) * by, number(y) * by, number(z) * by};
      b.trial_z[i] = select(which, Block<S>::in_length(turned, b.length[i], b.z[i]), b.z[i]);
    }
    const S twice = b.place(b.trial_z, b.trial_x);
    take_trial();
    twice_ = which ? twice : twice_;
    kicks_ += which ? number(1.0) : S{};
    find_multipliers();
  }

  void take_trial() {
    V3 *const z = block_.z, *const x = block_.x;
    block_.z = block_.trial_z, block_.x = block_.trial_x;
    block_.trial_z = z, block_.trial_x = x;
  }

  void keep_as_best() {
    B& b = block_;
    V3 *const z = b.best_z, *const x = b.best_x;
    b.best_z = b.trial_z, b.best_x = b.trial_x, b.trial_z = z, b.trial_x = x;
  }

  // The trial becomes another where the mask says so.
  void choose_trial(const Mask<S>& other, const V3* z, const V3* x) {
    B& b = block_;
    for (std::size_t i = 0; i < b.points; ++i) b.trial_x[i] = select(other, x[i], b.trial_x[i]);
    for (std::size_t i = 0; i < b.links; ++i) b.trial_z[i] = select(other, z[i], b.trial_z[i]);
  }

  void plain_two_stage_step() {
    block_.two_stage_step();
    twice_ = block_.try_step(active_ ? number(1.0) : S{});
    take_trial();
  }

  void step() {
    B& b = block_;
    const S zero{}, one = number(1.0), half = number(0.5), before = half * twice_;
    auto has_best = zero != zero;
    S best = before;
    const auto early = active_ & (residual_ > number(far_away));
    if (options_.method == BlockMethod::hybrid && any(early)) {
      const S gain = b.two_stage_step();
      S value = half * b.try_step(early ? one : zero);
      has_best = early & (value < before - number(decrease) * gain);
      best = has_best ? value : before;
      keep_as_best();
      const auto very_early = early & (residual_ > number(very_far_away)) & b.is_pushed();
      if (any(very_early)) {
        b.turned_step();
        value = half * b.try_step(very_early ? one : zero);
        const auto better = very_early & (value < best);
        best = better ? value : best, has_best = has_best | better;
        choose_trial(!better, b.best_z, b.best_x);
        keep_as_best();
      }
    }
    const auto alone = has_best & falls_fast_;
    if (!any(active_ & !alone)) {
      keep_as_best();
      twice_ = active_ ? best + best : twice_;
      take_trial();
      return;
    }
    const NewtonTask<S> task{active_, has_best, before, Precision<T>::noise};
    const auto eliminate = [&](const Damping<S>& damping) TENDRIL_INLINE_LAMBDA { return b.eliminate(damping); };
    const auto solve = [&](const Damping<S>& damping) TENDRIL_INLINE_LAMBDA { return b.newton_step(damping); };
    const auto try_step = [&](const S& alpha) TENDRIL_INLINE_LAMBDA { return half * b.try_step(alpha); };
    const NewtonStep<S> newton = find_newton_step(task, eliminate, solve, try_step);
    stalled_ = stalled_ | (newton.stalled & !has_best);
    was_damped_ = newton.is_damped & !alone;
    S value = newton.value;
    if (any(has_best)) {
      const auto better = alone | (has_best & !(value < best));
      choose_trial(better, b.best_z, b.best_x);
      value = better ? best : value;
    }
    twice_ = value + value;
    take_trial();
  }

  void finish() {
    B& b = block_;
    constexpr std::size_t w = std::size_t(lane_count<S>);
    for (std::size_t i = 0; i < b.points; ++i) store3(b.x[i], view_.positions + 3 * i * w);
    for (std::size_t i = 0; i < b.links; ++i) store(b.lam[i], view_.multipliers + i * w);
    // Nothing is certain of what is not stationary.
    const S tolerance = tolerance_of<S>(view_, options_.tolerance);
    const auto is_certain = b.is_convex() & (last_residual_ <= maximum(number(Precision<T>::stationary), tolerance));
    for (int lane = 0; lane < lane_count<S>; ++lane) {
      view_.status[lane] = is_set(converged_, lane)   ? Status::ok
                           : is_set(round_off_, lane) ? Status::round_off
                           : is_set(stalled_, lane)   ? Status::stalled
                                                      : Status::not_converged;
      view_.iterations[lane] = std::int32_t(lane_of(iterations_, lane));
      view_.residual[lane] = lane_of(last_residual_, lane);
      view_.certified[lane] = is_set(is_certain, lane) && (is_set(converged_, lane) || is_set(round_off_, lane));
    }
  }

  const View& view_;
  const BlockOptions& options_;
  B block_;
  S mean_length_, scale_, twice_, residual_, last_residual_, kicks_, slow_, iterations_;
  Mask<S> is_uneven_, is_very_uneven_, active_, seen_, converged_, round_off_, stalled_, was_damped_;
  Mask<S> falls_fast_;  // so that two stages alone do
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
