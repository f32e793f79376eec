// Newton's method for a block of chains in the directions of their links, one chain in each lane (docs/theory/chain.md,
// "Steps in lanes"). Chains end side by side, at the last point; those that begin later have slots before their first
// point whose links have no length and do not turn. Two pivots per link, and no multipliers: lengths are in the
// unknowns. All numbers of a chain depend on that chain alone.
#pragma once

#include <cstddef>
#include <limits>

#include "tendril/rods/chain/block.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

// A unit vector across another one (Duff et al. 2017).
template <class S>
TENDRIL_INLINE Vec3<S> across(const Vec3<S>& e) {
  const S one = broadcast<S>(1.0), sign = e.z < S{} ? -one : one;
  const S a = -e.x / (sign + e.z);
  return {one + sign * e.x * a, sign * e.y * a, -sign * e.x};
}

template <class S>
struct DirectionBlock {
  using V3 = Vec3<S>;

  // Point i and the link from there to the next. Points that are held have neither mass nor inverse mass.
  struct Slot {
    V3 p;                     // [m] prediction
    S mass, inverse_mass;     // [kg], [1/kg]
    S length, share;          // [m], [1/m]
    S stiffness;              // [kg m²] of the joint
    V3 rest;                  // of the joint
    V3 e, u;                  // direction of the link, and one across it: 0 where the link does not turn
    V3 pull;                  // [kg m] m (x - p)
    V3 by_move_u, by_move_v;  // E⁻¹ Bᵀ: how the link turns as its first point moves,
    V3 slope;                 // [kg m²] of the energy by the direction,
    S along;                  // and its part along it
    S uu, uv, vu, vv;         // E⁻¹ F: as the link before it turns,
    S turn_u, turn_v;         // E⁻¹ r: and by itself
  };

  std::size_t points;
  Slot* slots;                    // and one before them, without anything
  std::size_t first_turning = 0;  // from this link on all of all lanes turn
  bool free_roots = false;
  Mask<S> is_free_root;
  V3 root;               // [m] where the first point is
  S inverse_total_mass;  // [1/kg]
  S worst;               // [m²] square of the farthest that a point would still go

  static constexpr std::size_t bytes(std::size_t points) { return (points + 1) * sizeof(Slot); }

  DirectionBlock(std::size_t n, void* memory) : points(n), slots(static_cast<Slot*>(memory) + 1) { slots[-1] = Slot{}; }

  static TENDRIL_INLINE S number(double value) { return broadcast<S>(value); }

  // The slope of the energy by the directions, and what it still lets points go (Eq. 39); from the tip to the root.
  void measure() {
    const S zero{};
    const V3 nothing = {zero, zero, zero};
    V3 pull = nothing, moment = nothing, across = nothing;  // of all that lies beyond, of the joint there, of the link
    S farthest = zero, sum = zero;  // the sum for what is not a number, which comparisons do not see
    for (std::size_t i = points - 1; i-- > 0;) {
      Slot& at = slots[i];
      const Slot &before = (&at)[-1], &after = (&at)[1];
      pull = pull + after.pull;
      const V3 here = at.stiffness * (at.e - before.e - at.rest);
      const V3 G = at.length * pull + here - moment;
      const S along = dot(at.e, G);
      const V3 rest = at.share * (G - along * at.e);
      farthest = maximum(square(after.inverse_mass * (across - rest)), farthest);
      at.slope = G, at.along = along, across = rest, moment = here, sum += along;
    }
    worst = maximum(square(slots[0].inverse_mass * across), farthest);
    worst = sum - sum == zero ? worst : number(std::numeric_limits<double>::infinity());
    if (!free_roots) return;
    root_push_ = pull + slots[0].pull;  // a chain that nothing holds goes as a whole too
    worst = maximum(square((is_free_root ? inverse_total_mass : zero) * root_push_), worst);
  }

