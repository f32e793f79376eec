#include "tendril/linalg/bcqp/problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril::bcqp {

void project(const Problem& problem, Vector& x) { x = x.cwiseMax(problem.lower).cwiseMin(problem.upper); }

void gradient(const Problem& problem, const Vector& x, Vector& g) {
  if ((x.array() == 0.0).all()) {  // the usual start
    g = -problem.b;
    return;
  }
  problem.matrix.multiply(x, g);
  g -= problem.b;
}

double objective(const Problem& problem, const Vector& x, const Vector& g) { return 0.5 * x.dot(g - problem.b); }

double projected_gradient_norm(const Problem& problem, const Vector& x, const Vector& g) {
  double sum = 0.0;
  for (Index i = 0; i < problem.size(); ++i) {
    const bool at_lower = x[i] <= problem.lower[i], at_upper = x[i] >= problem.upper[i];
    const double down = at_lower && g[i] > 0.0 ? 0.0 : g[i];
    const double projected = at_upper && down < 0.0 ? 0.0 : down;
    sum += at_lower && at_upper ? 0.0 : projected * projected;
  }
  return std::sqrt(sum);
}

double eigenvalue_bound(Matrix& matrix, const Vector& weights, Vector& work) {
  work.resize(matrix.size());
  matrix.multiply_absolute(weights, work);
  work = work.cwiseProduct(weights);
  if (!work.allFinite()) return std::numeric_limits<double>::infinity();  // asked first: Eigen's max skips a NaN
  return matrix.size() > 0 ? work.maxCoeff() : 0.0;
}

double gradient_noise(const Problem& problem, const Vector& x, Vector& work) {
  problem.matrix.multiply_absolute(x, work);
  return 16.0 * std::numeric_limits<double>::epsilon() * (work + problem.b.cwiseAbs()).norm();
}

}  // namespace tendril::bcqp
