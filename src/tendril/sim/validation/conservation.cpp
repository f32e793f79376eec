// B11: what a free strand must keep: momentum, angular momentum, energy; and what it must not notice: rigid motions.
#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tendril/base/random.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using Results = std::vector<CaseResult>;
using der::Integrator;

constexpr der::Clamps loose{der::Clamp::free, der::Clamp::free};
constexpr int edges = 20;
constexpr double length = 0.3;        // [m]
const Vector3d spin(1.0, 3.0, -2.0);  // [rad/s]

// Thin: the model leaves out that the spin of a section about its tangent turns with the tangent (its angular momentum
// per length is rho I_p theta'), which is an error of (radius/length)^2.
der::Material cord_material() {
  der::Material material;
  material.radius = 1e-4, material.young = 1e8, material.shear = 0.4e8, material.density = 1000.0;
  return material;
}

// Drawn along a smooth curve by chance, which is its rest shape.
Specimen cord(const Model& model) {
  Random random(11);
  std::array<double, 6> amplitude{}, phase{};
  for (double& a : amplitude) a = random.uniform(-0.5, 0.5);
  for (double& p : phase) p = random.uniform(0.0, 6.0);
  std::vector<Vector3d> points = {Vector3d::Zero()};
  for (int e = 0; e < edges; ++e) {
    const double s = (e + 0.5) / edges;
    double up = 0.0, round = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      up += amplitude[k] * std::sin(3.0 * double(k + 1) * s + phase[k]);
      round += 2.0 * amplitude[k + 3] * std::sin(3.0 * double(k + 1) * s + phase[k + 3]);
    }
    points.push_back(points.back() +
                     length / edges *
                         Vector3d(std::cos(up) * std::cos(round), std::cos(up) * std::sin(round), std::sin(up)));
  }
  return make(model, der::describe({points, {0, points.size()}}, cord_material(), loose));
}

// Rigid rotation about the centre of mass plus translation.
Specimen thrown_cord(const Model& model) {
  Specimen rod = cord(model);
  const std::vector<Vector3d> x = rod.positions();
  const std::vector<double> mass = rod.strands.masses();
  Vector3d centre = Vector3d::Zero();
  double total = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) centre += mass[i] * x[i], total += mass[i];
  centre /= total;
  std::vector<Vector3d> velocities;
  std::vector<double> theta_velocities;
  for (std::size_t i = 0; i < x.size(); ++i) {
    velocities.push_back(Vector3d(0.5, -0.2, 0.3) + spin.cross(x[i] - centre));
    theta_velocities.push_back(i + 1 < x.size() ? spin.dot((x[i + 1] - x[i]).normalized()) : 0.0);
  }
  rod.set_velocities(velocities, theta_velocities);
  return rod;
}

struct Invariants {
  Vector3d momentum = Vector3d::Zero(), angular = Vector3d::Zero();
  double energy = 0.0;
};

Invariants invariants(const Specimen& specimen) {
  using P = der::ParameterLayout;
  const der::Rod rod = specimen.rod();
  Invariants out;
  for (int k = 0; k < rod.vertices; ++k) {
    const double* at = &rod.state[std::size_t(k * der::StateLayout::components)];
    const Vector3d p = rod.parameter(k, P::mass) * Eigen::Map<const Vector3d>(at + der::StateLayout::velocity);
    out.momentum += p;
    out.angular += rod.position(k).cross(p);
    if (k + 1 < rod.vertices)
      out.angular += rod.parameter(k, P::inertia) * at[der::StateLayout::theta_velocity] * precise_edge(rod, k).tangent;
  }
  out.energy = energies(rod, Vector3d::Zero()).total();
  return out;
}

der::StepOptions free_flight(Integrator integrator, int steps_per_second) {
  der::StepOptions options;
  options.integrator = integrator, options.dt = 1.0 / steps_per_second, options.gravity = Vector3d::Zero();
  options.converge = true, options.tolerance = 1e-10;
  return options;
}

// Linear momentum is kept to round-off whatever the step and the solver do; the rest with the order of the integrator.
Results flight(const Model& model, Integrator integrator) {
  const bool euler = integrator == Integrator::euler;
  const double order = euler ? 1.0 : 2.0;
  const Invariants before = invariants(thrown_cord(model));
  double drift = 0.0, growth = -1.0;
  Results results;
  study(
      {{"loss of angular momentum, n steps in 1 s", "", 0.0, euler ? 5e-3 : 1e-5, order},
       {"loss of energy, n steps in 1 s", "", 0.0, euler ? 5e-3 : 1e-5, order, !euler}},
      doubled(400),
      [&](int steps) -> std::array<double, 2> {
        Specimen rod = thrown_cord(model);
        double energy = before.energy;
        const bool marched = march(rod, free_flight(integrator, steps), steps, [&](const Specimen& now) {
          const Invariants here = invariants(now);
          drift = std::max(drift, (here.momentum - before.momentum).norm() / before.momentum.norm());
          growth = std::max(growth, (here.energy - energy) / before.energy);
          energy = here.energy;
        });
        if (!marched) return {not_a_number, not_a_number};
        const Invariants after = invariants(rod);
        return {(after.angular - before.angular).norm() / before.angular.norm(),
                (before.energy - after.energy) / before.energy};
      },
      results);
  // One Newton iteration per step keeps the momentum just as well.
  der::StepOptions once = free_flight(integrator, 400);
  once.converge = false;
  Specimen rod = thrown_cord(model);
  const bool marched = march(rod, once, 400, [&](const Specimen& now) {
    drift = std::max(drift, (invariants(now).momentum - before.momentum).norm() / before.momentum.norm());
  });
  results.push_back(judge({"drift of linear momentum", "", 0.0, 1e-10}, 1600, marched ? drift : not_a_number));
  if (euler)
    results.push_back(judge({"largest growth of energy in a step", "", 0.0, 1e-12}, 1600, std::max(0.0, growth)));
  return results;
}

