// The problem in velocities w of nodes for which every block's compliance is one (docs/theory/contact.md, "Path
// following"): u = G w + b, w = Gᵀ r, G Gᵀ = W, with G = H L and C = L Lᵀ, whether or not C is singular. The matrix
// 1 + Gᵀ D G keeps its digits where D is as stiff as 10^10 times the blocks, which K + Hᵀ D H does not.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <vector>

#include "tendril/contact/node_space.hpp"
#include "tendril/linalg/block_lu.hpp"

namespace tendril::contact {

class Whitened {
 public:
  explicit Whitened(const NodeSpace& space);

  std::size_t unknowns() const { return lu_.unknowns(); }
  // Gᵀ r.
  void gather(const Impulses& r, AlignedVector<double>& w) const;
  // G w of one contact.
  Eigen::Vector3d velocity(std::size_t contact, const AlignedVector<double>& w) const;
  // 1 + Gᵀ D G, by blocks: rows are not exchanged between them, which may cost all digits. False: a pivot is zero or
  // not finite.
  [[nodiscard]] bool factorise(const std::vector<Eigen::Matrix3d>& d);
  // With exchanges between all rows, at ten times the cost.
  [[nodiscard]] bool factorise_densely(const std::vector<Eigen::Matrix3d>& d);
  // Of what was factorised last: w := (1 + Gᵀ D G)^-1 w.
  void solve(AlignedVector<double>& w);
  int determinant_sign() const;

 private:
  struct Side {
    std::int32_t block;
    Eigen::MatrixX3d columns;  // of Gᵀ
    Eigen::Index size() const { return columns.rows(); }
  };

  Eigen::Index first(const Side& side) const { return Eigen::Index(lu_.offset(std::size_t(side.block))); }
  // add(s, t, Gᵀ Dᵀ of t) for the sides s and t of every contact.
  template <class Add>
  void for_pairs_of_sides(const std::vector<Eigen::Matrix3d>& d, const Add& add) const;
  void add_sides(const NodeSpace& space, const NodeContact& contact, const std::vector<Eigen::MatrixXd>& factors);

  std::vector<std::array<Side, 2>> contacts_;
  BlockLu lu_;
  std::vector<std::size_t> sizes_;
  Eigen::PartialPivLU<Eigen::MatrixXd> dense_;
  bool is_dense_ = false;
};

}  // namespace tendril::contact
