// What a page asks of a live simulation, read from JSON in which every key is known and every number in its range.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <string_view>

#include "tendril/base/error.hpp"
#include "tendril/serve/root_drag.hpp"

namespace tendril::serve {

struct LiveControls {
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  // [m/s2]
  std::optional<Eigen::Vector3d> wind;                // [m/s]; nothing: there is no air
  double stiffness = 1.0;                             // as a multiple of the scene's
  double damping = 0.0;                               // [s], of all strands
  std::optional<double> friction;                     // as a multiple of the scene's; nothing: there is none
};

struct ControlOrder {
  std::optional<bool> paused;
  std::optional<Eigen::Vector3d> gravity, wind;
  std::optional<double> stiffness, damping, friction;
  bool reset = false, step = false;
};
Result<ControlOrder> parse_controls(std::string_view json);

struct DragOrder {
  std::string set;
  std::optional<DragGoal> goal;  // nothing: let go
};
Result<DragOrder> parse_drag(std::string_view json);

}  // namespace tendril::serve
