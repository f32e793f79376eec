// What a set of discrete elastic rods is made of, element by element, in the user's order.
//
// Every array is indexed by vertex (strand after strand, as in Curves): an entry about an edge stands at the edge's
// first vertex, an entry about a joint at the joint's vertex: inner vertices and point clamps have one. Entries without
// an owner are ignored.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/curves.hpp"
#include "tendril/rods/der/curvature.hpp"

namespace tendril::der {

// How an end of a strand is held.
enum class Clamp : std::uint8_t {
  free,
  edge,   // the end edge: both its vertices and its frame
  point,  // the end vertex and the frame there, with a joint of half an edge: second order in the edge length
};

struct Clamps {
  Clamp root = Clamp::edge, tip = Clamp::free;
};

// A rigid body of revolution that is fixed to a free end of a strand, its axis along the end's edge
// (docs/theory/der.md, "Connectors").
struct Connector {
  std::size_t strand = 0;
  bool at_tip = true;               // else at the root
  double mass = 0.0;                // [kg]
  double axial_inertia = 0.0;       // [kg m^2] about its axis
  double transverse_inertia = 0.0;  // [kg m^2] about its centre, across the axis
  double offset = 0.0;              // [m] from the end vertex outwards to its centre
};

// A uniform material; expand() turns it into the arrays of a Description.
struct Material {
  double radius = 40e-6;                // [m], at the root
  std::optional<double> tip_radius;     // [m], tapers linearly along the strand
  double aspect = 1.0;                  // second semi-axis (along m2) over the first (along m1)
  double young = 3.9e9;                 // [Pa], bending, and stretching unless told otherwise
  double shear = 1.3e9;                 // [Pa]
  std::optional<double> stretch_young;  // [Pa]
  double density = 1300.0;              // [kg/m^3]
  double damping = 0.0;                 // [s], stiffness-proportional
};

// Of values per strand, a single entry serves all strands.
template <class T>
const T& of_strand(const std::vector<T>& values, std::size_t strand) {
  return values.size() == 1 ? values.front() : values[strand];
}

struct Description {
  Curves curves;

  // per edge
  std::vector<double> semi_axis1, semi_axis2;  // [m], along m1 and m2
  std::vector<double> density;                 // [kg/m^3]
  std::vector<double> stretch_modulus;         // [Pa]
  // per joint
  std::vector<double> bend_modulus, twist_modulus;  // [Pa]; the twist modulus is a shear modulus

  // Rest state; what is empty is taken from the curves. Reference lengths with strains rather than rest lengths: the
  // tension is EA ((l - l_0)/l + strain), and nothing cancels at the drawn pose.
  std::vector<double> reference_length, rest_strain;  // per edge: l_0 [m], l_0 / l - 1
  std::vector<std::array<double, 4>> rest_curvature;  // per joint, integrated
  std::vector<double> rest_twist;                     // per joint [rad]
  std::vector<double> mass, inertia;                  // per vertex [kg], per edge [kg m^2]; empty: from the lengths

  // per strand (of_strand)
  std::vector<double> damping = {0.0};  // [s]
  std::vector<Clamps> clamps = {Clamps{}};
  // m1 of the first edge, where semi-axis 1 points; what of it lies along the edge is taken off. Empty: any direction.
  std::vector<Eigen::Vector3d> root_director;
  Curvature curvature = Curvature::four;
  std::vector<Connector> connectors;
};

Description describe(Curves curves, const Material& material, const Clamps& clamps);

// m1 of the first edge, whose unit tangent is given.
Eigen::Vector3d first_director(const Description& description, std::size_t strand, const Eigen::Vector3d& tangent);

bool has_joint(const Description& description, std::size_t strand, std::size_t vertex);

// The first thing that is wrong, naming strand and vertex: too few vertices, coincident vertices, a fold-back, numbers
// that are not finite, a radius, modulus or density that is not positive, arrays of the wrong size.
// Of rest shape and stiffness alone, for a description whose other parts are right.
Status check_rest(const Description& description);
Status check(const Description& description);
Status check_geometry(const Curves& curves);  // the part of it that is about positions

}  // namespace tendril::der
