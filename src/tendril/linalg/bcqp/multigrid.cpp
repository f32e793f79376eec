#include "tendril/linalg/bcqp/multigrid.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::bcqp {
namespace {

using Sparse = Eigen::SparseMatrix<double>;
constexpr Index coarsest_size = 12;
constexpr int nobody = -1;

Sparse symmetric_matrix(const SparseFactor& lower) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index j = 0; j < lower.size(); ++j) {
    const auto column = std::size_t(j);
    entries.emplace_back(int(j), int(j), lower.diagonal[column]);
    for (auto at = std::size_t(lower.starts[column]); at < std::size_t(lower.starts[column + 1]); ++at) {
      entries.emplace_back(int(lower.rows[at]), int(j), lower.values[at]);
      entries.emplace_back(int(j), int(lower.rows[at]), lower.values[at]);
    }
  }
  Sparse a(lower.size(), lower.size());
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

// Each unknown that belongs to nobody yet founds an aggregate with those of its strong neighbours that do not either.
// Returns how many there are.
int aggregate(const Sparse& a, const Vector& root_of_diagonal, std::vector<int>& owner) {
  constexpr double strong = 0.08;
  owner.assign(std::size_t(a.cols()), nobody);
  int count = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    if (owner[std::size_t(j)] != nobody) continue;
    for (Sparse::InnerIterator entry(a, j); entry; ++entry) {
      const Index i = entry.row();
      const bool connected = std::abs(entry.value()) > strong * root_of_diagonal[i] * root_of_diagonal[j];
      if (owner[std::size_t(i)] == nobody && connected) owner[std::size_t(i)] = count;
    }
    owner[std::size_t(j)] = count++;
  }
  return count;
}

// Indicators of the aggregates, of length one.
Sparse tentative_prolongation(const std::vector<int>& owner, int count) {
  std::vector<double> members(std::size_t(count), 0.0);
  for (const int group : owner) members[std::size_t(group)] += 1.0;
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t i = 0; i < owner.size(); ++i)
    entries.emplace_back(int(i), owner[i], 1.0 / std::sqrt(members[std::size_t(owner[i])]));
  Sparse t(Index(owner.size()), count);
  t.setFromTriplets(entries.begin(), entries.end());
  return t;
}

// Gershgorin's, of D^-1/2 A D^-1/2, which has the eigenvalues of D⁻¹A.
double largest_eigenvalue(const Sparse& a, const Vector& root_of_diagonal) {
  double largest = 0.0;
  for (Index j = 0; j < a.cols(); ++j) {
    double sum = 0.0;
    for (Sparse::InnerIterator entry(a, j); entry; ++entry)
      sum += std::abs(entry.value()) / (root_of_diagonal[entry.row()] * root_of_diagonal[j]);
    largest = std::max(largest, sum);
  }
  return largest;
}

}  // namespace

bool Multigrid::prepare(Matrix& matrix) {
  matrix.copy_lower(lower_);
  levels_.clear();
  return add_level(symmetric_matrix(lower_));
}

// Adds a level and all that are coarser. Aggregates that do not shrink the matrix end it too: smoothing has to do
// there.
bool Multigrid::add_level(Sparse a) {
  const Vector diagonal = a.diagonal();
  if (!(diagonal.array() > 0.0).all()) return false;
  const Vector root = diagonal.cwiseSqrt();
  const double eigenvalue = largest_eigenvalue(a, root);
  const double omega = std::min(0.6, 1.9 / eigenvalue);  // above 2 / eigenvalue the cycle is not positive definite
  Level& level = levels_.emplace_back();
  level.a = a;
  level.smoother = omega * diagonal.cwiseInverse();
  level.all.setOnes(a.cols());
  level.found.resize(a.cols());
  if (a.cols() <= coarsest_size) {
    Eigen::MatrixXd dense(a);
    dense.diagonal() *= 1.0 + 1e-12;  // a singular matrix is no obstacle to a preconditioner
    return coarsest_.compute(dense).info() == Eigen::Success;
  }

  std::vector<int> owner;
  const int count = aggregate(a, root, owner);
  if (count == a.cols()) return true;
  const Sparse tentative = tentative_prolongation(owner, count);
  const Sparse smoothing = (4.0 / 3.0 / eigenvalue) * diagonal.cwiseInverse().asDiagonal() * a;
  level.prolongation = tentative - Sparse(smoothing * tentative);
  const Sparse transposed = level.prolongation.transpose();
  return add_level(transposed * Sparse(a * level.prolongation));
}

void Multigrid::apply(const Vector& free, const Vector& r, Vector& z) { cycle(0, free, r, z); }

// Smooth, correct from the coarser level, smooth. Everything that is added to z is masked, which keeps the operator
// symmetric.
void Multigrid::cycle(std::size_t depth, const Vector& mask, const Vector& r, Vector& z) {
  Level& level = levels_[depth];
  const bool coarsest = level.prolongation.cols() == 0;
  if (coarsest && r.size() <= coarsest_size) {
    z = coarsest_.solve(r).cwiseProduct(mask);
    return;
  }
  z = level.smoother.cwiseProduct(mask).cwiseProduct(r);
  if (!coarsest) {
    level.residual = mask.cwiseProduct(r - level.a * z);
    Level& coarser = levels_[depth + 1];
    coarser.right = level.prolongation.transpose() * level.residual;
    cycle(depth + 1, coarser.all, coarser.right, coarser.found);
    level.correction = level.prolongation * coarser.found;
    z += mask.cwiseProduct(level.correction);
  }
  level.residual = r - level.a * z;
  z += level.smoother.cwiseProduct(mask).cwiseProduct(level.residual);
}

}  // namespace tendril::bcqp
