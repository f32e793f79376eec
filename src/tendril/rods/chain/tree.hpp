// The closest trees of points with links of given lengths (docs/theory/chain.md, Trees): what project.hpp does for
// chains, where links branch. Every node moves with the link to its parent; the cost is linear in their number,
// whatever the branching, and no depth is too much. Every iterate has its lengths. Several roots make several trees,
// which know nothing of each other.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

constexpr std::uint32_t no_parent = 0xffffffff;

// One number of each per node, in any order.
struct Tree {
  std::span<const Vector3d> prediction;    // [m]
  std::span<const double> inverse_mass;    // [1/kg]; 0: held at its prediction, which one node of a tree may be
  std::span<const double> length;          // [m], of the link to the parent; not looked at for roots
  std::span<const std::uint32_t> parents;  // no_parent: a root
  std::span<const Vector3d> start;         // [m]; empty: the prediction
  // As of Chains, by the methods hybrid and newton. A joint is between the link of its node towards the root and that
  // of its first child; roots and leaves have none.
  std::span<const double> compliance = {};  // [1/kg], of the link to the parent; empty: none
  std::span<const double> stiffness = {};   // [kg], of nodes; empty: none
  std::span<const Vector3d> rest = {};      // [m], of joints
  bool slack = false;
};

struct TreeProjection {
  std::vector<Vector3d> positions;  // [m]
  std::vector<double> multipliers;  // [kg], of the link to the parent, 0 of roots; times length / dt^2 a tension [N]
  Outcome outcome;                  // of several trees the worst
};

// By the methods hybrid, two_stage and newton, in doubles, one tree after the other: `single_precision` and `isa` are
// not looked at. With joints, compliance or slack not by two_stage. It is bad_input, and positions are the prediction,
// if the arrays do not fit each other or the numbers cannot be used, if parents are none or lead in a circle, or if two
// nodes of a tree are held: that closes a loop, which links alone cannot follow. So is any other method.
TreeProjection project_tree(const Tree& tree, const Options& options);

}  // namespace tendril::chain
