// What contact carries from step to step: a part of the state.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/collide/contact.hpp"

namespace tendril {

struct ContactMemory {
  std::vector<collide::Contact> contacts;      // of the last step, in contact_order
  std::vector<Eigen::Vector3d> forces;         // [N], on side A of each, in world axes
  std::vector<Eigen::Vector3d> joint_forces;   // [N], on side a of each joint
  std::vector<Eigen::Vector3d> vertex_forces;  // [N], on every simulated vertex; empty: none yet
  // [m], by how much every simulated vertex was inside a body at the start and still is; empty: nobody has looked yet.
  std::vector<double> depth;
  std::vector<double> edge_depth;  // likewise, between the vertex and the next one
};

}  // namespace tendril
