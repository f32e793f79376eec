// Contract between models and minimisers: time integration and statics as minimisation over a flat vector. Newton,
// quasi-Newton methods and statics are written once against it.
#pragma once

#include <Eigen/Core>
#include <concepts>

namespace tendril {

template <class P>
concept IncrementalPotential = requires(P& potential, const Eigen::VectorXd& x, Eigen::VectorXd& out) {
  // Any x may be tried; infinity or NaN means that x is out of bounds.
  { potential.value(x) } -> std::convertible_to<double>;
  // Overwrites out. Called at accepted iterates only: a potential with frames carries them along here.
  { potential.gradient(x, out) } -> std::same_as<void>;
  // At the x of the last gradient. False: no positive definite form could be had.
  { potential.factorise(x) } -> std::same_as<bool>;
  // out = H^-1 x with the last factorisation.
  { potential.solve(x, out) } -> std::same_as<void>;
};

}  // namespace tendril
