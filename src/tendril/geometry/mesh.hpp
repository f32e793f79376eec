// Meshes as plain arrays.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

namespace tendril {

struct TriangleMesh {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;  // counter-clockwise seen from outside
};

struct TetMesh {
  std::vector<Eigen::Vector3d> points;
  std::vector<std::array<std::uint32_t, 4>> tets;  // det(b - a, c - a, d - a) > 0
};

}  // namespace tendril
