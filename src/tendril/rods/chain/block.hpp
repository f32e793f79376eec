// A block of chains side by side, one in each lane, and the sweeps along them that every projection is made of
// (docs/theory/chain.md). Chains of a block have the same number of points: shorter ones end in points without mass on
// links without length, which no sweep moves. Point 0 is the origin, and held where its inverse mass is zero; no other
// point is, but the last of all if `tip_held`. All numbers of a chain depend on that chain alone, not on its
// neighbours.
#pragma once

#include <cstddef>

#include "tendril/linalg/lane_masks.hpp"
#include "tendril/linalg/vec3.hpp"
#include "tendril/rods/chain/damping.hpp"
#include "tendril/rods/chain/precision.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

// mask ? a : b
template <class M, class S>
TENDRIL_INLINE Vec3<S> select(const M& mask, const Vec3<S>& a, const Vec3<S>& b) {
  return {mask ? a.x : b.x, mask ? a.y : b.y, mask ? a.z : b.z};
}

// Of each chain of a block.
template <class S, class View>
TENDRIL_INLINE S tolerance_of(const View& view, double otherwise) {
  return view.tolerance == nullptr ? broadcast<S>(otherwise) : load<S>(view.tolerance);
}

template <class S>
struct Block {
  using V3 = Vec3<S>;
  using T = Element<S>;

  std::size_t points, links;
  // Of points: prediction [m], inverse mass and mass [kg] (0 of what is held).
  V3* p;
  S *w, *mass;
  S* length;  // [m], of links
  // The iterate: z_i = x_i - x_{i+1}, multipliers [kg], g = M (p - x) - Rᵀ Qᵀ lam.
  V3 *z, *x, *g;
  S* lam;
  Mask<S> root_held;
  bool tip_held = false;
  bool any_root_free;
  S total_mass;
  // sqrt(gᵀ W g), and the largest w |g|.
  struct {
    S sum, largest;
  } sizes;
  // A trial and what leads to it, and the best so far.
  V3 *trial_z, *trial_x, *dx, *best_z, *best_x;
  // Of stage 1: what elimination leaves.
  S *inverse, *ratio, *right;
  // Of the recursion: per point.
  Sym3<S>* G;
  V3 *q, *ux;
  S *um, *tau;

  // Numbers of type S that the memory must hold.
  static constexpr std::size_t numbers(std::size_t points) { return points * (11 * 3 + 6 + 9); }

  Block(std::size_t n, S* memory) : points(n), links(n - 1) {
    const auto take = [&](std::size_t per_point) {
      S* const here = memory;
      memory += per_point * n;
      return here;
    };
    const auto vectors = [&] { return reinterpret_cast<V3*>(take(3)); };
    p = vectors(), z = vectors(), x = vectors(), g = vectors();
    trial_z = vectors(), trial_x = vectors(), dx = vectors(), best_z = vectors(), best_x = vectors();
    q = vectors(), ux = vectors(), G = reinterpret_cast<Sym3<S>*>(take(6));
    w = take(1), mass = take(1), length = take(1), lam = take(1), inverse = take(1), ratio = take(1);
    right = take(1), um = take(1), tau = take(1);
  }

  static TENDRIL_INLINE S number(double value) { return broadcast<S>(value); }

  // Once p, w and length are there.
  void set_masses() {
    const S zero{}, one = number(1.0);
    root_held = w[0] == zero;
    any_root_free = any(!root_held);
    total_mass = zero;
    for (std::size_t i = 0; i < points; ++i) {
      mass[i] = w[i] > zero ? one / (w[i] > zero ? w[i] : one) : zero;
      total_mass += mass[i];
    }
  }

  // The closest points with these links (Eq. 3), and the objective, twice it (Eq. 1).
  S place(const V3* links_of, V3* out) const {
    const S zero{};
    V3 at = {zero, zero, zero};
    S twice = zero;
    out[0] = at;
    for (std::size_t i = 1; i < points; ++i) {
      at = at - links_of[i - 1];
      const V3 off = p[i] - at;
      out[i] = at, twice += mass[i] * dot(off, off);
    }
    return any_root_free ? move_to_centre(out) : twice;
  }
  // Chains that nothing holds keep their centre of mass. Returns twice the objective.
  S move_to_centre(V3* out) const {
    const S zero{};
    V3 moment = {zero, zero, zero};
    for (std::size_t i = 0; i < points; ++i) moment = moment + mass[i] * (p[i] - out[i]);
    const V3 by = (root_held ? zero : number(1.0) / total_mass) * moment;
    S twice = zero;
    for (std::size_t i = 0; i < points; ++i) {
      const V3 here = out[i] + by, off = p[i] - here;
      out[i] = here, twice += mass[i] * dot(off, off);
    }
    return twice;
  }

