#include "tendril/rods/chain/kkt_tree.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>

namespace tendril::chain {

using Eigen::Matrix3d;
using Eigen::Matrix4d;
using Eigen::Vector3d;
using Eigen::Vector4d;

namespace {

// Of K, symmetric and not definite: its inverse, and how many eigenvalues are negative; -1: it has none. The multiplier
// is counted in units in which its row is as large as the others.
int invert_by_eigenvalues(const Matrix4d& K, Matrix4d& inverse) {
  const double across = K.topLeftCorner<3, 3>().norm(), along = K.topRightCorner<3, 1>().norm();
  const double unit = across > 0.0 && along > 0.0 ? across / along : 1.0;
  const Vector4d scale(1.0, 1.0, 1.0, unit);
  const Matrix4d scaled = scale.asDiagonal() * K * scale.asDiagonal();
  if (!scaled.allFinite()) return -1;
  const Eigen::SelfAdjointEigenSolver<Matrix4d> solver(scaled);
  const Vector4d values = solver.eigenvalues(), sizes = values.cwiseAbs();
  if (!(sizes.minCoeff() > std::numeric_limits<double>::epsilon() * sizes.maxCoeff())) return -1;
  inverse = solver.eigenvectors() * values.cwiseInverse().asDiagonal() * solver.eigenvectors().transpose();
  inverse = scale.asDiagonal() * inverse * scale.asDiagonal();
  return int((values.array() < 0.0).count());
}

// Likewise of [A -z; -zᵀ -a] where A is positive definite; false: it is not.
bool invert_by_cholesky(const Matrix4d& K, Matrix4d& inverse, int& negative) {
  const Eigen::LLT<Matrix3d> cholesky(K.topLeftCorner<3, 3>());
  if (cholesky.info() != Eigen::Success) return false;
  const Matrix3d G = cholesky.solve(Matrix3d::Identity());
  const Vector3d w = G * K.topRightCorner<3, 1>();
  const double pivot = K(3, 3) - K.topRightCorner<3, 1>().dot(w);
  if (!(std::abs(pivot) > 0.0) || !std::isfinite(1.0 / pivot)) return false;
  inverse.topLeftCorner<3, 3>() = G + w * (w / pivot).transpose();
  inverse.topRightCorner<3, 1>() = -w / pivot, inverse.bottomLeftCorner<1, 3>() = -w.transpose() / pivot;
  inverse(3, 3) = 1.0 / pivot;
  negative = pivot < 0.0 ? 1 : 0;
  return true;
}

}  // namespace

bool KktTree::invert(const Matrix4d& stiffness, Node& node) {
  int negative = 0;
  if (!invert_by_cholesky(stiffness, node.flexibility, negative))
    negative = invert_by_eigenvalues(stiffness, node.flexibility);
  if (negative < 0) return false;
  negative_ += std::size_t(negative);
  return true;
}

// What a node and its link leave behind when they are eliminated is a stiffness of its parent, one of the parent of
// that, and a coupling of the two (Eq. 43).
bool KktTree::factorise(const KktTerms& terms, std::span<const Vector3d> z) {
  const std::size_t n = terms.mass.size();
  parents_.assign(terms.parents.begin(), terms.parents.end());
  nodes_.resize(n), stiffness_.assign(n, Matrix3d::Zero()), coupling_.assign(n, Matrix3d::Zero());
  negative_ = equations_ = 0;
  for (std::size_t i = n; i-- > 0;) {
    Node& node = nodes_[i];
    node.is_free = terms.free[i] != 0;
    node.has_link = i > 0 && node.is_free && (terms.active.empty() || terms.active[i - 1] != 0);
    node.parent.setZero(), node.grandparent = 0.0;
    if (!node.is_free) continue;
    const double D = i > 0 ? terms.D[i - 1] : 0.0;
    Matrix4d K = Matrix4d::Zero();
    K.topLeftCorner<3, 3>() = stiffness_[i] + (terms.mass[i] + terms.bending.diagonal[i] + D) * Matrix3d::Identity();
    K(3, 3) = 1.0;
    if (node.has_link) {
      ++equations_;
      K.topRightCorner<3, 1>() = -z[i - 1], K.bottomLeftCorner<1, 3>() = -z[i - 1].transpose();
      K(3, 3) = terms.softness.empty() ? 0.0 : -terms.softness[i - 1];
    }
    if (!invert(K, node)) return false;
    const std::size_t parent = parents_[i];
    if (i == 0 || terms.free[parent] == 0) continue;
    node.parent.topRows<3>() = coupling_[i] + (terms.bending.next[i - 1] - D) * Matrix3d::Identity();
    if (node.has_link) node.parent.bottomRows<1>() = z[i - 1].transpose();
    const Eigen::Matrix<double, 4, 3> moved = node.flexibility * node.parent;
    stiffness_[parent] += D * Matrix3d::Identity() - node.parent.transpose() * moved;
    if (parent == 0 || terms.free[parents_[parent]] == 0) continue;
    node.grandparent = terms.bending.second[i - 2];
    if (node.grandparent == 0.0) continue;
    coupling_[parent] -= node.grandparent * moved.topRows<3>().transpose();
    stiffness_[parents_[parent]] -= node.grandparent * node.grandparent * node.flexibility.topLeftCorner<3, 3>();
  }
  return true;
}

Vector4d KktTree::own(std::span<const Vector3d> forces, std::span<const double> gaps, std::size_t i) const {
  Vector4d all;
  all << forces[i], nodes_[i].has_link ? gaps[i - 1] : 0.0;
  return all;
}

void KktTree::solve(std::span<Vector3d> forces, std::span<double> gaps) const {
  // Up: how each node would move if those above it stayed, and what that does to them.
  for (std::size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[i];
    const Vector4d moved = node.is_free ? Vector4d(node.flexibility * own(forces, gaps, i)) : Vector4d::Zero();
    forces[i] = moved.head<3>();
    if (i == 0) break;
    gaps[i - 1] = node.has_link ? moved[3] : 0.0;
    if (!node.is_free) continue;
    forces[parents_[i]] -= node.parent.transpose() * moved;
    if (node.grandparent != 0.0) forces[parents_[parents_[i]]] -= node.grandparent * moved.head<3>();
  }
  for (std::size_t i = 1; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (!node.is_free) continue;
    Vector4d felt = node.parent * forces[parents_[i]];
    if (node.grandparent != 0.0) felt.head<3>() += node.grandparent * forces[parents_[parents_[i]]];
    const Vector4d moved = node.flexibility * felt;
    forces[i] -= moved.head<3>();
    if (node.has_link) gaps[i - 1] -= moved[3];
  }
}

// As numbers, since without links all axes are alike.
bool KktTree::is_convex(const KktTerms& terms) {
  const std::size_t n = terms.mass.size();
  const Parents parents = terms.parents;
  numbers_.assign(n, 0.0), couplings_.assign(n, 0.0);
  for (std::size_t i = n; i-- > 0;) {
    if (terms.free[i] == 0) continue;
    const double D = i > 0 ? terms.D[i - 1] : 0.0;
    const double pivot = numbers_[i] + terms.mass[i] + terms.bending.diagonal[i] + D;
    if (!(pivot > 0.0)) return false;
    const std::size_t parent = parents[i];
    if (i == 0 || terms.free[parent] == 0) continue;
    const double with_parent = couplings_[i] + terms.bending.next[i - 1] - D;
    numbers_[parent] += D - with_parent * with_parent / pivot;
    if (parent == 0 || terms.free[parents[parent]] == 0) continue;
    const double with_grandparent = terms.bending.second[i - 2];
    couplings_[parent] -= with_grandparent * with_parent / pivot;
    numbers_[parents[parent]] -= with_grandparent * with_grandparent / pivot;
  }
  return true;
}

}  // namespace tendril::chain
