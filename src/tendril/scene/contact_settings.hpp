// What a scene says about contact: the law and its solver, friction between named things, bodies that strands meet, and
// joints.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tendril/collide/shapes.hpp"
#include "tendril/contact/local_solver.hpp"
#include "tendril/contact/report.hpp"
#include "tendril/geometry/mesh.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/scene/mesh_sequence.hpp"
#include "tendril/scene/motion.hpp"

namespace tendril {

enum class ContactLaw : std::uint8_t { none, frictionless, coulomb };

// Friction coefficients by the names of strands and colliders.
struct FrictionSettings {
  struct Pair {
    std::string a, b;  // the order does not matter
    double mu = 0.0;
  };
  double fallback = 0.3;
  std::vector<Pair> pairs;

  double between(const std::string& a, const std::string& b) const;
  double largest() const;
};

// Along a strand, times the coefficient of the pair; linear in between.
struct FrictionFactor {
  double root = 1.0, tip = 1.0;
};

struct ContactSettings {
  ContactLaw law = ContactLaw::none;
  contact::Solver solver = contact::Solver::automatic;
  std::optional<contact::LocalOptions> local;  // of gs; nothing: the closed form
  double tolerance = 1e-4;                     // error of the worst contact, as a share of the speed without contact
  int max_iterations = 0;                      // 0: as the solver likes
  bool between_strands = true;                 // false: strands meet bodies only
  FrictionSettings friction;
  double margin = 0.1;        // gap up to which contacts are seen, in sums of both radii
  double push_time = 0.02;    // [s] in which an overlap falls to 1/e
  double push_speed = 0.011;  // [m/s], at most: what comes out of a head has less than a thousandth of m g r
};

using ColliderShape = std::variant<collide::Plane, collide::Sphere, collide::Ellipsoid, collide::Capsule,
                                   collide::Cylinder, collide::Box, std::shared_ptr<const TriangleMesh>>;

struct ColliderSettings {
  std::string name;
  ColliderShape shape;
  Pose place;                                // of the shape as it was drawn
  Motion motion;                             // carries it from there
  std::string follows;                       // strands whose roots carry it, in place of motion; empty: none
  std::shared_ptr<const MeshSequence> mesh;  // moves point by point, in place of shape, place and motion
};

// A point of a strand, or of the world, that a joint takes hold of.
struct JointEnd {
  std::string set;  // name of the strands; empty: a point of the world, where the other end was drawn
  std::int64_t strand = 0;
  int vertex = 0;  // negative: counted from the tip
};

// Two points that stay together.
struct PointJointSettings {
  std::string name;
  JointEnd a, b;
};

}  // namespace tendril
