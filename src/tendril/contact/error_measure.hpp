// How far impulses and velocities are from Coulomb's law (docs/theory/contact.md, "The error").
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "tendril/contact/law.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

// [m/s]. `scale`: 3 / tr W_ii; 0: no impulse moves it, and it is left out.
inline double contact_error(Law law, double mu, double scale, const Eigen::Vector3d& r, const Eigen::Vector3d& u) {
  if (scale == 0.0) return 0.0;
  const Eigen::Vector3d f = law == Law::bilateral ? u : law_residual_value(r, u, mu, scale) / scale;
  return f.allFinite() ? f.lpNorm<Eigen::Infinity>() : std::numeric_limits<double>::quiet_NaN();
}

// NaN if one of them is.
inline double largest(std::span<const double> errors) {
  double worst = 0.0;
  for (const double error : errors) {
    if (std::isnan(error)) return error;
    if (error > worst) worst = error;
  }
  return worst;
}

}  // namespace tendril::contact
