// Sine, cosine and four-quadrant arctangent for any kernel scalar: a few multiply-adds per lane where the C library
// would cost as much as the rest of the step. Largest error 3e-16 (absolute for sine and cosine) for |angle| < 1e5.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct SineCosine {
  S sine, cosine;
};

// Cody-Waite reduction to [-pi/4, pi/4] (pi/2 in a 33-bit head and a tail), then the usual minimax polynomials.
template <class S>
TENDRIL_INLINE SineCosine<S> sine_cosine(const S& angle) {
  constexpr double two_over_pi = 0.63661977236758134308, half_pi_head = 1.57079632673412561417,
                   half_pi_tail = 6.07710050650619224932e-11;
  const S quarter = nearest_integer(angle * two_over_pi);
  const S r = (angle - quarter * half_pi_head) - quarter * half_pi_tail;
  const S z = r * r;
  const S sine_tail = z * (-1.66666666666666324348e-01 +
                           z * (8.33333333332248946124e-03 +
                                z * (-1.98412698298579493134e-04 +
                                     z * (2.75573137070700676789e-06 +
                                          z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)))));
  const S sine = r + r * sine_tail;
  const S cosine_tail = z * z *
                        (4.16666666666666019037e-02 +
                         z * (-1.38888888888741095749e-03 +
                              z * (2.48015872894767294178e-05 +
                                   z * (-2.75573143513906633035e-07 +
                                        z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11)))));
  const S cosine = (1.0 - 0.5 * z) + cosine_tail;
  // quarter mod 4 as -2, -1, 0, 1 or 2 (2 and -2 are the same turn).
  const S turn = quarter - 4.0 * nearest_integer(quarter * 0.25);
  const S odd = magnitude(turn);
  const S s = odd == 1.0 ? cosine : sine;
  const S c = odd == 1.0 ? sine : cosine;
  return {turn == -1.0 || odd == 2.0 ? -s : s, turn == 1.0 || odd == 2.0 ? -c : c};
}

// Angle of the vector (x, y) in [-pi, pi]. One division: octant and tan(pi/8) reductions pick its operands.
template <class S>
TENDRIL_INLINE S angle_of(const S& y, const S& x) {
  constexpr double pi = 3.14159265358979323846, tan_eighth_pi = 0.41421356237309504880;
  const S ax = magnitude(x), ay = magnitude(y);
  const S small = minimum(ax, ay), large = maximum(ax, ay);
  const S numerator = small > tan_eighth_pi * large ? small - large : small;
  const S denominator = small > tan_eighth_pi * large ? small + large : large;
  const S z = numerator / (denominator + 1e-300);  // the angle of (0, 0) is 0
  const S u = z * z;
  // atan(z)/z, interpolated in u at the Chebyshev points of [0, tan^2(pi/8)].
  S series = broadcast<S>(-0.017805397205419446);
  series = series * u + 0.03796525745386593;
  series = series * u - 0.05035102456601552;
  series = series * u + 0.05846878297330872;
  series = series * u - 0.06662951813629191;
  series = series * u + 0.07692045330902225;
  series = series * u - 0.09090896809064027;
  series = series * u + 0.11111110744919658;
  series = series * u - 0.14285714279250245;
  series = series * u + 0.19999999999940893;
  series = series * u - 0.3333333333333312;
  S angle = z + z * u * series;
  angle = small > tan_eighth_pi * large ? 0.25 * pi + angle : angle;
  angle = ay > ax ? 0.5 * pi - angle : angle;
  angle = x < 0.0 ? pi - angle : angle;
  return y < 0.0 ? -angle : angle;
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
