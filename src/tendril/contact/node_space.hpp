// The problem as contacts between nodes (docs/theory/contact.md, "Contacts on nodes").
//
// A node is three unknowns of a block that move together in space, such as a vertex of a strand; v has one row of four
// numbers for each, the fourth of them zero. A contact between strands sees up to four nodes, through one frame:
//
//   u = E sum_k weight_k v_k + w                      v_o = free_o + C_o sum_k weight_k Eᵀ r
//
// C_o is M^-1 on the nodes that contacts touch: whole, or its half in single precision (linalg/packed_rows.hpp), which
// gradients, sweeps and errors can do with. Contacts with other rows (a rigid body, a twist) have terms: a 3 x 3
// matrix for each node that they see, with E = I and no weights.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/contact/block_inverses.hpp"
#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/node_problem.hpp"
#include "tendril/contact/problem.hpp"
#include "tendril/contact/soft_push.hpp"

namespace tendril::contact {

struct NodeTerm {
  std::uint32_t node = 0, block = 0;
  Eigen::Matrix3d matrix;
};

struct NodeContact {
  std::uint32_t name = 0;  // in the problem
  Law law = Law::coulomb;
  double mu = 0.0;
  double scale = 0.0;  // rho = 3 / tr W_ii [kg]; 0: no impulse moves it, it is left out
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  // E
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();      // w
  SoftPush push{};
  std::array<std::uint32_t, 4> node{};  // first two on side a; node 0 never moves
  std::array<double, 4> weight{};
  std::array<std::int32_t, 2> block{Side::none, Side::none};  // of its sides
  std::uint32_t first_term = 0, end_term = 0;
  // tr/3 of what the block of each side makes of W_ii; if both are one, it is the first's.
  std::array<double, 2> share{};

  bool has_terms() const { return end_term > first_term; }
  double trace() const { return 3.0 * (share[0] + share[1]); }  // of W_ii
};

// [m/s], how far from the law it is with a relative velocity; 0 for what cannot be moved, NaN if a number is.
double error_of(const NodeContact& contact, const Eigen::Vector3d& r, const Eigen::Vector3d& u);

struct NodeBlock {
  std::uint32_t first_node = 0, nodes = 0;
  std::size_t matrix = 0;  // C: a column of 4 * nodes numbers for each of 3 * nodes unknowns, or packed rows
  std::size_t rows() const { return 4 * std::size_t(nodes); }
  std::size_t columns() const { return 3 * std::size_t(nodes); }
};

struct NodeSpace {
  std::vector<NodeContact> contacts;  // in the order of their first block and node: neighbours share memory
  std::vector<NodeTerm> terms;
  std::vector<NodeBlock> blocks;
  AlignedVector<double> matrices, free_velocity;  // free_velocity: four numbers per node
  bool frames_are_rotations = true;               // of all contacts without terms
  std::span<const float> own_trace;               // with these: of C of every node but the first with itself
  std::span<const float> packed_matrices;         // in place of `matrices`; they belong to the problem

  NodeSpace() = default;
  NodeSpace(const Problem& problem, const BlockInverses& inverses, std::span<const std::uint32_t> some) {
    build(problem, inverses, some);
  }
  // Of some contacts of a problem. Memory is used again.
  void build(const Problem& problem, const BlockInverses& inverses, std::span<const std::uint32_t> some);
  // Of all contacts of a problem, which must outlive this.
  void build(const NodeProblem& problem);

  bool is_packed() const { return !packed_matrices.empty(); }
  std::size_t size() const { return contacts.size(); }
  std::size_t node_count() const { return free_velocity.size() / 4; }
  const double* column(const NodeBlock& block, std::uint32_t node, int axis) const {
    return matrices.data() + block.matrix +
           (3 * std::size_t(node - block.first_node) + std::size_t(axis)) * block.rows();
  }

  // What an impulse on node j does to node i of the same block.
  Eigen::Matrix3d coupling(const NodeBlock& block, std::uint32_t i, std::uint32_t j) const;
  // W_ii of one contact.
  Eigen::Matrix3d diagonal(const NodeContact& contact) const;
  // u of one contact under velocities of the nodes, four numbers for each.
  Eigen::Vector3d velocity(const NodeContact& contact, const double* v) const;
  // What of it obeys the law together with r: less than what a push aims at is an approach.
  Eigen::Vector3d law_velocity(const NodeContact& contact, const Eigen::Vector3d& r, const double* v) const;
  // force += Hᵀ r, four numbers per node.
  void push(const NodeContact& contact, const Eigen::Vector3d& r, double* force) const;
  // v of one block under forces.
  void respond(const NodeBlock& block, const double* force, double* v) const;
  // u = W r + b, everything from r alone.
  void apply(const Impulses& r, Impulses& u) const;
  std::size_t immovable() const;
  bool has_pushes() const;
};

}  // namespace tendril::contact
