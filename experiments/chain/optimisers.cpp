// Against a method that knows nothing of chains: augmented Lagrangian with Newton steps by a sparse factor.
#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>

#include "experiments/chain/chain.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::experiments::chain {
namespace {

using Eigen::Index;
using Eigen::Vector3d;
using Eigen::VectorXd;
using tendril::chain::Problem;

enum class Held { root, nothing, both };

// Masses over two decades, links from half to one and a half.
Problem random_problem(std::uint64_t seed, std::size_t points, Held held) {
  Random random(seed, 1);
  Problem out = tendril::chain::noisy_chain(seed, points, 0.0);
  std::vector<Vector3d>& x = out.start;
  for (std::size_t i = 0; i + 1 < points; ++i) {
    out.length[i] = random.uniform(0.5, 1.5);
    const Vector3d link = (out.prediction[i + 1] - out.prediction[i]).normalized();
    x[i + 1] = x[i] + out.length[i] * link;
  }
  for (std::size_t i = 0; i < points; ++i) {
    const bool is_held = (i == 0 && held != Held::nothing) || (i + 1 == points && held == Held::both);
    out.inverse_mass[i] = is_held ? 0.0 : std::pow(10.0, random.uniform(-1.0, 1.0));
    const Vector3d noise(random.normal(), random.normal(), random.normal());
    out.prediction[i] = is_held ? x[i] : Vector3d(x[i] + 0.3 * noise);
  }
  return out;
}

// f + lamᵀ c + penalty/2 |c|² in the points that are not held.
class Lagrangian {
 public:
  explicit Lagrangian(const Problem& problem) : problem_(problem), lam_(VectorXd::Zero(Index(problem.length.size()))) {
    for (const double w : problem.inverse_mass) at_.push_back(w > 0.0 ? std::exchange(size_, size_ + 3) : -1);
  }

  // Newton steps in all.
  int solve(std::vector<Vector3d>& x) {
    int steps = 0;
    for (int outer = 0; outer < 40; ++outer) {
      for (int inner = 0; inner < 100; ++inner, ++steps)
        if (!step(x)) break;
      const VectorXd c = gaps(x);
      lam_ += penalty_ * c;
      if (c.lpNorm<Eigen::Infinity>() < 1e-11) break;
      penalty_ = std::min(1e4, 3.0 * penalty_);
    }
    return steps;
  }
  double objective(const std::vector<Vector3d>& x) const {
    double twice = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (at_[i] >= 0) twice += (x[i] - problem_.prediction[i]).squaredNorm() / problem_.inverse_mass[i];
    return 0.5 * twice;
  }

 private:
  VectorXd gaps(const std::vector<Vector3d>& x) const {
    VectorXd c(lam_.size());
    for (Index i = 0; i < c.size(); ++i) {
      const double l = problem_.length[std::size_t(i)];
      c[i] = 0.5 * ((x[std::size_t(i)] - x[std::size_t(i) + 1]).squaredNorm() - l * l);
    }
    return c;
  }
  double value(const std::vector<Vector3d>& x) const {
    const VectorXd c = gaps(x);
    return objective(x) + lam_.dot(c) + 0.5 * penalty_ * c.squaredNorm();
  }

  bool step(std::vector<Vector3d>& x) const {
    VectorXd gradient = VectorXd::Zero(size_);
    std::vector<Eigen::Triplet<double>> entries;
    const auto add = [&](Index row, Index column, const Eigen::Matrix3d& block) {
      for (Index i = 0; i < 3; ++i)
        for (Index j = 0; j < 3; ++j) entries.emplace_back(int(row + i), int(column + j), block(i, j));
    };
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (at_[i] < 0) continue;
      gradient.segment<3>(at_[i]) += (x[i] - problem_.prediction[i]) / problem_.inverse_mass[i];
      add(at_[i], at_[i], Eigen::Matrix3d::Identity() / problem_.inverse_mass[i]);
    }
    const VectorXd c = gaps(x);
    for (std::size_t k = 0; k + 1 < x.size(); ++k) {
      const Vector3d z = x[k] - x[k + 1];
      const double pull = lam_[Index(k)] + penalty_ * c[Index(k)];
      const Eigen::Matrix3d block = pull * Eigen::Matrix3d::Identity() + penalty_ * z * z.transpose();
      for (const std::size_t a : {k, k + 1}) {
        if (at_[a] < 0) continue;
        gradient.segment<3>(at_[a]) += (a == k ? pull : -pull) * z;
        for (const std::size_t b : {k, k + 1})
          if (at_[b] >= 0) add(at_[a], at_[b], a == b ? block : Eigen::Matrix3d(-block));
      }
    }
    if (gradient.norm() < 1e-11) return false;
    Eigen::SparseMatrix<double> hessian(size_, size_);
    hessian.setFromTriplets(entries.begin(), entries.end());
    Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>, Eigen::Lower, Eigen::NaturalOrdering<int>> factor(hessian);
    const auto is_definite = [&] { return factor.info() == Eigen::Success && factor.vectorD().minCoeff() > 0.0; };
    for (double shift = 1e-3; shift < 1e9 && !is_definite(); shift *= 4.0) factor.setShift(shift).factorize(hessian);
    if (!is_definite()) return false;
    const VectorXd move = -factor.solve(gradient);
    const double before = value(x), slope = gradient.dot(move);
    for (double alpha = 1.0; alpha > 1e-10; alpha *= 0.5) {
      std::vector<Vector3d> trial = x;
      for (std::size_t i = 0; i < x.size(); ++i)
        if (at_[i] >= 0) trial[i] += alpha * move.segment<3>(at_[i]);
      if (value(trial) > before + 1e-4 * alpha * slope) continue;
      x.swap(trial);
      return true;
    }
    return false;
  }

