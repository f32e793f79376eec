// Roots that are dragged by hand. A hand on a mouse jumps; roots that jumped would tear at their strands as nothing in
// the world does. So they gather speed, follow at a limited one and slow down before they arrive; when they are let go
// they return to their own motion likewise.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <optional>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril::serve {

// Where the roots of a set are to be: moved, and turned about their middle, from where they were drawn.
struct DragGoal {
  Eigen::Vector3d offset = Eigen::Vector3d::Zero();  // [m]
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
};

class RootDrag {
 public:
  // Hair of examples/shaken-head, pulled to and fro by a metre, stretches by 3 % so; with 5 m/s and 100 m/s2 by 30 %.
  static constexpr double fastest = 3.0, acceleration = 30.0;  // [m/s], [m/s2]
  static constexpr double fastest_turn = 10.0;                 // [rad/s]
  static constexpr double lag = 0.1;                           // [s] behind a hand that moves slowly

  // Of a part of the world; nothing if its roots are free, or each carried for itself.
  static std::optional<RootDrag> of(const World& world, std::size_t part);

  const std::string& set() const { return set_; }
  void pull(const DragGoal& goal) { goal_ = goal, arrived_ = false; }
  void release() { goal_.reset(), arrived_ = false; }
  void forget();  // the simulation was reset

  // Before each step of dt: gives the roots the pose in which it is to end.
  Status advance(double dt, Simulation& simulation);
  bool under_way() const { return (goal_ && !arrived_) || (!goal_ && pose_); }

 private:
  RootDrag(std::size_t part, std::string set, const Eigen::Vector3d& middle)
      : part_(part), set_(std::move(set)), middle_(middle) {}
  Pose pose_of(const Eigen::Vector3d& middle, const Eigen::Quaterniond& turn) const;
  Pose nearer(const Pose& from, const Pose& to, double dt);

  std::size_t part_;
  std::string set_;
  Eigen::Vector3d middle_;                              // of the drawn roots
  Eigen::Vector3d velocity_ = Eigen::Vector3d::Zero();  // [m/s] of the middle; on their way back relative to it
  bool goes_back_ = false;                              // relative to their own motion, which goes on
  std::optional<DragGoal> goal_;                        // nothing: their own motion
  std::optional<Pose> pose_;                            // that was given last; nothing: they are on their own
  bool arrived_ = false;                                // there
};

}  // namespace tendril::serve
