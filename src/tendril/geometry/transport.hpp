// Tangents, parallel transport and reference twist (docs/theory/der.md, "Frames").
#pragma once

#include "tendril/linalg/lane_math.hpp"
#include "tendril/linalg/vec3.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

// An edge as the energies see it. Readers have refused edges of no length.
template <class S>
struct Edge {
  Vec3<S> tangent;
  S length, inverse_length;
};

template <class S>
TENDRIL_INLINE Edge<S> make_edge(const Vec3<S>& vector) {
  const S length = square_root(dot(vector, vector));
  const S inverse = 1.0 / length;
  return {inverse * vector, length, inverse};
}

// Smallest rotation from unit vector `from` to unit vector `to`, applied to u with u . from = 0 (Eq. 1). The general
// formula needs two cross products more. Undefined for to = -from.
template <class S>
TENDRIL_INLINE Vec3<S> transport_normal(const Vec3<S>& from, const Vec3<S>& to, const Vec3<S>& u) {
  const S scale = dot(to, u) / (1.0 + dot(from, to));
  return u - scale * (from + to);
}

// Carries the reference director of an edge to its new tangent and takes out the round-off that a long run collects:
// one projection and one Newton step for the unit length, no square root (Eq. 2).
template <class S>
TENDRIL_INLINE Vec3<S> transport_director(const Vec3<S>& old_tangent, const Vec3<S>& new_tangent,
                                          const Vec3<S>& director) {
  Vec3<S> u = transport_normal(old_tangent, new_tangent, director);
  u = u - dot(u, new_tangent) * new_tangent;
  return (1.5 - 0.5 * dot(u, u)) * u;
}

// The same for any two tangents: from one to its opposite there are many smallest rotations, and the one about the
// director is taken, which leaves it as it is. Steps do not come here, they are cut shorter; poses set from outside do.
inline Vec3<double> transport_director_anywhere(const Vec3<double>& old_tangent, const Vec3<double>& new_tangent,
                                                const Vec3<double>& director) {
  constexpr double nearly_opposite = 1e-8;
  if (1.0 + dot(old_tangent, new_tangent) > nearly_opposite)
    return transport_director(old_tangent, new_tangent, director);
  const Vec3<double> across = director - dot(director, new_tangent) * new_tangent;
  return (1.0 / square_root(dot(across, across))) * across;
}

// Angle by which the director of edge f is ahead of that of edge e after transport to f, on the branch nearest to
// `previous`, so that it counts whole turns (Eq. 3).
template <class S>
TENDRIL_INLINE S reference_twist(const Vec3<S>& tangent_e, const Vec3<S>& director_e, const Vec3<S>& tangent_f,
                                 const Vec3<S>& director_f, const S& previous) {
  constexpr double two_pi = 6.28318530717958647693;
  const Vec3<S> carried = transport_normal(tangent_e, tangent_f, director_e);
  const Vec3<S> second_f = cross(tangent_f, director_f);
  const S angle = angle_of(-dot(carried, second_f), dot(carried, director_f));
  return angle + two_pi * nearest_integer((previous - angle) * (1.0 / two_pi));
}

// The material frame of an edge: the reference director turned by theta about the tangent.
template <class S>
struct Frame {
  Vec3<S> m1, m2;
};

template <class S>
TENDRIL_INLINE Frame<S> material_frame(const Vec3<S>& tangent, const Vec3<S>& director, const S& theta) {
  const auto [s, c] = sine_cosine(theta);
  const Vec3<S> second = cross(tangent, director);
  return {c * director + s * second, c * second - s * director};
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
