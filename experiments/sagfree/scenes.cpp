#include "experiments/sagfree/scenes.hpp"

#include <algorithm>
#include <stdexcept>

namespace tendril::experiments::sagfree {

using Eigen::Vector3d;

der::Description straight_strand(const Vector3d& along, double modulus, std::size_t vertices) {
  constexpr double length = 0.3;
  Curves curves;
  for (std::size_t i = 0; i < vertices; ++i) curves.points.push_back(length * double(i) / double(vertices - 1) * along);
  curves.offsets.push_back(vertices);
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = modulus, material.density = 1300.0;
  der::Description d = der::describe(std::move(curves), material, {});
  d.root_director = {Vector3d::UnitY()};  // gravity bends about one axis of the section
  return d;
}

Motion::Motion(der::Strands made) : strands(std::move(made)), state(strands.start()), trial(state) {
  targets = strands.make_targets();
  options.dt = 1.0 / 240.0, options.gravity = down;
}

void Motion::run(int steps, const std::function<der::Drive(double time)>& drive) {
  for (int i = 1; i <= steps; ++i) {
    strands.drive(drive ? drive(i * options.dt) : der::Drive{}, state, targets);
    const der::StepReport report = der::step(strands, targets, options, state, work, trial);
    if (report.outcome == Outcome::failed) throw std::runtime_error(der::text(report.trouble));
    der::commit(trial, options.dt, false, state);
  }
}

std::vector<Vector3d> Motion::positions() const {
  std::vector<Vector3d> x(strands.vertex_count());
  der::gather_positions(strands, state, x);
  return x;
}

double drift(const der::Strands& strands) {
  Motion motion(strands);
  const std::vector<Vector3d> before = motion.positions();
  motion.run(240);
  const std::vector<Vector3d> after = motion.positions();
  double largest = 0.0;
  for (std::size_t v = 0; v < before.size(); ++v) largest = std::max(largest, (after[v] - before[v]).norm());
  return largest;
}

}  // namespace tendril::experiments::sagfree
