// Solves for the impulse of one contact with all others held (docs/theory/contact.md, "Local solvers"): u = w r + b
// with r and u in Coulomb's law. Pure functions without allocation: the same input gives the same bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tendril/contact/law.hpp"
#include "tendril/contact/local_problem.hpp"

namespace tendril::contact {

enum class LocalMethod : std::uint8_t {
  mfb,          // semismooth Newton on the Fischer-Burmeister function
  enumerative,  // "enum": take-off, stick, or slide by one scalar root
  pac,          // semismooth Newton on the Alart-Curnier function, full steps
  dac,          // the same, damped
  duriez06,     // splits normal and friction; slides along the sticking impulse: inexact, for comparison
  duriez08,     // projected fixed point
  four_sides,   // "4sides": a pyramid in place of the cone: inexact, for comparison
};

enum class LocalOutcome : std::uint8_t {
  converged,
  rescued,   // by the fail-safe, after the method itself failed
  unsolved,  // above the tolerance: no method got there, or there is no solution, or the input is not finite
};

std::string_view name(LocalMethod method);
std::string_view name(LocalOutcome outcome);
std::optional<LocalMethod> local_method_named(std::string_view name);
std::span<const std::string_view> local_method_names();

struct LocalOptions {
  LocalMethod method = LocalMethod::mfb;
  bool fail_safe = true;     // the enumerative solver, then more Newton steps, where the method fails
  double tolerance = 1e-10;  // [m/s] on LocalReport::residual; a sweep wants 1e-3 of its own
  int max_iterations = 50;   // Newton steps; fixed points get four times as many
};

struct LocalReport {
  Vector3d r;  // [N s]; where unsolved the best that was met (of the inexact methods: their own answer)
  LocalOutcome outcome;
  int iterations;   // of the method and of the fail-safe
  double residual;  // [m/s] |f|/rho at r
};

// rho = 3 / tr w [kg].
double impulse_scale(const Eigen::Matrix3d& w);

// start: the guess; of several solutions by `enum` the nearest to it is taken.
[[nodiscard]] LocalReport solve_local(const LocalProblem& problem, const LocalOptions& options, const Vector3d& start);

}  // namespace tendril::contact
