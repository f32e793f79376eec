// What every reader of tetrahedra does with each of them: corners in the order that TetMesh asks for.
#pragma once

#include <Eigen/Core>
#include <Eigen/LU>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace tendril {

// Makes det(b - a, c - a, d - a) > 0, by changing two corners if it is negative; a complaint if it is neither.
inline std::optional<std::string> orient(std::span<const Eigen::Vector3d> points, std::array<std::uint32_t, 4>& tet) {
  Eigen::Matrix3d edges;
  for (int i = 0; i < 3; ++i) edges.col(i) = points[tet[static_cast<std::size_t>(i) + 1]] - points[tet[0]];
  const double six_volumes = edges.determinant();
  if (six_volumes == 0.0) return "the tetrahedron has no volume";
  if (!std::isfinite(six_volumes)) return "the volume of the tetrahedron is not a finite number";
  if (six_volumes < 0.0) std::swap(tet[2], tet[3]);
  return std::nullopt;
}

}  // namespace tendril
