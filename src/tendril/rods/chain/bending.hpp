// What the joints of one chain do (docs/theory/chain.md, "Bending"): how far they are bent, their forces, their matrix.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>
#include <vector>

#include "tendril/rods/chain/run.hpp"

namespace tendril::chain {

// Of the points first ... first + points - 1, whose links are numbered from `link` on.
Joints joints_of(const Joints& all, std::size_t first, std::size_t link, std::size_t points);

// How joint i is bent, Eq. 24 without its rest. Nobody looks at its stiffness.
Vector3d bend_at(const Joints& joints, std::span<const Vector3d> x, std::size_t i);

double bending_energy(const Joints& joints, std::span<const Vector3d> x);
// g += the forces of the joints on the points, -Rᵀ y of Eq. 26.
void add_bending_force(const Joints& joints, std::span<const Vector3d> x, std::span<Vector3d> g);

// The matrix of bending, as the coefficients of a point with itself, the next, and the one after that (Eq. 25). Of a
// tree `next` is that of a point but one with the upper end of its link, `second` that of a point but two with the
// point above that.
struct BendingMatrix {
  std::vector<double> diagonal, next, second;

  void assemble(const Joints& joints, std::size_t points);  // zero without joints
};

}  // namespace tendril::chain
