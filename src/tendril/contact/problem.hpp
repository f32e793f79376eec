// The frictional contact problem of one implicit step, as data (docs/theory/contact.md, Eq. 29):
//
//   M v = f + Hᵀ r,   u = H v + w,   (r_i, u_i) obey Coulomb's law with mu_i
//
// Unknowns stand in blocks that M does not couple. A contact has three rows, the first one normal, and touches one
// block or two; a body that is moved by the scene has no unknowns and is seen in w alone. r are impulses [N s] on the
// first side, u relative velocities [m/s] of the first side to the second.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril::contact {

enum class Law : std::uint8_t {
  coulomb,    // with mu = 0: without friction
  bilateral,  // u = 0, whatever impulse it takes: joints
};

// Three rows of H on the unknowns of one block: the coefficient of each unknown that the contact sees.
struct Side {
  static constexpr std::int32_t none = -1;
  std::int32_t block = none;
  std::uint32_t first = 0, count = 0;  // of Problem::entries
};
struct Entry {
  std::uint32_t unknown = 0;  // of the block
  Eigen::Vector3d coefficient = Eigen::Vector3d::Zero();
};

struct Contact {
  Side a, b;                                        // coefficients of b have their minus sign
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();  // w [m/s]
  double mu = 0.0;
  Law law = Law::coulomb;
};

struct Block {
  std::size_t first = 0, size = 0;  // of v and f
  Eigen::MatrixXd matrix;           // M, symmetric positive definite
};

struct Problem {
  std::vector<Block> blocks;
  Eigen::VectorXd f;
  std::vector<Contact> contacts;
  std::vector<Entry> entries;

  std::size_t size() const { return contacts.size(); }
  std::span<const Entry> entries_of(const Side& side) const { return {entries.data() + side.first, side.count}; }

  // Appends a block with its right-hand side.
  void add_block(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right);
  // The nonzero columns of a dense 3 x size matrix, on a block.
  Side add_side(std::int32_t block, const Eigen::MatrixXd& rows);
};

// Every number finite, every index in range, matrices symmetric; the first thing that is wrong, in one sentence.
Status check(const Problem& problem);

}  // namespace tendril::contact
