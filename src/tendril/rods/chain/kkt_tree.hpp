// Newton's system of kkt_band.hpp where links branch (docs/theory/chain.md, Eqs. 42, 43): by elimination from the
// leaves to the root, at a cost linear in the number of nodes, whatever the branching.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/rods/chain/kkt_band.hpp"

namespace tendril::chain {

class KktTree {
 public:
  // As of KktBand; parents[i] < i is the node that the link of node i leads to, that of the root 0 is not looked at.
  // What is held hangs together at the root: a node may be held only if its parent is. A joint between a node, its
  // parent and the parent of that is the one of the parent in `terms`, and `second` of its matrix that of the node but
  // two: nodes that follow each other in a strand have numbers that do.
  [[nodiscard]] bool factorise(const KktTerms& terms, std::span<const Eigen::Vector3d> z);
  bool is_definite() const { return negative_ == equations_; }
  void solve(std::span<Eigen::Vector3d> forces, std::span<double> gaps) const;
  // Whether A(D) is positive definite on all free points.
  bool is_convex(const KktTerms& terms);

 private:
  using Matrix4d = Eigen::Matrix4d;
  using Matrix43d = Eigen::Matrix<double, 4, 3>;
  // A node with the multiplier of its link: what both do together if nodes above stay, and how they feel those.
  struct Node {
    Matrix4d flexibility;
    Matrix43d parent;          // coefficients with the parent
    double grandparent = 0.0;  // with its parent, times 1
    bool is_free = false, has_link = false;
  };

  bool invert(const Matrix4d& stiffness, Node& node);
  Eigen::Vector4d own(std::span<const Eigen::Vector3d> forces, std::span<const double> gaps, std::size_t i) const;

  std::vector<std::uint32_t> parents_;
  std::vector<Node> nodes_;
  std::vector<Eigen::Matrix3d> stiffness_, coupling_;  // of a node, and with its parent, by what hangs on it
  std::vector<double> numbers_, couplings_;            // likewise, as numbers
  std::size_t negative_ = 0, equations_ = 0;
};

}  // namespace tendril::chain
