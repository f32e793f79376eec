// Newton's method of the projection with its linear system solved as a whole: A(D) dx + Rᵀ Qᵀ mu = g, Q R dx = 0. In
// the order x_0, x_1, mu_0, x_2, mu_1, ... a link comes after both its ends, so that L D Lᵀ needs no exchange of rows;
// it has a half-bandwidth of 7. The reduced Hessian is positive definite where there are as many negative pivots as
// links (Sylvester). All around it is as in the projection: multipliers by least squares, points made heavier until
// that is so, steps that lead down (Armijo), links put into their lengths. No point but the first may be held.
#pragma once

#include "tendril/rods/chain/newton_search.hpp"
#include "tendril/rods/chain/rival_block.hpp"
#include "tendril/rods/chain/start_links.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
class BandedRival : RivalBlock<S> {
  using Base = RivalBlock<S>;
  using Base::active_, Base::number, Base::nothing;
  using Base::points_, Base::links_, Base::p_, Base::x_, Base::weight_, Base::mobility_, Base::length_, Base::lam_;
  using typename Base::T;
  using typename Base::V3;

  static constexpr int own = 4, window = 2 * own;    // unknowns of a point and the link before it; and of the next
  static constexpr std::size_t factor_numbers = 26;  // 7 + 6 + 5 + 4 below the diagonal, 4 inverse pivots
  static constexpr double uneven_masses = 100.0;     // ratio above which light points are looked at by themselves
  static constexpr double very_uneven_masses = 1e3;  // and above which the multipliers lose digits

 public:
  static constexpr std::size_t per_point = Base::own_numbers + 4 * 3 + own + factor_numbers + 4;

  BandedRival(const BlockView<T>& view, const RivalOptions& options, S* memory) : Base(view, options, memory) {
    z_ = this->vectors(), g_ = this->vectors(), trial_z_ = this->vectors(), trial_x_ = this->vectors();
    step_ = this->take(own), factor_ = this->take(factor_numbers);
    mass_ = this->take(1), ratio_ = this->take(1), inverse_ = this->take(1), right_ = this->take(1);
    const S zero{}, one = number(1.0);
    S lightest = zero, heaviest = number(1e30), total_mass = zero, length = zero;
    for (std::size_t i = 0; i < points_; ++i) {
      const auto is_free = weight_[i] > zero;
      mass_[i] = is_free ? one / (is_free ? weight_[i] : one) : zero;
      total_mass += mass_[i];
      lightest = maximum(lightest, weight_[i]);
      heaviest = is_free ? minimum(heaviest, weight_[i]) : heaviest;
    }
    link_count_ = zero;
    for (std::size_t i = 0; i < links_; ++i) length += length_[i], link_count_ += length_[i] > zero ? one : zero;
    mean_length_ = length / link_count_;
    scale_ = one / (square_root(total_mass) * mean_length_);
    share_ = weight_[0] > zero ? one / total_mass : zero;
    is_uneven_ = lightest > number(uneven_masses) * heaviest;
    is_very_uneven_ = lightest > number(very_uneven_masses) * heaviest;
    set_start_links(this->view_, length_, links_, z_);
    z_[links_] = trial_z_[links_] = nothing();
    twice_ = place(z_, x_);
  }

  void run() {
    for (int k = 0;; ++k) {
      const S residual = measure();
      if (!this->goes_on(S{} == S{}, residual, k)) break;
      end_at_round_off(residual);
      if (!any(active_)) break;
      step();
      if (!any(active_)) break;
    }
    // A stationary chain that is no minimum is no solution, and no step leads away from it.
    const auto is_solved = this->converged_ | this->round_off_;
    const auto is_certain = is_convex(), is_doubtful = is_solved & !is_certain;
    const S tolerance = tolerance_of<S>(this->view_, this->options_.tolerance);
    const S stationary = maximum(number(Precision<T>::stationary), tolerance);
    this->certified_ = is_solved & is_certain & (this->residual_ <= stationary);
    if (any(is_doubtful)) {
      const auto is_none = is_doubtful & !factorise({});
      this->stalled_ = this->stalled_ | is_none;
      this->converged_ = this->converged_ & !is_none, this->round_off_ = this->round_off_ & !is_none;
    }
    this->finish();
  }

 private:
  void end_at_round_off(const S& residual) {
    const auto is_small = active_ & (residual <= number(Precision<T>::round_off));
    slow_ += is_small ? slowness<S>(residual, last_residual_, was_damped_) : S{};
    this->round_off_ = this->round_off_ | (active_ & (slow_ >= number(too_slow)));
    active_ = active_ & !this->round_off_;
    last_residual_ = residual;
  }

