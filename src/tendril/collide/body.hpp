// Bodies that strands meet: a shape that moves rigidly on a screw, or a mesh whose points move on straight lines, over
// one step; and the contacts of strands with them (docs/theory/collide.md, Bodies).
#pragma once

#include <limits>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"
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

// [m/s], the chord (end - start) / dt of a point of the body: what it does in the step, whatever it does in between.
Vector3d chord_velocity(const Body& body, const BodyPoint& point, double dt);

// How far vertices, and the segments that begin at them, were from bodies when last asked, and where: from then on they
// are no nearer than that less their way since. It saves most searches and changes no result, so it may be thrown away
// at any time. For the same strands and bodies only.
class Clearances {
 public:
  // Of each vertex little is asked in every step, and of most no more than that.
  struct Seen {
    Vector3d place = Vector3d::Zero();                           // in the body's frame
    double distance = -std::numeric_limits<double>::infinity();  // [m]
  };
  struct SeenSegment {
    Vector3d start = Vector3d::Zero(), end = Vector3d::Zero();
    double gap = -std::numeric_limits<double>::infinity();              // [m], that all of it is beyond
    std::uint32_t feature = std::numeric_limits<std::uint32_t>::max();  // of the surface, at its first vertex
  };
  void fit(std::size_t bodies, std::size_t vertices) {
    if (seen_.size() == bodies && (bodies == 0 || seen_[0].size() == vertices)) return;
    seen_.assign(bodies, std::vector<Seen>(vertices));
    segments_.assign(bodies, std::vector<SeenSegment>(vertices));
  }
  Seen& of(std::size_t body, std::size_t vertex) { return seen_[body][vertex]; }
  SeenSegment& of_segment(std::size_t body, std::size_t vertex) { return segments_[body][vertex]; }

 private:
  std::vector<std::vector<Seen>> seen_;
  std::vector<std::vector<SeenSegment>> segments_;
};

struct BodySearch {
  double time = 0.0;  // of the step, 0 to 1: where the bodies are
  Margin margin;
  std::span<const Vector3d> motion;  // [m], of every vertex in the step without contact; empty: none
  Clearances* clearances = nullptr;  // from search to search; null: none are kept
  std::span<const char> is_driven =
      {};  // of every segment, by its first vertex: nobody asks for its contacts; empty: none
};

// All contacts with a gap below the margin, of strands where they are, in contact_order; with a motion, those too whose
// gap would fall below it. A segment gives its vertices within the margin; its lowest point, if that is deeper; or,
// where it lies across a face and beyond, a point near each end of that stretch.
Status find_body_contacts(const Polylines& strands, std::span<const Body> bodies, const BodySearch& search,
                          std::vector<Contact>& contacts);

}  // namespace tendril::collide
