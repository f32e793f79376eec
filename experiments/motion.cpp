#include "experiments/motion.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace tendril::experiments {

using Eigen::Vector3d;

Motion::Motion(der::Strands made, const Vector3d& gravity)
    : strands(std::move(made)), state(strands.start()), trial(state), targets(strands.make_targets()) {
  options.gravity = gravity;
}

void Motion::run(int more, const std::function<der::Drive(double time)>& drive) {
  for (const int last = steps + more; steps < last;) {
    ++steps;
    strands.drive(drive ? drive(time()) : der::Drive{}, state, targets);
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

std::function<der::Drive(double time)> shake(const Vector3d& amplitude, double frequency, double seconds) {
  return [=](double time) {
    der::Drive drive;
    if (time < seconds) drive.root[0].translation = std::sin(2.0 * std::numbers::pi * frequency * time) * amplitude;
    return drive;
  };
}

double largest_distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  double largest = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) largest = std::max(largest, (a[v] - b[v]).norm());
  return largest;
}

}  // namespace tendril::experiments
