// The one scalar equation of a sliding contact (docs/theory/contact.md, Eqs. 18 to 20), in plain doubles for kernels.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril::contact {

// What of it does not depend on b: w_N, w_T, and W_T - w_T w_Tᵀ / w_N by its adjugate (xx, xy, yy), trace, determinant.
struct SlideFactor {
  double normal, coupling[2], adjugate[3], trace, determinant;
};

inline namespace TENDRIL_ISA_NAMESPACE {

struct GapValue {
  double value, slope;
};

TENDRIL_INLINE double length2(double x, double y) { return __builtin_sqrt(x * x + y * y); }

// G of Eq. 19, which has the sign of mu r_N - |r_T| on the curve of sliding impulses.
struct ConeGap {
  double quadratic, linear, constant, weight;  // |b_N|, A, C, w_N / mu
  double adjoint[2], sliding[2];               // B, b'

  TENDRIL_INLINE double norm(double alpha) const {
    return length2(adjoint[0] + alpha * sliding[0], adjoint[1] + alpha * sliding[1]);
  }
  TENDRIL_INLINE double cross() const { return adjoint[0] * sliding[1] - adjoint[1] * sliding[0]; }
  TENDRIL_INLINE double speed() const { return length2(sliding[0], sliding[1]); }

  TENDRIL_INLINE GapValue value(double alpha) const {
    const double x = adjoint[0] + alpha * sliding[0], y = adjoint[1] + alpha * sliding[1], length = length2(x, y);
    const double growth = length > 0.0 ? (x * sliding[0] + y * sliding[1]) / length : speed();
    return {(quadratic * alpha + linear) * alpha + constant - weight * length,
            2.0 * quadratic * alpha + linear - weight * growth};
  }
  TENDRIL_INLINE GapValue slope(double alpha) const {
    const double length = norm(alpha), area = cross();
    return {value(alpha).slope, 2.0 * quadratic - weight * area * area / (length * length * length)};
  }
  // Twice Eq. 20: beyond half of it G is positive, whatever round-off does.
  TENDRIL_INLINE double bound() const {
    const double p = __builtin_fabs(linear) + weight * speed();
    const double q = __builtin_fabs(constant) + weight * length2(adjoint[0], adjoint[1]);
    return (p + __builtin_sqrt(p * p + 4.0 * quadratic * q)) / quadratic;
  }
};

TENDRIL_INLINE ConeGap cone_gap(const SlideFactor& w, const double* b, double mu) {
  const double approach = -b[0], push = approach / w.normal;
  ConeGap gap;
  gap.quadratic = approach, gap.weight = w.normal / mu;
  gap.sliding[0] = b[1] + push * w.coupling[0], gap.sliding[1] = b[2] + push * w.coupling[1];
  gap.adjoint[0] = w.adjugate[0] * gap.sliding[0] + w.adjugate[1] * gap.sliding[1];
  gap.adjoint[1] = w.adjugate[1] * gap.sliding[0] + w.adjugate[2] * gap.sliding[1];
  gap.linear = approach * w.trace + w.coupling[0] * gap.sliding[0] + w.coupling[1] * gap.sliding[1];
  gap.constant = approach * w.determinant + w.coupling[0] * gap.adjoint[0] + w.coupling[1] * gap.adjoint[1];
  return gap;
}

// The impulse of Eq. 22: on the cone and with u_N = 0, whatever the error of alpha. False: r_N would be negative.
TENDRIL_INLINE bool sliding_impulse(const SlideFactor& w, const ConeGap& gap, double mu, double alpha, double* r) {
  const double x = -(gap.adjoint[0] + alpha * gap.sliding[0]), y = -(gap.adjoint[1] + alpha * gap.sliding[1]);
  const double length = length2(x, y), resistance = w.normal * length + mu * (w.coupling[0] * x + w.coupling[1] * y);
  if (!(length > 0.0) || !(resistance > 0.0)) return false;
  const double share = gap.quadratic / resistance;
  r[0] = share * length, r[1] = mu * share * x, r[2] = mu * share * y;
  return __builtin_isfinite(r[0] + r[1] + r[2]);
}

// One root, from `alpha` on, for sweeps that come back to a contact again and again. False: none was found, which only
// happens if W is not definite.
TENDRIL_INLINE bool slide(const SlideFactor& w, const double* b, double mu, double& alpha, double* r) {
  constexpr int most_iterations = 60;
  constexpr double tolerance =
      1e-4;  // of the last step: Newton's leaves its square, 1e-8, which is all a sweep can use
  const ConeGap gap = cone_gap(w, b, mu);
  double low = 0.0, high = __builtin_inf();  // Eq. 20 is asked for its bound only when a step leaves the bracket
  double x = alpha > 0.0 ? alpha : 0.0;
  for (int i = 0; i < most_iterations; ++i) {
    const double px = gap.adjoint[0] + x * gap.sliding[0], py = gap.adjoint[1] + x * gap.sliding[1];
    const double length = length2(px, py);
    const double value = (gap.quadratic * x + gap.linear) * x + gap.constant - gap.weight * length;
    (value < 0.0 ? low : high) = x;
    // value / slope with one division.
    const double slope_times_length =
        (2.0 * gap.quadratic * x + gap.linear) * length - gap.weight * (px * gap.sliding[0] + py * gap.sliding[1]);
    double next = x - length * value / slope_times_length;
    const bool is_newton = next > low && next < high;
    if (!is_newton) {
      if (high == __builtin_inf()) high = gap.bound();
      if (!__builtin_isfinite(high)) return false;
      next = 0.5 * (low + high);
    }
    const bool settled = __builtin_fabs(next - x) <= (is_newton ? tolerance : 1e-12) * next;
    x = next;
    if (settled) break;
  }
  if (!(x > 0.0) || !sliding_impulse(w, gap, mu, x, r)) return false;
  alpha = x;
  return true;
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
