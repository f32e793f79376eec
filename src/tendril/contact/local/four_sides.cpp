#include "tendril/contact/local/four_sides.hpp"

#include <array>
#include <cmath>

#include "tendril/contact/local/solve3.hpp"

namespace tendril::contact::local {
namespace {

// Per axis: 0 sticks, else r_k = side * μ r_N.
using Sides = std::array<int, 2>;

bool impulse_in_state(const UnitProblem& problem, const Sides& sides, Vector3d& r) {
  Matrix3d a = problem.w;
  Vector3d right = -problem.b;
  for (int axis = 1; axis <= 2; ++axis) {
    const int side = sides[std::size_t(axis - 1)];
    if (side == 0) continue;
    a.row(axis).setZero();
    a(axis, axis) = 1.0;
    a(axis, 0) = -side * problem.mu;
    right[axis] = 0.0;
  }
  return solve3(a, right, r);
}

bool admissible(const UnitProblem& problem, const Sides& sides, const Vector3d& r) {
  const Vector3d u = problem.velocity(r);
  if (!(r[0] >= 0.0)) return false;
  for (int axis = 1; axis <= 2; ++axis) {
    const int side = sides[std::size_t(axis - 1)];
    if (side == 0 ? std::abs(r[axis]) > problem.mu * r[0] : side * u[axis] > 0.0) return false;
  }
  return true;
}

}  // namespace

Attempt four_sides(const UnitProblem& problem) {
  constexpr std::array<int, 3> choices = {0, 1, -1};
  const Vector3d none = Vector3d::Zero();
  if (problem.b[0] >= 0.0) return judged(problem, none, 0);
  int states = 0;
  for (const int first : choices)
    for (const int second : choices) {
      ++states;
      Vector3d r;
      const Sides sides = {first, second};
      if (impulse_in_state(problem, sides, r) && admissible(problem, sides, r)) return judged(problem, r, states);
    }
  return judged(problem, none, states);
}

}  // namespace tendril::contact::local
