// Newton's system of one chain with any points held, joints that resist bending, and links that may be compliant or
// absent (docs/theory/chain.md, Eqs. 8, 25, 27):
//
//     [ A(D)   Rᵀ Qᵀ ] [ dx ]   [ force ]
//     [ Q R    -a    ] [ mu ] = [ gap   ]
//
// as one band: per point x_k and the multiplier of the link before it, so that a link comes after both its ends.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "tendril/linalg/padded_band.hpp"
#include "tendril/rods/chain/bending.hpp"

namespace tendril::chain {

struct KktTerms {
  std::span<const double> mass;  // [kg], 0 of what is held
  std::span<const char> free;    // of points: not held
  const BendingMatrix& bending;
  std::span<const double> D;         // [kg], of links
  std::span<const double> softness;  // [m²/kg], a of links; empty: none
  std::span<const char> active;      // of links: has an equation; empty: all
  Parents parents = {};              // of the nodes of a tree (kkt_tree.hpp)
};

class KktBand {
 public:
  // For the links z [m]. Those with both ends held have no equation. False: a pivot vanishes or is not finite.
  [[nodiscard]] bool factorise(const KktTerms& terms, std::span<const Eigen::Vector3d> z);
  // Whether A is positive definite on what the links allow: as many negative pivots as equations of links.
  bool is_definite() const { return negative_ == equations_; }

  // forces := moves [m], zero of held points; gaps := multipliers, zero of links without equation. Any number of
  // threads.
  void solve(std::span<Eigen::Vector3d> forces, std::span<double> gaps) const;
  // Whether A(D) is positive definite on all free points.
  static bool is_convex(const KktTerms& terms);

 private:
  static std::size_t of_point(std::size_t k) { return 4 * k; }
  static std::size_t of_link(std::size_t i) { return 4 * i + 7; }

  PaddedBand<8> band_;
  std::vector<char> free_, has_equation_;
  std::size_t negative_ = 0, equations_ = 0;
};

}  // namespace tendril::chain
