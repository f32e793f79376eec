// A block of chains that resist bending (docs/theory/chain.md, "Bending"): Block with the energy of its joints in the
// objective, and Newton's system solved as a band, since what a point does now depends on two neighbours on each side.
// In the order x_0, x_1, mu_0, x_2, mu_1, ... a link comes after both its ends, so that L D Lᵀ needs no exchange of
// rows. Multipliers are those of the step before and its change of them, and not those of least squares: where bending
// is stiff these are far off until the end.
#pragma once

#include "tendril/rods/chain/bent_kernels.hpp"
#include "tendril/rods/chain/block.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct BentBlock : Block<S> {
  using Base = Block<S>;
  using Base::points, Base::links, Base::p, Base::w, Base::mass, Base::length, Base::z, Base::x, Base::g, Base::lam;
  using Base::root_held, Base::any_root_free, Base::dx, Base::trial_z, Base::trial_x, Base::number;
  using typename Base::T;
  using typename Base::V3;

  static constexpr int own = 4, window = 11;  // unknowns of a point and the link before it; those that they reach
  static constexpr std::size_t factor_numbers = 10 + 9 + 8 + 7 + own;  // below the diagonal, and inverse pivots

  // Of joints, at their points: stiffness [kg m²], rest; of links: what they are multiplied with in a joint.
  S *stiffness, *share;
  V3* rest;

  static constexpr std::size_t numbers(std::size_t points) {
    return Base::numbers(points) + points * (5 + 3 + 3 + own + factor_numbers);
  }

  BentBlock(std::size_t n, S* memory) : Base(n, memory) {
    memory += Base::numbers(n);
    const auto take = [&](std::size_t per_point) {
      S* const here = memory;
      memory += per_point * n;
      return here;
    };
    stiffness = take(1), share = take(1), diagonal_ = take(1), next_ = take(1), second_ = take(1);
    rest = reinterpret_cast<V3*>(take(3)), turn_ = reinterpret_cast<V3*>(take(3));
    step_ = take(own), factor_ = take(factor_numbers);
  }

  void load_joints(const BentView& view) {
    constexpr std::size_t lanes = std::size_t(lane_count<S>);
    for (std::size_t i = 0; i < points; ++i) {
      stiffness[i] = load<S>(view.stiffness + i * lanes), share[i] = load<S>(view.share + i * lanes);
      rest[i] = load3<S>(view.rest + 3 * i * lanes);
    }
    set_bending();
  }

  // Once stiffness, share and masses are there: the matrix of bending, from the coefficients share_{i-1},
  // -(share_{i-1} + share_i), share_i of the points about joint i (Eq. 25).
  void set_bending() {
    const S zero{};
    real_links_ = zero;
    for (std::size_t j = 0; j < points; ++j) diagonal_[j] = next_[j] = second_[j] = lam[j] = zero;
    for (std::size_t i = 0; i < links; ++i) {
      const S a = i > 0 ? share[i - 1] : zero, c = share[i], b = -(a + c), k = stiffness[i];
      diagonal_[i] += k * b * b, diagonal_[i + 1] += k * c * c, next_[i] += k * b * c;
      if (i > 0) diagonal_[i - 1] += k * a * a, next_[i - 1] += k * a * b, second_[i - 1] += k * a * c;
      real_links_ += length[i] > zero ? number(1.0) : zero;
    }
    for (std::size_t i = 0; i < own * points; ++i) step_[i] = zero;
  }

  // Twice the energy of the joints of these links.
  S bending(const V3* of) const {
    S twice{};
    for (std::size_t i = 0; i < links; ++i) {
      const V3 off = joint(of, i) - rest[i];
      twice += stiffness[i] * dot(off, off);
    }
    return twice;
  }

  S place(const V3* of, V3* out) const { return Base::place(of, out) + bending(of); }
  TENDRIL_ONE_COPY S try_step(const S& alpha) {
    tried_ = minimum(alpha, number(1.0));
    return Base::try_step(alpha) + bending(trial_z);
  }
  void refine(const Mask<S>&) {}

  // Those of the step before and the share of their change that was taken, all of it at most; none at first.
  TENDRIL_ONE_COPY void multipliers() {
    for (std::size_t i = 0; i < links; ++i) lam[i] += tried_ * step_[own * (i + 1) + 3];
    tried_ = S{};
    set_residual();
  }

  // g = M (p - x) - Rᵀ (Qᵀ lam + y), y the slope of the joints' energy by the links (Eq. 26), and how large it is.
  void set_residual() {
    const S zero{};
    for (std::size_t i = 0; i < links; ++i) turn_[i] = stiffness[i] * (joint(z, i) - rest[i]);
    turn_[links] = {zero, zero, zero};
    V3 before = {zero, zero, zero};
    S sum = zero, largest = zero;
    for (std::size_t i = 0; i < points; ++i) {
      const V3 after = i < links ? lam[i] * z[i] + share[i] * (turn_[i + 1] - turn_[i]) : V3{zero, zero, zero};
      const V3 here = mass[i] * (p[i] - x[i]) - (after - before);
      g[i] = select(w[i] > zero, here, V3{zero, zero, zero});
      const S square = w[i] * dot(g[i], g[i]);
      sum += square, largest = maximum(w[i] * square, largest), before = after;
    }
    this->sizes = {square_root(sum), square_root(largest)};
  }

  // Whether A(lam) is positive definite on the free points: one number per point and two beside it.
  Mask<S> is_convex() const {
    const S zero{}, one = number(1.0);
    auto positive = zero == zero;
    S pivot1 = one, pivot2 = one, beside1 = zero, beside2 = zero, far1 = zero;  // of the point before, and before that
    for (std::size_t j = 0; j < points; ++j) {
      const auto is_free = w[j] > zero;
      const S after = j < links ? lam[j] : zero, before = j > 0 ? lam[j - 1] : zero;
      const S far = is_free & is_free_at(j + 2) ? second_[j] : zero;
      const S near = is_free & is_free_at(j + 1) ? next_[j] - after : zero;
      const S pivot =
          is_free ? mass[j] + diagonal_[j] + before + after - beside1 * beside1 / pivot1 - beside2 * beside2 / pivot2
                  : one;
      positive = positive & (pivot > zero);
      const S reduced = near - far1 * beside1 / pivot1;
      beside2 = far1, pivot2 = pivot1;
      beside1 = reduced, far1 = far, pivot1 = pivot;
    }
    return positive;
  }

  // L D Lᵀ of Eq. 8 with bending. Rows of what is not there (a held root, the link before point 0, what fills up a
  // chain) are those of the identity. True where there are as many negative pivots as links.
  TENDRIL_ONE_COPY Mask<S> eliminate(const Damping<S>& damping) {
    const S zero{}, one = number(1.0);
    S a[window][window];  // its lower triangle, of point k, of k + 1, and of k + 2 without its link
    for (auto& row : a)
      for (S& entry : row) entry = zero;
    set_point(a, 0, 0, damping);
    a[3][3] = one;
    set_point(a, own, 1, damping);
    set_link(a, 0, 0);
    set_coupling(a, own, 0, 0, damping);
    auto is_regular = zero == zero;
    S negative = zero;
    for (std::size_t k = 0; k < points; ++k) {
      set_point(a, 2 * own, k + 2, damping);
      set_coupling(a, 2 * own, own, k + 1, damping);
      set_far_coupling(a, k);
      S* out = factor_ + factor_numbers * k;
#pragma GCC unroll 4
      for (int j = 0; j < own; ++j) {
        const S pivot = a[j][j];
        negative += pivot < zero ? one : zero;
        is_regular = is_regular & (pivot != zero);
        const S pivot_inverse = one / (pivot == zero ? one : pivot);
        *out++ = pivot_inverse;
#pragma GCC unroll 11
        for (int c = j + 1; c < window; ++c) {
          const S l = a[c][j] * pivot_inverse;
          *out++ = l;
#pragma GCC unroll 11
          for (int r = c; r < window; ++r) a[r][c] -= l * a[r][j];
        }
      }
      for (int r = 0; r < window - own; ++r)
        for (int c = 0; c <= r; ++c) a[r][c] = a[own + r][own + c];
      for (int r = window - own; r < window; ++r)
        for (int c = 0; c <= r; ++c) a[r][c] = zero;
      set_link(a, 0, k + 1);
    }
    return is_regular & (negative == real_links_);
  }

  // After eliminate(): dx, and the changes of the multipliers. Returns g·dx.
  TENDRIL_ONE_COPY S newton_step(const Damping<S>&) {
    const S zero{};
    S b[window];
    for (S& entry : b) entry = zero;
    put(g[0], b), put(g[1], b + own);
    for (std::size_t k = 0; k < points; ++k) {
      b[7] = zero, put(k + 2 < points ? g[k + 2] : V3{zero, zero, zero}, b + 2 * own);
      const S* l = factor_ + factor_numbers * k;
#pragma GCC unroll 4
      for (int j = 0; j < own; ++j) {
        step_[own * k + std::size_t(j)] = b[j] * *l++;
#pragma GCC unroll 11
        for (int r = j + 1; r < window; ++r) b[r] -= *l++ * b[j];
      }
      for (int j = 0; j < window - own; ++j) b[j] = b[own + j];
    }
    S gain = zero;
    for (S& entry : b) entry = zero;
    for (std::size_t k = points; k-- > 0;) {
      for (int j = window - 1; j >= own; --j) b[j] = b[j - own];
      const S* l = factor_ + factor_numbers * (k + 1);
      S* const here = step_ + own * k;
#pragma GCC unroll 4
      for (int j = own - 1; j >= 0; --j) {
        S value = here[j];
#pragma GCC unroll 11
        for (int r = window - 1; r > j; --r) value -= *--l * b[r];
        --l;  // the inverse pivot
        here[j] = b[j] = value;
      }
      dx[k] = {b[0], b[1], b[2]};
      gain += dot(g[k], dx[k]);
    }
    return gain;
  }

 private:
  // The change of direction at point i; that of a first link is from nothing, which the rest knows.
  TENDRIL_INLINE V3 joint(const V3* of, std::size_t i) const {
    const V3 here = share[i] * of[i];
    return i > 0 ? share[i - 1] * of[i - 1] - here : -here;
  }

  static TENDRIL_INLINE void put(const V3& v, S* out) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

  TENDRIL_INLINE Mask<S> is_free_at(std::size_t j) const { return j < points ? w[j] > S{} : S{} != S{}; }

  TENDRIL_INLINE S multiplier(std::size_t i, const Damping<S>& damping) const {
    return i < links ? damped(lam[i], damping) : S{};
  }

  // Rows and columns of point j, at the place `at` of the window.
  TENDRIL_INLINE void set_point(S (&a)[window][window], int at, std::size_t j, const Damping<S>& damping) const {
    const S zero{}, one = number(1.0);
    S entry = one;
    if (j < points) {
      const S before = j > 0 ? multiplier(j - 1, damping) : zero, after = multiplier(j, damping);
      entry = w[j] > zero ? (one + damping.heavier) * mass[j] + diagonal_[j] + before + after : one;
    }
    for (int c = 0; c < 3; ++c) a[at + c][at + c] = entry;
  }

  // Between the points j and j + 1.
  TENDRIL_INLINE void set_coupling(S (&a)[window][window], int row, int column, std::size_t j,
                                   const Damping<S>& damping) const {
    S entry{};
    if (j < links) entry = is_free_at(j) & is_free_at(j + 1) ? next_[j] - multiplier(j, damping) : S{};
    for (int c = 0; c < 3; ++c) a[row + c][column + c] = entry;
  }
  // Between the points j and j + 2, of which j is the first of the window.
  TENDRIL_INLINE void set_far_coupling(S (&a)[window][window], std::size_t j) const {
    const S entry = is_free_at(j) & is_free_at(j + 2) ? second_[j] : S{};
    for (int c = 0; c < 3; ++c) a[2 * own + c][c] = entry;
  }

  // The link from point j, at the place `at` of the window, to the next one: it comes after that.
  TENDRIL_INLINE void set_link(S (&a)[window][window], int at, std::size_t j) const {
    const S zero{}, one = number(1.0);
    const int row = at + 2 * own - 1;
    if (j >= links) {
      a[row][row] = one;
      return;
    }
    const V3 nothing = {zero, zero, zero};
    const V3 here = select(is_free_at(j), z[j], nothing), there = select(is_free_at(j + 1), -z[j], nothing);
    a[row][at] = here.x, a[row][at + 1] = here.y, a[row][at + 2] = here.z;
    a[row][at + own] = there.x, a[row][at + own + 1] = there.y, a[row][at + own + 2] = there.z;
    a[row][row] = length[j] > zero ? zero : one;
  }

  S *diagonal_, *next_, *second_;  // of the matrix of bending: between a point and itself, the next, the one after that
  V3* turn_;                       // stiffness times how far joints are from their rest
  S *step_, *factor_;              // dx and mu, of each point and the link before it; L and the inverse of D
  S real_links_;
  S tried_{};  // how much of the step was taken
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
