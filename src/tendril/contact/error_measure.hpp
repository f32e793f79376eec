// How far impulses and velocities are from Coulomb's law (docs/theory/contact.md, "The error").
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/law.hpp"

namespace tendril::contact {

// 3 / tr W_ii: turns velocities of a contact into impulses. 0: no impulse moves it, and it is left out.
template <class System>
std::vector<double> impulse_scales(const System& system) {
  std::vector<double> traces(system.size()), sorted;
  for (std::size_t i = 0; i < system.size(); ++i) traces[i] = system.diagonal(i).trace();
  sorted = traces;
  const auto middle = sorted.begin() + std::ptrdiff_t(sorted.size() / 2);
  if (!sorted.empty()) std::nth_element(sorted.begin(), middle, sorted.end());
  const double least = sorted.empty() ? 0.0 : 1e-14 * *middle;
  for (double& trace : traces) trace = trace > least ? 3.0 / trace : 0.0;
  return traces;
}

inline double contact_error(Law law, double mu, double scale, const Eigen::Vector3d& r, const Eigen::Vector3d& u) {
  if (scale == 0.0) return 0.0;
  if (law == Law::bilateral) return u.lpNorm<Eigen::Infinity>();
  return law_residual_value(r, u, mu, scale).lpNorm<Eigen::Infinity>() / scale;
}

// [m/s] of the worst contact. NaN if a number is.
template <class System>
double largest_error(const System& system, const std::vector<double>& scales, const Impulses& r, const Impulses& u) {
  std::vector<double> errors(system.size());
  parallel_for(system.size(),
               [&](std::size_t i) { errors[i] = contact_error(system.law(i), system.mu(i), scales[i], r[i], u[i]); });
  double worst = 0.0;
  for (const double error : errors) {
    if (std::isnan(error)) return error;
    worst = std::max(worst, error);
  }
  return worst;
}

}  // namespace tendril::contact
