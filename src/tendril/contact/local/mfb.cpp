#include "tendril/contact/local/mfb.hpp"

#include "tendril/contact/local/solve3.hpp"

namespace tendril::contact::local {
namespace {

constexpr double least_descent =
    1e-3;  // cosine between a Newton step and steepest descent of |f|² below which it is refused

// Newton's step, or steepest descent with the length that is right for the linearised f. False: f is stationary.
bool find_step(const LawResidual& f, const Matrix3d& w, Vector3d& step) {
  const Matrix3d jacobian = f.by_r + f.by_u * w;
  const Vector3d gradient = jacobian.transpose() * f.value;
  if (solve3(jacobian, -f.value, step) && step.dot(gradient) <= -least_descent * step.norm() * gradient.norm())
    return true;
  const double change = (jacobian * gradient).squaredNorm();
  if (!(change > 0.0)) return false;
  step = -(gradient.squaredNorm() / change) * gradient;
  return true;
}

}  // namespace

Attempt mfb(const UnitProblem& problem, int max_iterations, const Vector3d& start) {
  Attempt best{start, std::numeric_limits<double>::infinity(), 0};
  Vector3d r = start, step;
  for (int iteration = 0;; ++iteration) {
    const LawResidual f = law_residual(r, problem.velocity(r), problem.mu, 1.0);
    const double norm = f.value.norm();
    best.iterations = iteration;
    const bool improves = norm < 0.5 * best.residual;  // a NaN does not
    if (norm < best.residual) best.r = r, best.residual = norm;
    if (best.residual <= problem.tolerance || (!improves && solved(problem, best))) return best;
    if (iteration >= max_iterations || !std::isfinite(norm) || !find_step(f, problem.w, step)) return best;
    r += step;
  }
}

}  // namespace tendril::contact::local
