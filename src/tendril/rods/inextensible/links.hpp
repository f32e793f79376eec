// The links of one strand, and its step matrix with them: the saddle system
//
//     [ K + G  Jᵀ ] [ move    ]   [ force ]
//     [ J      0  ] [ tension ] = [ gap   ]                             (docs/theory/inextensible.md, Eq. 4)
//
// in one band. Per vertex k stand x_k, the multiplier of the link before it, theta_k: a link comes after both its ends,
// so that LDLᵀ needs no exchange of rows (its pivot is negative as soon as one end is free).
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "tendril/linalg/padded_band.hpp"
#include "tendril/rods/der/one_step.hpp"

namespace tendril::inextensible {

// How far a link is from its length, in a form without a square root, and its derivative by the end (Eq. 1).
struct LinkGap {
  double gap;             // [m] (|e|^2 - l^2) / 2l
  Eigen::Vector3d slope;  // e / l
};
LinkGap link_gap(const Eigen::Vector3d& edge, double length);

class LinkSystem {
 public:
  // For the links of the vertices `x` [m] with their lengths; those with both ends held have no equation. Where the
  // `tension` [N] is positive it stiffens its link against turning (G). False: a pivot vanishes or is not finite.
  [[nodiscard]] bool factorise(const der::StepMatrix& matrix, std::span<const Eigen::Vector3d> x,
                               std::span<const double> lengths, std::span<const double> tension);

  // forces (four per vertex) := moves; gaps (one per link) := tensions.
  void solve(std::span<double> forces, std::span<double> gaps) const;

 private:
  static constexpr std::size_t per_vertex = 5;
  static std::size_t of_unknown(std::size_t u) { return u / 4 * per_vertex + (u % 4 == 3 ? 4 : u % 4); }
  static std::size_t of_link(std::size_t k) { return (k + 1) * per_vertex + 3; }

  PaddedBand<12> band_;
  std::vector<char> link_free_;  // per link: it has an equation
};

}  // namespace tendril::inextensible