  static TENDRIL_INLINE Mask<S> has_direction(const V3& link, const S& length) {
    const S least = number(Precision<T>::no_length) * length;
    return dot(link, link) > least * least;
  }
  // The link in its length; `otherwise` if it has no direction.
  static TENDRIL_INLINE V3 in_length(const V3& link, const S& length, const V3& otherwise) {
    const auto has_one = has_direction(link, length);
    const S scale = length * reciprocal_root(has_one ? dot(link, link) : number(1.0));
    return select(has_one, link * scale, otherwise);
  }

  // trial := the links z + alpha R dx in their lengths, and its points. Chains with alpha = 0 stay. Returns twice the
  // objective.
  TENDRIL_ONE_COPY S try_step(const S& alpha) {
    const S zero{};
    const auto moves = alpha != zero;
    V3 at = {zero, zero, zero};
    S twice = zero;
    trial_x[0] = at;
    for (std::size_t i = 0; i < links; ++i) {
      const V3 moved = z[i] + alpha * (dx[i] - dx[i + 1]);
      const V3 link = select(moves, in_length(moved, length[i], z[i]), z[i]);
      at = at - link;
      const V3 off = p[i + 1] - at;
      trial_z[i] = link, trial_x[i + 1] = at, twice += mass[i + 1] * dot(off, off);
    }
    return any_root_free ? move_to_centre(trial_x) : twice;
  }

  // (Q S Qᵀ) lam = right, by the factor of multipliers(); `values` are overwritten with lam.
  TENDRIL_INLINE void solve_links(S* values) const {
    for (std::size_t i = 1; i < links; ++i) values[i] -= ratio[i - 1] * values[i - 1];
    values[links - 1] *= inverse[links - 1];
    for (std::size_t i = links - 1; i-- > 0;) values[i] = values[i] * inverse[i] - ratio[i] * values[i + 1];
  }

  // Stage 1 (Eq. 5), and g. A link waits for one division of the link before it, and on the way back for one product.
  TENDRIL_ONE_COPY void multipliers() {
    const S zero{}, one = number(1.0);
    V3 off = p[0] - x[0];
    S pivot_inverse = zero, last_ratio = zero, last_square = zero, last = zero;
    for (std::size_t i = 0; i < links; ++i) {
      const V3 next_off = p[i + 1] - x[i + 1];
      const S own = (w[i] + w[i + 1]) * (length[i] * length[i]), diagonal = own > zero ? own : one;
      pivot_inverse = one / (diagonal - last_square * pivot_inverse);
      last = dot(z[i], off - next_off) - last_ratio * last;
      const S beside = i + 1 < links ? -w[i + 1] * dot(z[i], z[i + 1]) : zero;
      last_ratio = beside * pivot_inverse, last_square = beside * beside;
      lam[i] = last * pivot_inverse, inverse[i] = pivot_inverse, ratio[i] = last_ratio;
      off = next_off;
    }
    for (std::size_t i = links - 1; i-- > 0;) lam[i] -= ratio[i] * lam[i + 1];
    set_residual();
  }

  // g, and how large it is.
  TENDRIL_INLINE void set_residual() {
    const S zero{};
    V3 before = {zero, zero, zero};
    S sum = zero, largest = zero;
    for (std::size_t i = 0; i < links; ++i) {
      const V3 force = lam[i] * z[i];
      const V3 here = mass[i] * (p[i] - x[i]) - (force - before);
      const S square = w[i] * dot(here, here);
      g[i] = here, sum += square, largest = maximum(w[i] * square, largest), before = force;
    }
    const V3 last = mass[links] * (p[links] - x[links]) + before;
    const S square = w[links] * dot(last, last);
    g[links] = last;
    sizes = {square_root(sum + square), square_root(maximum(w[links] * square, largest))};
  }

  // One step of refinement, where asked for: with unequal masses stage 1 loses digits.
  void refine(const Mask<S>& where) {
    for (std::size_t i = 0; i < links; ++i) right[i] = dot(z[i], w[i] * g[i] - w[i + 1] * g[i + 1]);
    solve_links(right);
    for (std::size_t i = 0; i < links; ++i) lam[i] += where ? right[i] : S{};
    set_residual();
  }