  // After measure(): Newton's step (Eq. 40), from the tip to the root. `pushing` is 1, or 0 for lanes whose matrix is
  // to do without what links that push take from it. Returns where the matrix is positive definite. There is one copy
  // of this code: in another, multiply-adds might be contracted otherwise, and whether a neighbour asks for it again
  // would show.
  TENDRIL_ONE_COPY Mask<S> solve(const S& pushing) {
    const S zero{}, one = number(1.0);
    const V3 nothing = {zero, zero, zero};
    // The least energy of what lies beyond, by how point i + 1 moves and how link i turns.
    const S m = slots[points - 1].mass;
    Sym3<S> P = {m, zero, m, zero, zero, m};
    V3 N_u = nothing, N_v = nothing, alpha = nothing;
    S C_uu = zero, C_uv = zero, C_vv = zero, beta_u = zero, beta_v = zero;
    auto is_definite = zero == zero;
    V3 u = slots[points - 2].u, v = cross(slots[points - 2].e, u);
    for (std::size_t i = points - 1; i-- > 0;) {
      Slot& at = slots[i];
      const Slot& before = (&at)[-1];
      const S l = at.length, k = at.stiffness;
      const V3 push = at.slope + l * alpha;
      const S r_u = dot(u, push) + beta_u, r_v = dot(v, push) + beta_v;
      const S own = k - (at.along > zero ? pushing * at.along : at.along);
      const V3 B_u = N_u + l * (P * u);
      S E_uu = C_uu + l * dot(u, N_u + B_u) + own, E_uv = C_uv + l * dot(v, N_u);
      const V3 B_v = N_v + l * (P * v);
      S E_vv = C_vv + l * dot(v, N_v + B_v) + own;
      E_uv += l * dot(u, B_v);
      if (i < first_turning) {
        const auto turns = dot(u, u) > zero;
        E_uu = turns ? E_uu : one, E_vv = turns ? E_vv : one;
      }
      const S det = E_uu * E_vv - E_uv * E_uv;
      is_definite = is_definite & (E_uu > zero) & (det > zero);
      const S scale = one / det;
      const V3 before_u = before.u, before_v = cross(before.e, before_u);
      const S F_uu = -k * dot(u, before_u), F_uv = -k * dot(u, before_v);
      const S F_vu = -k * dot(v, before_u), F_vv = -k * dot(v, before_v);
      u = before_u, v = before_v;
      const S I_uu = scale * E_vv, I_uv = -scale * E_uv, I_vv = scale * E_uu;
      at.turn_u = I_uu * r_u + I_uv * r_v, at.turn_v = I_uv * r_u + I_vv * r_v;
      const V3 Y_u = I_uu * B_u + I_uv * B_v, Y_v = I_uv * B_u + I_vv * B_v;
      at.by_move_u = Y_u, at.by_move_v = Y_v;
      alpha = alpha - (r_u * Y_u + r_v * Y_v);
      P = {P.xx + at.mass - B_u.x * Y_u.x - B_v.x * Y_v.x, P.yx - B_u.y * Y_u.x - B_v.y * Y_v.x,
           P.yy + at.mass - B_u.y * Y_u.y - B_v.y * Y_v.y, P.zx - B_u.z * Y_u.x - B_v.z * Y_v.x,
           P.zy - B_u.z * Y_u.y - B_v.z * Y_v.y,           P.zz + at.mass - B_u.z * Y_u.z - B_v.z * Y_v.z};
      const S Z_uu = I_uu * F_uu + I_uv * F_vu, Z_vu = I_uv * F_uu + I_vv * F_vu;
      const S Z_uv = I_uu * F_uv + I_uv * F_vv, Z_vv = I_uv * F_uv + I_vv * F_vv;
      at.uu = Z_uu, at.uv = Z_uv, at.vu = Z_vu, at.vv = Z_vv;
      N_u = -Z_uu * B_u - Z_vu * B_v, N_v = -Z_uv * B_u - Z_vv * B_v;
      beta_u = -(Z_uu * r_u + Z_vu * r_v), beta_v = -(Z_uv * r_u + Z_vv * r_v);
      C_uu = k - (F_uu * Z_uu + F_vu * Z_vu), C_uv = -(F_uu * Z_uv + F_vu * Z_vv);
      C_vv = k - (F_uv * Z_uv + F_vv * Z_vv);
    }
    return free_roots ? is_definite & solve_root(P, root_push_ + alpha) : is_definite;
  }

  // Takes the step in those lanes: directions turn, points follow (Eq. 41). `beside` is called with every point, for
  // what is to be done meanwhile.
  template <class Beside>
  void move(const Mask<S>& which, const Beside& beside) {
    const S zero{}, one = number(1.0), half = number(0.5), quarter = number(0.25);
    V3 dx = {zero, zero, zero};
    if (free_roots) dx = select(which & is_free_root, root_move_, dx);
    root = root + dx;
    V3 x = root;
    S last_u = zero, last_v = zero;
    for (std::size_t i = 0;; ++i) {
      beside(i);
      Slot& at = slots[i];
      at.pull = at.mass * (x - at.p);
      if (i + 1 == points) return;
      const S a = -(at.turn_u + dot(at.by_move_u, dx) + at.uu * last_u + at.uv * last_v);
      const S b = -(at.turn_v + dot(at.by_move_v, dx) + at.vu * last_u + at.vv * last_v);
      last_u = which ? a : zero, last_v = which ? b : zero;
      const V3 de = last_u * at.u + last_v * cross(at.e, at.u);
      const S q = quarter * (last_u * last_u + last_v * last_v);
      const V3 e = (one / (one + q)) * ((one - q) * at.e + de);
      at.u = at.u - (half * last_u) * (at.e + e);
      at.e = e;
      dx = dx + at.length * de;
      x = x + at.length * e;
    }
  }

 private:
  static TENDRIL_INLINE S square(const V3& a) { return dot(a, a); }

  // P dx = -push, by cofactors. True where P is positive definite or nobody asks.
  Mask<S> solve_root(const Sym3<S>& P, const V3& push) {
    const S zero{};
    const S minor = P.xx * P.yy - P.yx * P.yx;
    const Sym3<S> C = {P.yy * P.zz - P.zy * P.zy, P.zx * P.zy - P.yx * P.zz, P.xx * P.zz - P.zx * P.zx,
                       P.yx * P.zy - P.zx * P.yy, P.yx * P.zx - P.xx * P.zy, minor};
    const S det = P.xx * C.xx + P.yx * C.yx + P.zx * C.zx;
    root_move_ = (number(-1.0) / det) * (C * push);
    return !(is_free_root & !((P.xx > zero) & (minor > zero) & (det > zero)));
  }

  V3 root_push_{}, root_move_{};
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
