// W = H C Hᵀ of an island as one dense matrix, for methods that are meant for few contacts.
#pragma once

#include <Eigen/Core>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

constexpr std::size_t most_dense_contacts = 600;  // beyond that a factorisation takes seconds

Eigen::MatrixXd dense_delassus(const NodeSpace& space);
Eigen::VectorXd dense_free_velocity(const NodeSpace& space);  // b

}  // namespace tendril::contact