  // a_i of A(D) = M + Rᵀ D R; 1 where there is no mass and nothing else.
  static TENDRIL_INLINE S diagonal(const S& own, const S& before, const S& after) {
    const S sum = own + before + after;
    return (own == S{}) & (sum == S{}) ? number(1.0) : sum;
  }

  // Stage 2 (Eq. 6): A(max(lam, 0)) dx = g. Returns g·dx.
  TENDRIL_ONE_COPY S two_stage_step() {
    const auto clamped = [](const S& one) TENDRIL_INLINE_LAMBDA { return maximum(one, S{}); };
    solve_points(clamped, [&](std::size_t i) TENDRIL_INLINE_LAMBDA { return g[i]; });
    S gain{};
    for (std::size_t i = 0; i < points; ++i) gain += dot(g[i], dx[i]);
    return gain;
  }

  // As if all that pushes pulled instead (Eq. 6'): x + dx = A(|lam|)^-1 M p. From a chain that stands on its head it
  // leads to one that hangs.
  TENDRIL_ONE_COPY void turned_step() {
    const auto size = [](const S& one) TENDRIL_INLINE_LAMBDA { return magnitude(one); };
    solve_points(size, [&](std::size_t i) TENDRIL_INLINE_LAMBDA { return mass[i] * p[i]; });
    for (std::size_t i = 0; i < points; ++i) dx[i] = dx[i] - x[i];
  }

  // A(D) dx = right on the free points, from the tip to the root and back; D of each multiplier.
  template <class D, class Right>
  TENDRIL_INLINE void solve_points(const D& stiffness, const Right& right_hand) {
    const S zero{}, one = number(1.0);
    V3 carried = {zero, zero, zero};
    S share = zero, after = zero;  // D_i / pivot of i + 1, D_i
    for (std::size_t i = points; i-- > 0;) {
      const S before = i > 0 ? stiffness(lam[i - 1]) : zero;
      const S scale = one / (diagonal(mass[i], before, after) - share * after);
      carried = right_hand(i) + share * carried;
      tau[i] = scale, ux[i] = carried;
      share = before * scale, after = before;
    }
    V3 before = {zero, zero, zero};
    for (std::size_t i = 0; i < points; ++i) {
      V3 here = tau[i] * (ux[i] + (i > 0 ? stiffness(lam[i - 1]) * before : before));
      if (i == 0) here = select(root_held, V3{zero, zero, zero}, here);
      dx[i] = here, before = here;
    }
  }

  // Whether A(lam) is positive definite: then the solution is the global one (Eq. 12). Without a link that pushes it
  // is.
  Mask<S> is_convex() const {
    const S zero{}, one = number(1.0);
    if (!any(is_pushed())) return zero == zero;
    auto positive = zero == zero;
    S share = zero, after = zero;
    for (std::size_t i = points; i-- > 0;) {
      const S before = i > 0 ? lam[i - 1] : zero;
      if (tip_held && i + 1 == points) {
        after = before;
        continue;
      }
      const S pivot = diagonal(mass[i], before, after) - share * after;
      if (i > 0)
        positive = positive & (pivot > zero);
      else
        positive = positive & (root_held | (pivot > zero));
      share = before * (one / pivot), after = before;
    }
    return positive;
  }

  // Whether a link pushes.
  Mask<S> is_pushed() const {
    S least = S{};
    for (std::size_t i = 0; i < links; ++i) least = minimum(lam[i], least);
    return least < S{};
  }

