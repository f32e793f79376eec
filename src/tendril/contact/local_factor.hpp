// One contact in closed form (docs/theory/contact.md, "Gauss-Seidel"): what of u = W r + b does not change while sweeps
// come back to it, and the impulse for a given b. In plain doubles for kernels.
#pragma once

#include "tendril/contact/cone_gap.hpp"

namespace tendril::contact {

// Symmetric matrices by xx, xy, xz, yy, yz, zz.
struct LocalFactor {
  SlideFactor sliding;
  double tangential[3];  // W_T
  double inverse[6];     // of W
  double mu;
};

inline namespace TENDRIL_ISA_NAMESPACE {

// W r.
TENDRIL_INLINE void times(const LocalFactor& f, const double* r, double* out) {
  const double* const c = f.sliding.coupling;
  out[0] = f.sliding.normal * r[0] + c[0] * r[1] + c[1] * r[2];
  out[1] = c[0] * r[0] + f.tangential[0] * r[1] + f.tangential[1] * r[2];
  out[2] = c[1] * r[0] + f.tangential[1] * r[1] + f.tangential[2] * r[2];
}

// For a regular W and b_N < 0. `alpha`: of the last time it slid. False: no answer was found.
TENDRIL_INLINE bool pressed_impulse(const LocalFactor& f, const double* b, double& alpha, double* r) {
  if (f.mu == 0.0) {
    r[0] = -b[0] / f.sliding.normal, r[1] = r[2] = 0.0;
    return true;
  }
  const double* const m = f.inverse;
  r[0] = -(m[0] * b[0] + m[1] * b[1] + m[2] * b[2]);
  r[1] = -(m[1] * b[0] + m[3] * b[1] + m[4] * b[2]);
  r[2] = -(m[2] * b[0] + m[4] * b[1] + m[5] * b[2]);
  if (f.mu * r[0] >= length2(r[1], r[2])) return true;
  return slide(f.sliding, b, f.mu, alpha, r);
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