  // The closest points with these links, from the held root or about the centre of mass; what fills up a chain stays at
  // its end. Returns twice the objective.
  S place(const V3* links_of, V3* out) const {
    V3 at = p_[0], moment = nothing();
    out[0] = at;
    for (std::size_t i = 0; i < links_; ++i) {
      at = at - links_of[i];
      out[i + 1] = at, moment = moment + mass_[i + 1] * (p_[i + 1] - at);
    }
    const V3 by = share_ * moment;
    S twice{};
    for (std::size_t i = 0; i < points_; ++i) {
      const V3 here = out[i] + by, off = p_[i] - here;
      out[i] = here, twice += mass_[i] * dot(off, off);
    }
    return twice;
  }

  // Multipliers that leave the smallest gᵀ W g, and that as the residual.
  S measure() {
    for (std::size_t i = 0; i < links_; ++i) right_[i] = dot(z_[i], (p_[i] - x_[i]) - (p_[i + 1] - x_[i + 1]));
    this->template solve_links<true>(z_, z_, ratio_, inverse_, right_);
    for (std::size_t i = 0; i < links_; ++i) lam_[i] = right_[i];
    set_gradient();
    if (any(is_very_uneven_)) {
      for (std::size_t i = 0; i < links_; ++i) right_[i] = dot(z_[i], weight_[i] * g_[i] - weight_[i + 1] * g_[i + 1]);
      this->solve_links_again(ratio_, inverse_, right_);
      for (std::size_t i = 0; i < links_; ++i) lam_[i] = is_very_uneven_ ? lam_[i] + right_[i] : lam_[i];
      set_gradient();
    }
    S sum{}, largest{};
    for (std::size_t i = 0; i < points_; ++i) {
      const S square = weight_[i] * dot(g_[i], g_[i]);
      sum += square, largest = maximum(weight_[i] * square, largest);
    }
    const S relative = square_root(sum) * scale_, worst = square_root(largest) / mean_length_;
    return is_uneven_ ? maximum(worst, relative) : relative;
  }

  // g = M (p - x) - Rᵀ Qᵀ lam, 0 where nothing is free.
  void set_gradient() {
    V3 before = nothing();
    for (std::size_t i = 0; i < points_; ++i) {
      const V3 after = i < links_ ? lam_[i] * z_[i] : nothing();
      const V3 here = mass_[i] * (p_[i] - x_[i]) - (after - before);
      g_[i] = select(weight_[i] > S{}, here, nothing());
      before = after;
    }
  }

  // In a window of two blocks of unknowns, of which the first is eliminated and the second becomes the first. Rows of
  // what is not there (held points, the link before point 0, what fills up a chain) are those of the identity. True
  // where the inertia is right.
  TENDRIL_ONE_COPY Mask<S> factorise(const Damping<S>& damping) {
    const S zero{}, one = number(1.0);
    S a[window][window];  // its lower triangle
    auto is_free = weight_[0] > zero;
    const S heavier = one + damping.heavier;
    S D = damped(lam_[0], damping);
    set_point(a, 0, is_free ? heavier * mass_[0] + D : one);
    a[3][0] = a[3][1] = a[3][2] = zero, a[3][3] = one;
    auto is_regular = zero == zero;
    S negative = zero;
    for (std::size_t k = 0; k < points_; ++k) {
      const bool has_next = k < links_;
      const S D_after = k + 1 < links_ ? damped(lam_[k + 1], damping) : zero;
      const Mask<S> next_is_free = has_next ? weight_[k + (has_next ? 1 : 0)] > zero : zero != zero;
      const Mask<S> has_link = has_next ? mobility_[k] > zero : zero != zero;
      const V3 link = z_[k];
      const S beside = is_free & next_is_free ? -D : zero;
      const V3 here = select(is_free, link, nothing()), there = select(next_is_free, -link, nothing());
      set_point(a, own, next_is_free ? heavier * mass_[k + (has_next ? 1 : 0)] + D + D_after : one);
#pragma GCC unroll 4
      for (int r = 0; r < own; ++r)
#pragma GCC unroll 4
        for (int c = 0; c < own; ++c) a[own + r][c] = r == c && r < 3 ? beside : zero;
      a[7][0] = here.x, a[7][1] = here.y, a[7][2] = here.z;
      a[7][4] = there.x, a[7][5] = there.y, a[7][6] = there.z, a[7][7] = has_link ? zero : one;

      S* out = factor_ + factor_numbers * k;
#pragma GCC unroll 4
      for (int j = 0; j < own; ++j) {
        const S pivot = a[j][j];
        negative += pivot < zero ? one : zero;
        is_regular = is_regular & (pivot != zero);
        const S inverse = one / (pivot == zero ? one : pivot);
        *out++ = inverse;
#pragma GCC unroll 8
        for (int c = j + 1; c < window; ++c) {
          const S l = a[c][j] * inverse;
          *out++ = l;
#pragma GCC unroll 8
          for (int r = c; r < window; ++r) a[r][c] -= l * a[r][j];
        }
      }
#pragma GCC unroll 4
      for (int r = 0; r < own; ++r)
#pragma GCC unroll 4
        for (int c = 0; c <= r; ++c) a[r][c] = a[own + r][own + c];
      is_free = next_is_free, D = D_after;
    }
    return is_regular & (negative == link_count_);
  }
  static TENDRIL_INLINE void set_point(S (&a)[window][window], int at, const S& diagonal) {
    const S zero{};
    a[at][at] = a[at + 1][at + 1] = a[at + 2][at + 2] = diagonal;
    a[at + 1][at] = a[at + 2][at] = a[at + 2][at + 1] = zero;
  }

