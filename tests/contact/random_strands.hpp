// Strands of five free nodes in the air, with contacts between random points of random pairs of them: problems of any
// size whose contacts see nodes through frames, as those of hair do.
#pragma once

#include <Eigen/Core>

#include "contact/random_problems.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

struct RandomStrands {
  int strands = 20, contacts = 100, nodes = 5;
  double mu = 0.3;
  std::uint64_t seed = 1;
  bool self = false;  // also contacts of a strand with itself
  int reach = 0;      // of the strands that follow one, how many it may touch; 0: all
};

inline Side random_side(Random& random, int strand, int nodes, const Matrix3d& frame, double sign, Problem& problem) {
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(3, 3 * nodes);
  const auto node = Eigen::Index(random.below(std::uint64_t(nodes - 1)));
  const double share = random.uniform();
  rows.middleCols<3>(3 * node) = sign * (1.0 - share) * frame;
  rows.middleCols<3>(3 * node + 3) = sign * share * frame;
  return problem.add_side(strand, rows);
}

inline Problem random_strands(const RandomStrands& options) {
  Random random(options.seed);
  Problem problem;
  const Eigen::Index n = 3 * options.nodes;
  for (int s = 0; s < options.strands; ++s) {
    Eigen::MatrixXd spread(n, n);
    for (double& entry : spread.reshaped()) entry = random.normal();
    Eigen::VectorXd right(n);
    for (double& entry : right) entry = random.normal();
    problem.add_block(Eigen::MatrixXd::Identity(n, n) + 0.2 * spread * spread.transpose(), right);
  }
  for (int c = 0; c < options.contacts; ++c) {
    const auto a = int(random.below(std::uint64_t(options.strands)));
    const int other = int(random.below(std::uint64_t(options.reach > 0 ? options.reach : options.strands - 1)));
    const int b = options.self && c % 7 == 0 ? a : (a + 1 + other) % options.strands;
    const Matrix3d frame = random_frame(random);
    Contact contact{{}, {}, Vector3d::Zero(), options.mu, Law::coulomb};
    contact.a = random_side(random, a, options.nodes, frame, 1.0, problem);
    if (c % 10 != 0) contact.b = random_side(random, b, options.nodes, frame, -1.0, problem);
    problem.contacts.push_back(contact);
  }
  return problem;
}

}  // namespace tendril::contact
