// B5: the axial stiffness of helical springs: rest curvature, torsion and frames together.
#include <cmath>
#include <numbers>

#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;

struct Spring {
  double radius, pitch_angle;  // [m], [rad]
  int turns;
  double wire_diameter, young, poisson;  // [m], [Pa]
};

Matrix3d material_frame_of(const Specimen& rod, int edge) {
  std::vector<double> thetas(rod.strands.vertex_count());
  std::vector<Vector3d> directors(rod.strands.vertex_count());
  gather_thetas(rod.strands, rod.state, thetas);
  gather_directors(rod.strands, rod.state, directors);
  const Vector3d tangent = rod.tangent(edge);
  Matrix3d frame;
  frame.col(0) = Eigen::AngleAxisd(thetas[std::size_t(edge)], tangent) * directors[std::size_t(edge)];
  frame.col(1) = tangent.cross(frame.col(0));
  frame.col(2) = tangent;
  return frame;
}

// k = 1 / (l_w R^2 (cos^2 a / GJ + sin^2 a / EI)) with the wire's length l_w = 2 pi R N / cos a, for a force along the
// axis and through it, and ends that are free to turn about it. The wire reaches from the middle of the first edge,
// which is held, to the middle of the last, on which the force acts by an arm from the axis: as a force there, a couple
// and a torque. The arm's end on the axis shows by how much the spring gives way.
Results spring(const Model& model, const Spring& s) {
  der::Material wire;
  wire.radius = 0.5 * s.wire_diameter, wire.young = s.young, wire.shear = s.young / (2.0 * (1.0 + s.poisson));
  const Stiffness stiff = stiffness(wire);
  const double cosine = std::cos(s.pitch_angle), sine = std::sin(s.pitch_angle);
  const double length = 2.0 * pi * s.radius * s.turns / cosine;
  const double exact =
      1.0 / (length * s.radius * s.radius * (cosine * cosine / stiff.twist + sine * sine / stiff.bend));
  const Vector3d axis = Vector3d::UnitZ();
  return {study({"stiffness, n edges per turn", "N/m", exact, 5e-3, 2.0}, doubled(24), [&](int per_turn) {
    const int edges = per_turn * s.turns;
    std::vector<Vector3d> points;
    for (int i = 0; i <= edges + 1; ++i) {
      const double turn = 2.0 * pi * (i - 0.5) / per_turn;
      points.emplace_back(s.radius * std::cos(turn), s.radius * std::sin(turn), s.radius * turn * sine / cosine);
    }
    der::Description description =
        der::describe({points, {0, points.size()}}, wire, {der::Clamp::edge, der::Clamp::free});
    Specimen rod = make(model, std::move(description));
    const Vector3d middle = 0.5 * (points[std::size_t(edges)] + points[std::size_t(edges) + 1]);
    const Vector3d on_axis = axis * middle.dot(axis);
    const Matrix3d before = material_frame_of(rod, edges);
    const Vector3d tangent = before.col(2), force = 1e-3 * s.radius * exact * axis;
    const Vector3d couple = (on_axis - middle).cross(force);
    const double edge = (points[std::size_t(edges) + 1] - points[std::size_t(edges)]).norm();
    const Vector3d pair = couple.cross(tangent) / edge;  // +- on the edge's ends: the couple's part across the edge
    const auto arm_end = [&](double factor) -> double {
      rod.set_loads({{0, -2, factor * (0.5 * force - pair), factor * couple.dot(tangent)},
                     {0, -1, factor * (0.5 * force + pair), 0.0}});
      if (!rod.settle(1e-7)) return not_a_number;  // round-off: the load is small and the edges are many
      const Vector3d now = 0.5 * (rod.position(-2) + rod.position(-1));
      return axis.dot(now + material_frame_of(rod, edges) * before.transpose() * (on_axis - middle));
    };
    return 2.0 * force.norm() / (arm_end(1.0) - arm_end(-1.0));
  })};
}

}  // namespace

std::vector<Case> spring_cases(const Model& model) {
  const auto coil = [&](const char* name, const Spring& s) {
    return Case{name, [model, s] { return spring(model, s); }};
  };
  return {coil("B5-close-spring", {0.01, 0.1, 10, 1e-3, 2e9, 0.3}),
          coil("B5-open-spring", {0.005, 0.35, 5, 0.5e-3, 1e9, 0.45})};
}

}  // namespace tendril::validation
