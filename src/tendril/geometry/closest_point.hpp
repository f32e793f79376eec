// The point of a triangle mesh closest to a given point.
//
// Embree, which only closest_point.cpp names, holds the tree of boxes. It computes in single precision, so it only says
// which triangles may be the closest: the mesh is centred and scaled to [-1, 1] first, so that one far from the origin
// loses nothing, the radius of the search has a margin for all rounding, and every triangle within it is measured in
// double. The answer is that of trying all triangles, bit for bit: the smallest distance, and of equal ones the lowest
// triangle. Triangles without area count as the edge or point that they are.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <memory>

#include "tendril/geometry/mesh.hpp"

namespace tendril {

struct MeshPoint {
  std::uint32_t triangle = 0;
  Eigen::Vector3d barycentric = Eigen::Vector3d::Zero();  // weights of the triangle's corners
  Eigen::Vector3d point = Eigen::Vector3d::Zero();
  double distance = 0.0;
};

class MeshQuery {
 public:
  // Copies what it needs. The mesh has a triangle or more, and its points are finite. Throws if memory runs out.
  explicit MeshQuery(const TriangleMesh& mesh);
  MeshQuery(MeshQuery&& other) noexcept;
  MeshQuery& operator=(MeshQuery&& other) noexcept;
  ~MeshQuery();

  static constexpr std::uint32_t no_guess = std::numeric_limits<std::uint32_t>::max();

  // Of a finite point; from any number of threads. A triangle that is near, if one is known, makes it several times as
  // fast, and no other.
  MeshPoint closest(const Eigen::Vector3d& point, std::uint32_t guess = no_guess) const;

 private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace tendril
