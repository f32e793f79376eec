// Coulomb's law for as many contacts at once as there are lanes (docs/theory/contact.md, Eqs. 2, 4, 7, 8 and 10). A
// joint has mu = -1: it takes any impulse, and its error is its velocity.
#pragma once

#include "tendril/linalg/vec3.hpp"

namespace tendril::contact {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
TENDRIL_INLINE S tangential_length(const Vec3<S>& a) {
  return square_root(a.y * a.y + a.z * a.z);
}

// The nearest point of K_mu. With mu = 0 that is the half-line r_T = 0, r_N >= 0.
template <class S>
TENDRIL_INLINE Vec3<S> nearest_in_cone(const Vec3<S>& z, const S& mu) {
  const S tangential = tangential_length(z), normal = (z.x + mu * tangential) / (1.0 + mu * mu);
  const S share = mu * normal / tangential, zero{};
  const auto leaves = mu * tangential <= -z.x;
  const auto inside = tangential <= mu * z.x;
  const auto joint = mu < 0.0;
  Vec3<S> out{inside ? z.x : normal, inside ? z.y : share * z.y, inside ? z.z : share * z.z};
  out = {leaves ? zero : out.x, leaves ? zero : out.y, leaves ? zero : out.z};
  return {joint ? z.x : out.x, joint ? z.y : out.y, joint ? z.z : out.z};
}

// u + mu |u_T| e_N; of a joint u.
template <class S>
TENDRIL_INLINE Vec3<S> de_saxce_velocity(const Vec3<S>& u, const S& mu) {
  const S friction = mu > 0.0 ? mu : S{};
  return {u.x + friction * tangential_length(u), u.y, u.z};
}

template <class S>
TENDRIL_INLINE S largest_entry(const Vec3<S>& a) {
  return maximum(magnitude(a.x), maximum(magnitude(a.y), magnitude(a.z)));
}

// x + y - (x∘x + y∘y)^½.
template <class S>
TENDRIL_INLINE Vec3<S> fischer_burmeister_lanes(const Vec3<S>& x, const Vec3<S>& y) {
  const S a1 = x.x * x.y + y.x * y.y, a2 = x.x * x.z + y.x * y.z, length = square_root(a1 * a1 + a2 * a2);
  const S o1 = length > 0.0 ? a1 / length : S{} + 1.0, o2 = length > 0.0 ? a2 / length : S{};
  const S d1 = x.x * o1 - x.y, d2 = x.x * o2 - x.z, d3 = y.x * o1 - y.y, d4 = y.x * o2 - y.z;
  const S root1 = square_root(d1 * d1 + d2 * d2 + d3 * d3 + d4 * d4);
  const S root2 = square_root(dot(x, x) + dot(y, y) + 2.0 * length);
  const S half = 0.5 * (root2 - root1);
  return {x.x + y.x - 0.5 * (root1 + root2), x.y + y.y - half * o1, x.z + y.z - half * o2};
}

// |f|_∞ / rho [m/s] of Eq. 32; 0 for what cannot be moved (rho = 0).
template <class S>
TENDRIL_INLINE S law_error(const Vec3<S>& r, const Vec3<S>& u, const S& mu, const S& rho) {
  const Vec3<S> y = {rho * (u.x + mu * tangential_length(u)), rho * mu * u.y, rho * mu * u.z};
  const S with = largest_entry(fischer_burmeister_lanes(Vec3<S>{mu * r.x, r.y, r.z}, y));
  const S v = rho * u.x;
  const S without = largest_entry(Vec3<S>{r.x + v - square_root(r.x * r.x + v * v), r.y, r.z});
  const S error = (mu > 0.0 ? with : without) / rho;
  const S known = mu < 0.0 ? largest_entry(u) : error;
  const S not_a_number = 0.0 * (r.x + r.y + r.z + u.x + u.y + u.z);  // if one of them is none: maxima may forget it
  return rho > 0.0 ? known + not_a_number : S{};
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
