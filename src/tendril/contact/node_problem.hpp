// The contact problem of a step in the form in which solvers of coarse tolerances take it at once: contacts between
// nodes, which are points of the blocks, and compliances of each block on its nodes in single precision
// (docs/theory/contact.md, "Contacts on nodes"). A Problem (problem.hpp) says the same in general and in full
// precision.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

// Tolerances of at least that are met with compliances in single precision, whose round-off is a thousandth of it.
constexpr double coarse_tolerance = 1e-4;

struct NodeSide {
  std::int32_t block = Side::none;
  std::array<std::uint32_t, 2> node{};
  std::array<double, 2> weight{};  // with its sign; 0: there is one node, or none
};

struct NodeRow {
  std::array<NodeSide, 2> side;
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();  // u = frame (sum of weight times velocity) + drift
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();      // [m/s]
  double mu = 0.0;
  Law law = Law::coulomb;
  double push = 0.0, push_strength = 0.0;  // [m/s], as of Contact
};

struct NodeProblem {
  struct Block {
    std::uint32_t first_node = 0, nodes = 0;
    std::size_t compliance = 0;  // where it begins, as linalg/packed_rows.hpp has it
  };
  std::vector<Block> blocks;
  AlignedVector<float> compliances;
  AlignedVector<double> free_velocity;  // [m/s] of the nodes, four numbers for each, the last of them 0
  std::vector<float> own_trace;         // of what an impulse on each node does to it: of the diagonal of its compliance
  std::vector<NodeRow> rows;
};

}  // namespace tendril::contact
