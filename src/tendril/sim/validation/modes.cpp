#include "tendril/sim/validation/modes.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace tendril::validation {

Modes modes(const Specimen& specimen, Motion motion) {
  using P = der::ParameterLayout;
  const der::Rod rod = specimen.rod();
  const Band<double> hessian = exact_hessian(rod);
  const auto component = std::size_t(motion);
  std::vector<std::size_t> free;
  for (std::size_t u = component; u < rod.unknowns(); u += 4)
    if (rod.is_free(u)) free.push_back(u);
  const auto inertia = [&](std::size_t u) {
    return rod.parameter(int(u / 4), motion == Motion::about ? P::inertia : P::mass);
  };
  const auto size = Eigen::Index(free.size());
  Eigen::MatrixXd scaled = Eigen::MatrixXd::Zero(size, size);  // M^-1/2 K M^-1/2
  for (Eigen::Index a = 0; a < size; ++a)
    for (Eigen::Index b = 0; b <= a; ++b) {
      const std::size_t row = free[std::size_t(a)], column = free[std::size_t(b)];
      if (row - column <= hessian.width)
        scaled(a, b) = hessian.at(row, column) / std::sqrt(inertia(row) * inertia(column));
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(scaled);  // reads the lower half
  Modes out{solver.eigenvalues().cwiseMax(0.0).cwiseSqrt(), Eigen::MatrixXd::Zero(rod.user_vertices, size)};
  for (Eigen::Index a = 0; a < size; ++a) {
    const auto vertex = Eigen::Index(free[std::size_t(a)] / 4) - rod.first;
    out.shapes.row(vertex) = solver.eigenvectors().row(a) / std::sqrt(inertia(free[std::size_t(a)]));
  }
  return out;
}

}  // namespace tendril::validation
