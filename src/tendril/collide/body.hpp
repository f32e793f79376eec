// Bodies that strands meet: a shape that moves rigidly on a screw, or a mesh whose points move on straight lines, over
// one step; and the contacts of strands with them (docs/theory/collide.md, Bodies).
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/collide/clearances.hpp"
#include "tendril/collide/contact.hpp"
#include "tendril/collide/mesh_shape.hpp"
#include "tendril/collide/polylines.hpp"
#include "tendril/collide/shapes.hpp"
#include "tendril/geometry/pose.hpp"

namespace tendril::collide {

using Shape = std::variant<Plane, Sphere, Ellipsoid, Capsule, Cylinder, Box, std::shared_ptr<const MeshShape>>;

struct Body {
  Shape shape;
  Pose start, end;              // of the step
  std::vector<Vector3d> chord;  // [m], of an animated mesh only: how far each of its points goes in the step
};

// A mesh between its points at the start and at the end of a step, as it is at `time` (0: start, 1: end).
Result<Body> animated_body(const TriangleMesh& start, std::span<const Vector3d> end, double time);

// [m], what moves less than this cannot have gone all the way through; infinite for a plane. Of a mesh, the radius of
// the ball with the same volume per area.
double thickness(const Shape& shape);

// [m], of the ball about the origin of its frame that holds it; infinite for a plane.
double outer_radius(const Shape& shape);

// [m/s], the chord (end - start) / dt of a point of the body: what it does in the step, whatever it does in between.
Vector3d chord_velocity(const Body& body, const BodyPoint& point, double dt);

struct BodySearch {
  double time = 0.0;  // of the step, 0 to 1: where the bodies are
  Margin margin;
  std::span<const Vector3d> motion;  // [m], of every vertex in the step without contact; empty: none
  Clearances* clearances = nullptr;  // from search to search; null: none are kept
  std::span<const char> is_driven =
      {};                   // of every segment, by its first vertex: nobody asks for its contacts; empty: none
  bool is_checked = false;  // positions and radii: somebody knows that they are usable
};

// All contacts with a gap below the margin, of strands where they are, in contact_order; with a motion, those too whose
// gap would fall below it. A segment gives its vertices within the margin; its lowest point, if that is deeper; or,
// where it lies across a face and beyond, a point near each end of that stretch.
Status find_body_contacts(const Polylines& strands, std::span<const Body> bodies, const BodySearch& search,
                          std::vector<Contact>& contacts);

}  // namespace tendril::collide
