#include "tendril/rods/chain/link_newton.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril::chain {

// Cholesky's factor where there is one: with chains of many points along one line the stiffness is larger along than
// across by their number, and zᵀ G z keeps its digits as a sum of squares.
int LinkNewton::Stiffness::invert() {
  const Eigen::LLT<Eigen::Matrix3d> cholesky(sum_or_root);
  if (cholesky.info() == Eigen::Success) {
    sum_or_root = cholesky.matrixL().solve(Eigen::Matrix3d::Identity());
    signs.setOnes();
    return 0;
  }
  if (!sum_or_root.allFinite()) return -1;
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(sum_or_root);
  const Vector3d values = solver.eigenvalues(), sizes = values.cwiseAbs();
  if (!(sizes.minCoeff() > std::numeric_limits<double>::epsilon() * sizes.maxCoeff())) return -1;
  sum_or_root = sizes.cwiseSqrt().cwiseInverse().asDiagonal() * solver.eigenvectors().transpose();
  signs = values.cwiseSign();
  return int((values.array() < 0.0).count());
}

Vector3d LinkNewton::Stiffness::flex(const Vector3d& force) const {
  const Vector3d scaled = signs.cwiseProduct(sum_or_root * force);
  return sum_or_root.transpose() * scaled;
}

// A link goes before its parent does: mu_c = (v_c · dx - z_c · u_c) / sigma_c, where u_c is the move of child c alone.
// What the parent feels of it is then D - D² G + v vᵀ / sigma, and no matrix grows with the number of children. (K and
// T of docs/theory/chain.md, Trees, in the other order: G = (K + Vᵀ diag(1 / sigma) V)^-1.)
//
// The reduced Hessian is positive definite if and only if a free root has no negative eigenvalue in its stiffness, and
// any other node none and sigma > 0, or one and sigma < 0: it may be unstable along the link to its parent, which keeps
// it where it is. For by Sylvester's law Newton's matrix has as many negative eigenvalues as all eliminated blocks
// together, those of stiffnesses and one of each link with sigma > 0, and the Hessian is positive definite on the links
// if they are no more than there are links. That holds for a subtree as well whose parent stays where it is; if not
// there, then not in the tree.
bool LinkNewton::eliminate(const Branches& tree, std::span<const Vector3d> z, std::span<const double> D) {
  const std::size_t n = tree.parent.size();
  nodes_.resize(n), links_.resize(n);
  for (std::size_t i = 0; i < n; ++i) nodes_[i].sum_or_root = (tree.mass[i] + D[i]) * Eigen::Matrix3d::Identity();
  for (std::size_t i = n; i-- > 1;) {
    Stiffness& node = nodes_[i];
    const int negative = node.invert();
    if (negative < 0 || negative > 1) return false;
    const Vector3d half = node.sum_or_root * z[i], other_half = node.signs.cwiseProduct(half);
    const double sigma = half.dot(other_half);
    if (!(std::abs(sigma) > std::numeric_limits<double>::epsilon() * half.squaredNorm())) return false;
    if (negative != (sigma < 0.0 ? 1 : 0)) return false;
    const Vector3d v = z[i] - D[i] * (node.sum_or_root.transpose() * other_half);
    links_[i] = {v, sigma};
    Eigen::Matrix3d& parent = nodes_[tree.parent[i]].sum_or_root;
    parent += v * (v / sigma).transpose();
    if (D[i] == 0.0) continue;
    const Eigen::Matrix3d G = node.sum_or_root.transpose() * node.signs.asDiagonal() * node.sum_or_root;
    parent += D[i] * Eigen::Matrix3d::Identity() - (D[i] * D[i]) * G;
  }
  return tree.root_held || nodes_[0].invert() == 0;
}

void LinkNewton::solve(const Branches& tree, std::span<const Vector3d> z, std::span<const double> D,
                       std::span<const Vector3d> g, std::span<Vector3d> dx, std::span<double> mu) const {
  const std::size_t n = tree.parent.size();
  std::ranges::copy(g, dx.begin());
  // Up: how each node would move if its parent stayed and the link were cut, and what that does to the parent.
  for (std::size_t i = n; i-- > 1;) {
    dx[i] = nodes_[i].flex(dx[i]);
    mu[i] = z[i].dot(dx[i]) / links_[i].sigma;
    dx[tree.parent[i]] += D[i] * dx[i] + mu[i] * links_[i].v;
  }
  dx[0] = tree.root_held ? Vector3d::Zero() : nodes_[0].flex(dx[0]);
  mu[0] = 0.0;
  for (std::size_t i = 1; i < n; ++i) {
    const Vector3d& parent = dx[tree.parent[i]];
    mu[i] = links_[i].v.dot(parent) / links_[i].sigma - mu[i];
    dx[i] += nodes_[i].flex(D[i] * parent + mu[i] * z[i]);
  }
}

}  // namespace tendril::chain