  const Problem& problem_;
  std::vector<Index> at_;  // of points; -1: held
  Index size_ = 0;
  VectorXd lam_;
  double penalty_ = 10.0;
};

}  // namespace

Findings optimisers(const Context& context) {
  Findings out;
  plot::Table table{.caption =
                        "Chains one by one: the objective of the projection, how much it is above that of the general "
                        "method, how far "
                        "apart both are over the correction, and the steps that both took",
                    .columns = {{"points", true},
                                {"held"},
                                {"objective", true},
                                {"above", true},
                                {"apart", true},
                                {"ours", true},
                                {"general", true}},
                    .rows = {}};
  double worst = 0.0, farthest = 0.0;
  int better = 0, same = 0, chains = 0, most_ours = 0, fewest_theirs = 1 << 30;
  std::uint64_t seed = 1;
  for (const std::size_t points :
       {std::size_t(5), std::size_t(10), std::size_t(20), std::size_t(40), std::size_t(100), std::size_t(200)}) {
    if (context.quick && points > 10) break;
    for (const auto& [held, name] :
         {std::pair(Held::root, "root"), std::pair(Held::nothing, "nothing"), std::pair(Held::both, "both ends")}) {
      const Problem problem = random_problem(seed++, points, held);
      tendril::chain::Options exact;
      exact.tolerance = 1e-12, exact.max_iterations = 400;
      const auto ours = project(problem, exact);
      Lagrangian general(problem);
      std::vector<Vector3d> x = problem.start;
      const int theirs = general.solve(x);
      const double value = general.objective(ours.positions), other = general.objective(x);
      const double difference = value / other - 1.0;
      // They may have come to rest in another minimum: ours must not be the worse one.
      if (difference < -1e-6) ++better;
      const double apart = tendril::chain::mass_norm(problem, ours.positions, x) / std::sqrt(2.0 * other);
      worst = std::max(worst, difference);
      if (std::abs(difference) < 1e-6) farthest = std::max(farthest, apart), ++same;
      ++chains;
      most_ours = std::max(most_ours, ours.chains[0].iterations), fewest_theirs = std::min(fewest_theirs, theirs);
      table.rows.push_back({fmt::format("{}", points), name, fmt::format("{:.10g}", value),
                            fmt::format("{:.1e}", difference), fmt::format("{:.1e}", apart),
                            fmt::format("{}", ours.chains[0].iterations), fmt::format("{}", theirs)});
    }
  }
  out.claim("objective over that of the general method, less one, at most", no_figure("equal to 10 digits"),
            fmt::format("{:.1e}", worst), "1e-9", worst < 1e-9);
  out.claim("distance between both in the norm of the masses, over the correction, where the minimum is the same",
            no_figure("1e-14 to 1e-8"), fmt::format("{:.1e}, {} of {} chains", farthest, same, chains), "1e-8, of most",
            farthest < 1e-8 && 2 * same > chains);
  out.tell("iterations of the projection, most; Newton steps of the general method, fewest", no_figure("19; 10"),
           fmt::format("{}; {}", most_ours, fewest_theirs));
  out.tell("chains of which the general method ended in a minimum that is farther away", no_figure("not counted"),
           fmt::format("{}", better));
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace tendril::experiments::chain
