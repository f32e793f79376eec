#include "tendril/rods/superhelix/balance.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/superhelix/forces.hpp"
#include "tendril/rods/superhelix/static_potential.hpp"

namespace tendril::superhelix {
namespace {

constexpr int most_doublings = 20;

double largest(const std::vector<double>& force) {
  double most = 0.0;
  for (const double f : force) most = std::max(most, std::abs(f));
  return most;
}

bool is_stable(const Strands& strands, State& state, std::size_t s, const Eigen::Vector3d& gravity) {
  StaticPotential potential(strands, state, s, gravity);
  return Eigen::LLT<Eigen::MatrixXd>(potential.hessian(potential.unknowns())).info() == Eigen::Success;
}

}  // namespace

std::vector<Balance> balance(State state, const Eigen::Vector3d& gravity, Strands& strands) {
  std::vector<Balance> out(strands.size());
  const std::size_t n = strands.unknowns();
  parallel_for(strands.size(), [&](std::size_t s) {
    Balance& found = out[s];
    const double scale = StaticPotential(strands, state, s, gravity).force_scale();
    const double unit = scale > 0.0 ? scale : 1.0;
    const std::vector<double> force = static_force(strands, state, s, gravity);
    found.before = largest(force) / unit;
    found.stable = is_stable(strands, state, s, gravity);
    for (int k = 0; k < most_doublings && !found.stable; ++k) {
      found.stiffness_factor *= 2.0;
      strands.scale_stiffness_of(s, 2.0);
      found.stable = is_stable(strands, state, s, gravity);
    }
    const std::vector<double> off = static_force(strands, state, s, gravity);
    std::vector<double> rest(strands.rest(s).begin(), strands.rest(s).end());
    for (std::size_t u = 0; u < n; ++u) rest[u] -= off[u] / strands.stiffness(s)[u];
    strands.set_rest_of(s, rest);
    found.after = largest(static_force(strands, state, s, gravity)) / unit;
  });
  return out;
}

}  // namespace tendril::superhelix
