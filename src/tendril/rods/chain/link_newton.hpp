// Newton's equations of one tree of links (docs/theory/chain.md, "Trees", Eq. 16), at a cost linear in its nodes.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

// One tree by itself, its nodes numbered from the root 0 on, each after its parent.
struct Branches {
  std::span<const std::uint32_t> parent;  // of the root not looked at
  std::span<const double> mass;           // [kg]; not looked at for a held root
  bool root_held = false;
};

// Newton's equations for moves dx that keep the links z_i = x_parent - x_i:
//   A(D) dx + Rᵀ Qᵀ mu = g,  z_i · (dx_parent - dx_i) = 0,  A(D) = M + Rᵀ D R,
// by elimination from the leaves to the root. What is left of a subtree is the stiffness that its top node feels, three
// by three, whatever the number of its children.
class LinkNewton {
 public:
  // D [kg] of the link of each node, 0 of the root. Whether the Hessian is positive definite on all moves that keep the
  // links, and not too near to singular: then solve() may follow, and its moves lead down.
  bool eliminate(const Branches& tree, std::span<const Vector3d> z, std::span<const double> D);

  // With tree, z and D as they were eliminated.
  void solve(const Branches& tree, std::span<const Vector3d> z, std::span<const double> D, std::span<const Vector3d> g,
             std::span<Vector3d> dx, std::span<double> mu) const;

 private:
  // A symmetric matrix, as its sum, or the inverse of that, Yᵀ diag(signs) Y.
  struct Stiffness {
    Eigen::Matrix3d sum_or_root;
    Vector3d signs;

    int invert();  // returns the number of negative eigenvalues, -1 if singular
    Vector3d flex(const Vector3d& force) const;
  };
  // What a link takes from its node to the parent: v = z - D G z and sigma = zᵀ G z, with the inverse stiffness G.
  struct Carrier {
    Vector3d v;
    double sigma;
  };

  std::vector<Stiffness> nodes_;
  std::vector<Carrier> links_;
};

}  // namespace tendril::chain
