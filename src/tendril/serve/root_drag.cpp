#include "tendril/serve/root_drag.hpp"

#include <algorithm>

#include "tendril/sim/make_part.hpp"

namespace tendril::serve {

using Eigen::Quaterniond;
using Eigen::Vector3d;

namespace {

Vector3d limited(const Vector3d& v, double most) { return v * std::min(1.0, most / std::max(v.norm(), 1e-30)); }

}  // namespace

std::optional<RootDrag> RootDrag::of(const World& world, std::size_t index) {
  const World::Part& part = world.parts[index];
  const Curves& curves = part.strands.description().curves;
  if (part.settings.clamps.root == der::Clamp::free || part.roots) return std::nullopt;
  if (!check_moving_clamps(part.settings.clamps, curves)) return std::nullopt;
  Vector3d middle = Vector3d::Zero();
  for (std::size_t s = 0; s < curves.strands(); ++s)
    middle += apply(part.to_drawn, curves.points[curves.offsets[s]]) / double(curves.strands());
  return RootDrag(index, part.settings.name, middle);
}

// That takes the middle to a place and turns about it.
Pose RootDrag::pose_of(const Vector3d& middle, const Quaterniond& turn) const {
  return {turn, middle - turn * middle_};
}

// Arrives, to the bit, when little is left of the way.
Pose RootDrag::nearer(const Pose& from, const Pose& to, double dt) {
  constexpr double close = 1e-5, close_turn = 1e-4;  // [m], [rad]
  const Vector3d start = apply(from, middle_), way = apply(to, middle_) - start;
  const double angle = from.rotation.angularDistance(to.rotation);
  if (way.norm() < close && angle < close_turn) return velocity_.setZero(), to;
  const Vector3d wanted = limited(way / std::max(lag, dt), fastest);
  velocity_ += limited(wanted - velocity_, acceleration * dt);
  const double turn = std::min({1.0, dt / lag, fastest_turn * dt / std::max(angle, close_turn)});
  return pose_of(start + dt * velocity_, from.rotation.slerp(turn, to.rotation).normalized());
}

void RootDrag::forget() {
  goal_.reset(), pose_.reset();
  velocity_.setZero();
  arrived_ = goes_back_ = false;
}

Status RootDrag::advance(double dt, Simulation& simulation) {
  if (!goal_ && !pose_) return ok();
  if (!goal_ && arrived_) {  // the last step ended where their own motion has them
    forget();
    return simulation.release_pose(set_);
  }
  const Motion& motion = simulation.world().parts[part_].settings.root_motion;
  const Pose own = motion.at(simulation.time()), own_next = motion.at(simulation.time() + dt);
  const Vector3d own_velocity = (apply(own_next, middle_) - apply(own, middle_)) / dt;
  const bool goes_back = !goal_;
  if (!pose_)
    pose_ = own, velocity_ = own_velocity;
  else if (goes_back && !goes_back_)
    velocity_ = own.rotation.conjugate() * (velocity_ - own_velocity);
  else if (!goes_back && goes_back_)
    velocity_ = own.rotation * velocity_ + own_velocity;
  goes_back_ = goes_back;
  // On their way back the roots go to rest in the frame of their own motion, so that they arrive however it moves.
  const Pose from = goes_back ? compose(inverse(own), *pose_) : *pose_;
  const Pose goal = goes_back ? Pose{} : pose_of(middle_ + goal_->offset, goal_->turn);
  const Pose there = nearer(from, goal, dt);
  arrived_ = there.translation == goal.translation && there.rotation.coeffs() == goal.rotation.coeffs();
  pose_ = !goes_back ? there : arrived_ ? own_next : compose(own_next, there);
  return simulation.set_pose(set_, *pose_);
}

}  // namespace tendril::serve
