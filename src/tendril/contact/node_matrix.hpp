// K + Hᵀ D H in the velocities of the nodes, factorised (docs/theory/contact.md, "The Newton matrix"): what Newton's
// methods and ADMM solve with. K are the inverses of the blocks' C, slightly regularised where C is singular: that
// bends steps, not solutions, since residuals are formed with C.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/contact/node_space.hpp"
#include "tendril/linalg/block_lu.hpp"

namespace tendril::contact {

// What couples: rows of each block, and blocks that contacts join.
std::vector<std::uint32_t> block_sizes(const NodeSpace& space);
std::vector<BlockLu::Pair> block_pairs(const NodeSpace& space);

class NodeMatrix {
 public:
  explicit NodeMatrix(const NodeSpace& space);

  // False: not even the regularised C of a block is positive definite.
  bool is_definite() const { return is_definite_; }

  // D: 3 x 3 per contact, in its frame. False: a pivot is zero or not finite.
  [[nodiscard]] bool factorise(const std::vector<Eigen::Matrix3d>& d);
  double operations() const { return lu_.operations(); }  // multiplications of a factorisation
  // dv := (K + Hᵀ D H)^-1 K change, and change . K change; four numbers per node.
  double solve(const double* change, double* dv);
  // change . K change alone.
  double energy(const double* change) const;

 private:
  void set_inverse(std::size_t block);
  void set_places();
  void add_contact(std::size_t contact, const Eigen::Matrix3d& d);
  Eigen::VectorXd gathered(std::size_t block, const double* numbers) const;

  const NodeSpace& space_;
  std::vector<Eigen::MatrixXd> inverses_;  // K of each block
  BlockLu lu_;
  std::vector<std::array<BlockLu::Place, 4>> places_;  // of each contact's sides: aa, ab, ba, bb
  std::vector<double> right_;
  bool is_definite_ = true;
  double largest_compliance_ = 0.0;  // of a contact
};

}  // namespace tendril::contact
