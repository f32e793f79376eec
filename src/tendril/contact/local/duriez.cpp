#include "tendril/contact/local/duriez.hpp"

#include <cmath>

namespace tendril::contact::local {
namespace {

// The nearest point of the disc.
Vector2d within(const Vector2d& tangential, double radius) {
  const double length = tangential.norm();
  return length > radius ? Vector2d((radius / length) * tangential) : tangential;
}

Vector2d solve2(const Eigen::Matrix2d& a, const Vector2d& b) {
  const double determinant = a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0);
  return Vector2d(a(1, 1) * b[0] - a(0, 1) * b[1], a(0, 0) * b[1] - a(1, 0) * b[0]) / determinant;
}

double largest_eigenvalue(const Eigen::Matrix2d& a) {
  return 0.5 * (a.trace() + std::hypot(a(0, 0) - a(1, 1), 2.0 * a(0, 1)));
}

Vector3d joined(double normal, const Vector2d& tangential) { return {normal, tangential[0], tangential[1]}; }

// Its fixed point need not obey the law, so that it ends where it stands still.
template <class Map>
Attempt fixed_point(const UnitProblem& problem, int max_iterations, Vector3d r, Map&& map) {
  int iteration = 0;
  for (double moved = 1.0; iteration < max_iterations && moved > 0.25 * problem.tolerance; ++iteration) {
    const Vector3d next = map(r);
    if (!next.allFinite()) break;
    moved = (next - r).norm();
    r = next;
  }
  return judged(problem, r, iteration);
}

}  // namespace

Attempt duriez06(const UnitProblem& problem, int max_iterations, const Vector3d& start) {
  const Vector2d coupling = problem.w.col(0).tail<2>();
  const Eigen::Matrix2d tangential = problem.w.bottomRightCorner<2, 2>();
  return fixed_point(problem, max_iterations, start, [&](const Vector3d& r) -> Vector3d {
    const double normal = -(problem.b[0] + coupling.dot(r.tail<2>())) / problem.w(0, 0);
    if (!(normal > 0.0)) return Vector3d::Zero();
    const Vector2d sticking = -solve2(tangential, problem.b.tail<2>() + normal * coupling);
    return joined(normal, within(sticking, problem.mu * normal));
  });
}

Attempt duriez08(const UnitProblem& problem, int max_iterations, const Vector3d& start) {
  const double fastest = largest_eigenvalue(problem.w.bottomRightCorner<2, 2>());
  return fixed_point(problem, max_iterations, start, [&](const Vector3d& r) -> Vector3d {
    const Vector3d u = problem.velocity(r);
    const double normal = std::max(0.0, r[0] - u[0] / problem.w(0, 0));
    return joined(normal, within(r.tail<2>() - u.tail<2>() / fastest, problem.mu * normal));
  });
}

}  // namespace tendril::contact::local
