// A user's program: a strand clamped at one end falls for a second.
#include <iostream>
#include <utility>

#include "tendril/base/build_info.hpp"
#include "tendril/rods/der/stepper.hpp"

int main() {
  namespace der = tendril::der;
  tendril::Curves curves;
  for (int i = 0; i < 20; ++i) curves.points.emplace_back(0.01 * i, 0.0, 0.0);
  curves.offsets.push_back(curves.points.size());
  auto strands = der::Strands::create(der::describe(std::move(curves), der::Material{}, der::Clamps{}));
  if (!strands) return std::cerr << strands.error().message() << '\n', 1;
  der::State state = strands.value().start(), trial;
  const der::Targets targets = strands.value().make_targets();
  der::StepWorkspace work;
  const der::StepOptions options;
  for (int step = 0; step < 240; ++step) {
    if (der::step(strands.value(), targets, options, state, work, trial).outcome == tendril::Outcome::failed) return 1;
    der::commit(trial, options.dt, false, state);
  }
  std::vector<Eigen::Vector3d> x(20);
  der::gather_positions(strands.value(), state, x);
  std::cout << "tendril " << tendril::version() << ": the tip hangs " << -x.back().y() << " m below the clamp\n";
  return x.back().y() < -0.1 ? 0 : 1;
}