  // The recursion from the tip to the root (Eqs. 8, 9) with D = damped multipliers. True where the reduced Hessian is
  // positive definite.
  TENDRIL_ONE_COPY Mask<S> eliminate(const Damping<S>& damping) {
    const S zero{}, one = number(1.0);
    const std::size_t last = points - 1;
    S before = damped(lam[last - 1], damping);
    S a = diagonal((number(1.0) + damping.heavier) * mass[last], before, zero);
    // The signs of all pivots together tell (Eq. 9): as many negative ones as there are links.
    S surplus = a < zero ? number(3.0) : zero;
    if (tip_held) surplus = zero;
    Mask<S> is_regular = zero == zero;
    const S inverse_a = tip_held ? zero : one / a;
    Sym3<S> next = {inverse_a, zero, inverse_a, zero, zero, inverse_a};
    V3 next_ux = inverse_a * g[last];
    G[last] = next, ux[last] = next_ux, um[last] = zero, tau[last] = zero, q[last] = {zero, zero, zero};
    for (std::size_t i = last; i-- > 0;) {
      const S D = before;
      before = i > 0 ? damped(lam[i - 1], damping) : zero;
      a = diagonal((number(1.0) + damping.heavier) * mass[i], before, D);
      const V3 link = z[i], turned = next * link;
      const S sigma = dot(link, turned), D2 = D * D;
      const V3 v = link - D * turned;
      const Sym3<S> K = {a - D2 * next.xx, -D2 * next.yx, a - D2 * next.yy,
                         -D2 * next.zx,    -D2 * next.zy, a - D2 * next.zz};
      // Its inverse by cofactors.
      const S minor = K.xx * K.yy - K.yx * K.yx;
      const Sym3<S> C = {K.yy * K.zz - K.zy * K.zy, K.zx * K.zy - K.yx * K.zz, K.xx * K.zz - K.zx * K.zx,
                         K.yx * K.zy - K.zx * K.yy, K.yx * K.zx - K.xx * K.zy, minor};
      const S det = K.xx * C.xx + K.yx * C.yx + K.zx * C.zx;
      // det and det tau are divided by side by side: the sweep waits for one division per point.
      const V3 Cv = C * v, r = g[i] + D * next_ux;
      const S both = sigma * det + dot(v, Cv);
      const auto no_link = length[i] == zero;
      const S inverse_det = one / det, inverse_both = no_link ? zero : one / (no_link ? one : both);
      const S multiplier = (dot(Cv, r) - det * dot(link, next_ux)) * inverse_both;
      const V3 scaled = inverse_both * Cv, here_ux = inverse_det * (C * r - multiplier * Cv);
      const S spread = both * inverse_det;  // tau
      if (i == 0) {
        // A held root has no K: its link alone must be able to turn.
        const S held_multiplier = -dot(link, next_ux) / (no_link ? one : sigma);
        um[0] = root_held ? held_multiplier : multiplier;
        ux[0] = select(root_held, V3{zero, zero, zero}, here_ux);
        surplus += root_held ? too_many(sigma, no_link) : negative_count(K.xx, minor, det) + too_many(spread, no_link);
        is_regular = is_regular & (root_held ? (sigma != zero) | no_link : (det != zero) & ((both != zero) | no_link));
        break;
      }
      surplus += negative_count(K.xx, minor, det) + too_many(spread, no_link);
      is_regular = is_regular & (minor != zero) & (det != zero) & ((both != zero) | no_link);
      next = {inverse_det * (C.xx - scaled.x * Cv.x), inverse_det * (C.yx - scaled.y * Cv.x),
              inverse_det * (C.yy - scaled.y * Cv.y), inverse_det * (C.zx - scaled.z * Cv.x),
              inverse_det * (C.zy - scaled.z * Cv.y), inverse_det * (C.zz - scaled.z * Cv.z)};
      next_ux = here_ux;
      G[i] = next, ux[i] = next_ux, um[i] = multiplier, q[i] = scaled;
    }
    return is_regular & (surplus == zero);
  }

  // Of a symmetric matrix, by the changes of sign of its minors.
  static TENDRIL_INLINE S negative_count(const S& first, const S& minor, const S& det) {
    const S zero{}, one = number(1.0);
    return (first < zero ? one : zero) + ((first < zero) == (minor < zero) ? zero : one) +
           ((minor < zero) == (det < zero) ? zero : one);
  }
  // The pivot of a link is -tau: 0 if that is negative, -1 if it is not.
  static TENDRIL_INLINE S too_many(const S& tau, const Mask<S>& no_link) {
    const S zero{}, one = number(1.0);
    return no_link ? zero : (tau > zero ? zero : -one);
  }

  // After eliminate(): dx, from the root to the tip. Returns g·dx.
  TENDRIL_ONE_COPY S newton_step(const Damping<S>& damping) {
    V3 here = ux[0];
    S multiplier = um[0];
    dx[0] = here;
    S gain = dot(g[0], here);
    for (std::size_t i = 1; i < points; ++i) {
      const V3 t = damped(lam[i - 1], damping) * here + multiplier * z[i - 1];
      here = ux[i] + G[i] * t;
      multiplier = um[i] + dot(q[i], t);
      dx[i] = here, gain += dot(g[i], here);
    }
    return gain;
  }
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
