#include "tendril/contact/dense_delassus.hpp"

namespace tendril::contact {

using Eigen::Index;
using Eigen::Vector3d;

Eigen::MatrixXd dense_delassus(const NodeSpace& space) {
  Eigen::MatrixXd w(Index(3 * space.size()), Index(3 * space.size()));
  AlignedVector<double> force(space.free_velocity.size(), 0.0), v(space.free_velocity.size(), 0.0);
  for (std::size_t j = 0; j < space.size(); ++j)
    for (int axis = 0; axis < 3; ++axis) {
      space.push(space.contacts[j], Vector3d::Unit(axis), force.data());
      for (const NodeBlock& block : space.blocks) space.respond(block, force.data(), v.data());
      for (std::size_t k = 0; k < v.size(); ++k) v[k] -= space.free_velocity[k];
      for (std::size_t i = 0; i < space.size(); ++i)
        w.block<3, 1>(Index(3 * i), Index(3 * j) + axis) =
            space.velocity(space.contacts[i], v.data()) - space.contacts[i].drift;
      std::ranges::fill(force, 0.0);
    }
  return 0.5 * (w + w.transpose());
}

Eigen::VectorXd dense_free_velocity(const NodeSpace& space) {
  Eigen::VectorXd b(Index(3 * space.size()));
  for (std::size_t i = 0; i < space.size(); ++i)
    b.segment<3>(Index(3 * i)) = space.velocity(space.contacts[i], space.free_velocity.data());
  return b;
}

}  // namespace tendril::contact
