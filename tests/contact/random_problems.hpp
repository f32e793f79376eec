// Random contacts for tests.
#pragma once

#include <cmath>

#include "tendril/base/random.hpp"
#include "tendril/contact/law.hpp"
#include "tendril/contact/local_problem.hpp"

namespace tendril::contact {

inline Vector3d random_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

inline Matrix3d random_frame(Random& random) {
  Matrix3d frame;
  for (int column = 0; column < 3; ++column) {
    frame.col(column) = random_vector(random);
    for (int k = 0; k < column; ++k) frame.col(column) -= frame.col(k) * frame.col(k).dot(frame.col(column));
    frame.col(column) /= frame.col(column).norm();
  }
  return frame;
}

// Approaching, with eigenvalues of w between 1/condition and 1.
inline LocalProblem random_problem(Random& random, double condition, double mu) {
  const Vector3d eigenvalues(1.0, std::pow(condition, -random.uniform()), 1.0 / condition);
  const Matrix3d frame = random_frame(random), w = frame * eigenvalues.asDiagonal() * frame.transpose();
  const Vector3d b = random_vector(random);
  return {0.5 * (w + w.transpose()), Vector3d(-std::abs(b[0]), b[1], b[2]), mu};
}

}  // namespace tendril::contact