  // After factorise(): dx and mu. Returns g·dx.
  TENDRIL_ONE_COPY S solve() {
    S b[window];
    b[0] = g_[0].x, b[1] = g_[0].y, b[2] = g_[0].z, b[3] = S{};
    for (std::size_t k = 0; k < points_; ++k) {
      const V3 next = k < links_ ? g_[k + 1] : nothing();
      b[4] = next.x, b[5] = next.y, b[6] = next.z, b[7] = S{};
      const S* l = factor_ + factor_numbers * k;
#pragma GCC unroll 4
      for (int j = 0; j < own; ++j) {
        step_[own * k + std::size_t(j)] = b[j] * *l++;
#pragma GCC unroll 8
        for (int r = j + 1; r < window; ++r) b[r] -= *l++ * b[j];
      }
#pragma GCC unroll 4
      for (int j = 0; j < own; ++j) b[j] = b[own + j];
    }
    S gain{};
    b[4] = b[5] = b[6] = b[7] = S{};
    for (std::size_t k = points_; k-- > 0;) {
      const S* l = factor_ + factor_numbers * (k + 1);
      S* const here = step_ + own * k;
#pragma GCC unroll 4
      for (int j = own - 1; j >= 0; --j) {
        S value = here[j];
#pragma GCC unroll 8
        for (int r = window - 1; r > j; --r) value -= *--l * b[r];
        --l;  // the inverse pivot
        here[j] = b[j] = value;
      }
      gain += dot(g_[k], V3{b[0], b[1], b[2]});
#pragma GCC unroll 4
      for (int j = 0; j < own; ++j) b[own + j] = b[j];
    }
    return gain;
  }

  // trial := the links z + alpha R dx in their lengths, and its points. Chains with alpha = 0 stay. Returns twice the
  // objective.
  TENDRIL_ONE_COPY S try_step(const S& alpha) {
    const auto moves = alpha != S{};
    const auto dx = [&](std::size_t i) TENDRIL_INLINE_LAMBDA { return reinterpret_cast<const V3&>(step_[own * i]); };
    for (std::size_t i = 0; i < links_; ++i)
      trial_z_[i] = select(moves, Block<S>::in_length(z_[i] + alpha * (dx(i) - dx(i + 1)), length_[i], z_[i]), z_[i]);
    return place(trial_z_, trial_x_);
  }

  void step() {
    const S half = number(0.5);
    const NewtonTask<S> task{active_, S{} != S{}, half * twice_, Precision<T>::noise};
    const auto eliminate = [&](const Damping<S>& damping) TENDRIL_INLINE_LAMBDA { return factorise(damping); };
    const auto find_way = [&](const Damping<S>&) TENDRIL_INLINE_LAMBDA { return solve(); };
    const auto try_way = [&](const S& alpha) TENDRIL_INLINE_LAMBDA { return half * try_step(alpha); };
    const NewtonStep<S> newton = find_newton_step(task, eliminate, find_way, try_way);
    const auto is_round_off = newton.stalled & (last_residual_ <= number(Precision<T>::round_off));
    this->round_off_ = this->round_off_ | (active_ & is_round_off), active_ = active_ & !is_round_off;
    this->stall(newton.stalled);
    was_damped_ = newton.is_damped, twice_ = newton.value + newton.value;
    V3 *const z = z_, *const x = x_;
    z_ = trial_z_, x_ = trial_x_, trial_z_ = z, trial_x_ = x;
  }

  // Whether A(lam) is positive definite on free points: then no other chain is closer.
  Mask<S> is_convex() const {
    const S zero{}, one = number(1.0);
    auto is_positive = zero == zero;
    S before = zero, last_inverse = zero;
    for (std::size_t i = 0; i < points_; ++i) {
      const auto is_free = weight_[i] > zero;
      const S after = i < links_ ? lam_[i] : zero;
      const S pivot = is_free ? mass_[i] + before + after - before * before * last_inverse : one;
      is_positive = is_positive & (pivot > zero);
      last_inverse = is_free ? one / pivot : zero;
      before = after;
    }
    return is_positive;
  }

  V3 *z_, *g_, *trial_z_, *trial_x_;
  S *step_, *factor_;  // dx and mu, of each point and the link before it; L and the inverse of D
  S *mass_, *ratio_, *inverse_, *right_;
  S link_count_, mean_length_, scale_, share_, twice_;
  S slow_{}, last_residual_ = number(1e30);
  Mask<S> is_uneven_, is_very_uneven_, was_damped_ = S{} != S{};  // by the last step
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