// The rest state has no forces. Bent and twisted, the inner forces and moments still cancel, and a rigid motion changes
// nothing.
Results inner_forces(const Model& model) {
  Specimen rod = cord(model);
  Results results;
  const double at_rest = net_force(rod.rod(), Vector3d::Zero()).cwiseAbs().maxCoeff();
  results.push_back(
      judge({"largest force at rest/EA", "", 0.0, 1e-12}, edges, at_rest / stiffness(cord_material()).stretch));

  Random random(12);
  std::vector<Vector3d> x = rod.positions();
  std::vector<double> thetas(x.size(), 0.0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (int c = 0; c < 3; ++c) x[i][c] += 0.1 * length / edges * random.uniform(-1.0, 1.0);
    if (i + 1 < x.size()) thetas[i] = random.uniform(-0.5, 0.5);
  }
  rod.set_positions(x);
  rod.set_thetas(thetas);
  const der::Rod deformed = rod.rod();
  const Eigen::VectorXd force = net_force(deformed, Vector3d::Zero());
  Vector3d sum = Vector3d::Zero(), moment = Vector3d::Zero();
  double largest = 0.0;
  for (int k = 0; k < deformed.vertices; ++k) {
    const Vector3d f = force.segment<3>(4 * k);
    sum += f, moment += deformed.position(k).cross(f), largest = std::max(largest, f.norm());
    if (k + 1 < deformed.vertices) moment += force[4 * k + 3] * precise_edge(deformed, k).tangent;
  }
  results.push_back(judge({"sum of inner forces/largest", "", 0.0, 1e-12}, edges, sum.norm() / largest));
  results.push_back(
      judge({"sum of inner moments/(largest L)", "", 0.0, 1e-12}, edges, moment.norm() / (largest * length)));

  // Positions and directors turn and shift together; twist angles and reference twists stay.
  const Eigen::Quaterniond turn(Eigen::AngleAxisd(2.0, Vector3d(1.0, -2.0, 0.5).normalized()));
  std::vector<Vector3d> directors(x.size());
  std::vector<double> twists(x.size());
  gather_directors(rod.strands, rod.state, directors);
  gather_reference_twists(rod.strands, rod.state, twists);
  for (Vector3d& p : x) p = turn * p + Vector3d(0.2, 0.1, -0.3);
  for (Vector3d& d : directors) d = turn * d;
  Specimen moved = rod;
  moved.set_positions(x);
  moved.set_directors(directors, twists);
  const double energy = energies(deformed, Vector3d::Zero()).elastic();
  results.push_back(judge({"elastic energy after a rigid motion", "J", energy, 1e-12}, edges,
                          energies(moved.rod(), Vector3d::Zero()).elastic()));
  return results;
}

// Two masses on a stiff edge that spin freely: in a backward Euler step the new edge lies along 2 e - e_before, so the
// angle of a step follows d+ = atan2(sin d, 2 - cos d).
Results dumbbell(const Model& model) {
  der::Material material;
  material.radius = 1e-3, material.young = 1e6, material.stretch_young = 2.5e10, material.density = 1000.0;
  const double half = 0.5, rate = 1.0, dt = 0.1;
  Specimen rod =
      make(model, der::describe({{Vector3d(-half, 0.0, 0.0), Vector3d(half, 0.0, 0.0)}, {0, 2}}, material, loose));
  rod.set_velocities({Vector3d(0.0, -half * rate, 0.0), Vector3d(0.0, half * rate, 0.0)}, {0.0, 0.0});
  der::StepOptions options = free_flight(Integrator::euler, 1);
  options.dt = dt, options.tolerance = 1e-8;
  // The first step starts from the velocity, not from an edge before.
  double angle = 0.0, expected = std::atan(rate * dt), worst = 0.0;
  const bool marched = march(rod, options, 50, [&](const Specimen& now) {
    const Vector3d edge = now.tangent(0);
    const double here = std::atan2(edge.y(), edge.x()), turned = std::remainder(here - angle, 2.0 * std::numbers::pi);
    worst = std::max(worst, std::abs(turned - expected));
    expected = std::atan2(std::sin(expected), 2.0 - std::cos(expected));
    angle = here;
  });
  return {judge({"error of the angle per step", "rad", 0.0, 1e-8}, 50, marched ? worst : not_a_number)};
}

}  // namespace

std::vector<Case> conservation_cases(const Model& model) {
  return {{"B11-flight-euler", [model] { return flight(model, Integrator::euler); }},
          {"B11-flight-bdf2", [model] { return flight(model, Integrator::bdf2); }},
          {"B11-inner-forces", [model] { return inner_forces(model); }},
          {"B11-dumbbell", [model] { return dumbbell(model); }}};
}

}  // namespace tendril::validation
