#include "tendril/sim/validation/specimen.hpp"

#include <cmath>
#include <numbers>
#include <stdexcept>

#include "tendril/implicit/der_statics.hpp"
#include "tendril/rods/der/static_potential.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

// A benchmark that cannot be set up is an error in the benchmark.
template <class T>
T sound(Result<T> result) {
  if (!result) throw std::logic_error("benchmark: " + result.error().message());
  return std::move(result.value());
}

int from_root(int index, int count) { return index < 0 ? index + count : index; }

}  // namespace

Scale hair() {
  der::Material material;
  material.radius = 40e-6, material.young = 4e9, material.shear = 4e9 / (2.0 * 1.48), material.density = 1300.0;
  return {"hair", material, 0.1};
}

Scale rope() {  // its yarns slide in bending, so it is far softer there than in tension
  der::Material material;
  material.radius = 5e-3, material.young = 1e7, material.shear = 1e7 / (2.0 * 1.3), material.density = 900.0;
  material.stretch_young = 5e9;
  return {"rope", material, 2.0};
}

Scale chain(double length) {
  der::Material material = rope().material;
  const Stiffness stiff = stiffness(material);
  const double weight = stiff.line_density * standard_gravity * length, area = pi * material.radius * material.radius;
  material.young *= 1e-14 * weight * length * length / stiff.bend;
  material.shear = 0.4 * material.young;
  material.stretch_young = 1e12 * weight / area;
  return {"chain", material, length};
}

Stiffness stiffness(const der::Material& m) {
  const double area = pi * m.radius * m.radius, second_moment = 0.25 * area * m.radius * m.radius;
  return {m.young * second_moment, m.shear * 2.0 * second_moment, m.stretch_young.value_or(m.young) * area,
          m.density * area};
}

der::Material with_twist_ratio(der::Material material, double twist_over_bend) {
  material.shear = 0.5 * material.young * twist_over_bend;  // J = 2 I
  return material;
}

void Specimen::set_loads(const std::vector<der::Load>& loads) {
  strands.clear_loads();
  for (const der::Load& load : loads) sound(strands.add_load(load));
}

void Specimen::set_positions(const std::vector<Vector3d>& positions) {
  sound(der::set_positions(strands, positions, state));
}

void Specimen::set_thetas(const std::vector<double>& thetas) { sound(der::set_thetas(strands, thetas, state)); }

void Specimen::set_directors(const std::vector<Vector3d>& directors, const std::vector<double>& reference_twists) {
  sound(der::set_directors(strands, directors, reference_twists, state));
}

void Specimen::set_velocities(const std::vector<Vector3d>& velocities, const std::vector<double>& theta_velocities) {
  sound(der::set_velocities(strands, velocities, state));
  sound(der::set_theta_velocities(strands, theta_velocities, state));
}

bool Specimen::settle(double tolerance) {
  der::StaticOptions options;
  options.gravity = gravity, options.tolerance = tolerance;
  return solve_static(strands, targets, options, state)[0].status == SolveStatus::converged;
}

bool Specimen::balance() {
  constexpr int most_iterations = 30;
  constexpr double tolerance = 1e-10;  // of all forces, those of the clamps too
  const der::Rod start = rod();
  // Held unknowns go to their targets by a displacement, so that the frames go with them.
  Eigen::VectorXd displacement = Eigen::VectorXd::Zero(Eigen::Index(start.unknowns())), step;
  for (std::size_t u = 0; u < start.unknowns(); ++u) {
    const int hold = start.hold_of[u / 4];
    if (hold < 0 || start.is_free(u)) continue;
    const auto target = std::size_t(hold * der::HoldLayout::components + der::HoldLayout::target) + u % 4;
    displacement[Eigen::Index(u)] = start.holds[target] - start.state[u / 4 * der::StateLayout::components + u % 4];
  }
  der::StaticPotential potential(start, gravity);
  for (int iteration = 0; iteration < most_iterations; ++iteration) {
    potential.recentre(displacement);
    potential.gradient(displacement, step);
    if (!step.allFinite()) return false;
    if (potential.norm(step) <= tolerance * potential.norm(net_force(potential.rod(), gravity))) {
      der::insert(potential.rod(), strands, 0, state);
      return true;
    }
    Band<double> hessian = exact_hessian(potential.rod());
    take_out_held(potential.rod(), hessian);
    factorise(hessian, Pivots::as_they_come);
    solve(hessian, std::span<double>(step.data(), std::size_t(step.size())));
    displacement = -step;
  }
  return false;
}

int Specimen::negative_modes() const {
  const der::Rod here = rod();
  Band<double> hessian = exact_hessian(here);
  take_out_held(here, hessian);
  return int(factorise(hessian, Pivots::as_they_come));
}

std::vector<Vector3d> Specimen::positions() const {
  std::vector<Vector3d> out(strands.vertex_count());
  gather_positions(strands, state, out);
  return out;
}

Vector3d Specimen::position(int vertex) const {
  const std::vector<Vector3d> x = positions();
  return x[std::size_t(from_root(vertex, int(x.size())))];
}

Vector3d Specimen::tangent(int edge) const {
  const std::vector<Vector3d> x = positions();
  const auto e = std::size_t(from_root(edge, int(x.size()) - 1));
  return (x[e + 1] - x[e]).normalized();
}

Specimen make(const Model& model, der::Description description, std::vector<der::Hold> holds) {
  if (model.alter) model.alter(description);
  der::Strands strands = sound(der::Strands::create(std::move(description), std::move(holds)));
  der::State state = strands.start();
  der::Targets targets = strands.make_targets();
  return {std::move(strands), std::move(state), std::move(targets)};
}

std::vector<Vector3d> straight_line(int edges, double length) {
  std::vector<Vector3d> points;
  for (int i = 0; i <= edges; ++i) points.emplace_back(length * i / edges, 0.0, 0.0);
  return points;
}

Specimen straight(const Model& model, int edges, double length, const der::Material& material,
                  const der::Clamps& clamps, std::vector<der::Hold> holds) {
  return bent(model, straight_line(edges, length), material, clamps, std::move(holds));
}

Specimen bent(const Model& model, std::vector<Vector3d> points, const der::Material& material,
              const der::Clamps& clamps, std::vector<der::Hold> holds) {
  const std::size_t n = points.size();
  der::Description description = der::describe({std::move(points), {0, n}}, material, clamps);
  description.rest_curvature.assign(n, {});
  description.rest_twist.assign(n, 0.0);
  return make(model, std::move(description), std::move(holds));
}

bool march(Specimen& specimen, const der::StepOptions& options, int steps,
           const std::function<void(const Specimen&)>& seen) {
  der::StepWorkspace work;
  der::State trial = specimen.state;
  for (int i = 0; i < steps; ++i) {
    const der::StepReport report = step(specimen.strands, specimen.targets, options, specimen.state, work, trial);
    if (report.outcome != Outcome::converged) return false;
    commit(trial, options.dt, options.integrator == der::Integrator::bdf2, specimen.state);
    if (seen) seen(specimen);
  }
  return true;
}

double critical_load(double low, double high, const std::function<bool(double)>& stable) {
  if (!stable(low) || stable(high)) return not_a_number;
  while (high - low > 1e-9 * high) {
    const double middle = 0.5 * (low + high);
    (stable(middle) ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

}  // namespace tendril::validation
