// A triangle mesh as a body: the signed distance of a place, its sign by angle-weighted pseudo-normals (Baerentzen and
// Aanaes 2005; docs/theory/collide.md, Eq. 13), in double. Inside and outside are those of a closed mesh whose
// triangles turn one way; of an open one, the side of the nearest feature. Points at the same place count as one, so
// that seams do not matter.
#pragma once

#include <Eigen/Core>
#include <array>
#include <limits>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/shapes.hpp"
#include "tendril/geometry/closest_point.hpp"
#include "tendril/geometry/mesh.hpp"

namespace tendril::collide {

struct MeshSurfacePoint : SurfacePoint {  // feature: the triangle
  Vector3d barycentric = Vector3d::Zero();
};

class MeshShape {
 public:
  // Refuses a mesh without triangles, corners that are no points, and points that are not finite.
  static Status check(const TriangleMesh& mesh);
  static Result<MeshShape> make(TriangleMesh mesh);

  // `guess`: a triangle that is near, for speed alone.
  MeshSurfacePoint nearest(const Vector3d& place, std::uint32_t guess = MeshQuery::no_guess) const;
  const TriangleMesh& mesh() const { return mesh_; }
  double thickness() const { return thickness_; }  // [m], 3 volume / area; infinite if it is open: it has no far side
  double outer_radius() const { return outer_radius_; }  // [m], of the ball about the origin that holds it

 private:
  explicit MeshShape(TriangleMesh mesh);
  Vector3d pseudo_normal(const MeshPoint& at) const;

  TriangleMesh mesh_;
  MeshQuery query_;
  std::vector<Vector3d> face_, vertex_;        // unit, or zero without area
  std::vector<std::array<Vector3d, 3>> edge_;  // of each triangle: edge k lies opposite of corner k
  double thickness_ = std::numeric_limits<double>::infinity(), outer_radius_ = 0.0;  // [m]
};

inline SurfacePoint nearest(const MeshShape& mesh, const Vector3d& place) { return mesh.nearest(place); }

}  // namespace tendril::collide
