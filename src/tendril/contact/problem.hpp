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

using Impulses = std::vector<Eigen::Vector3d>;  // per contact, in its frame; also velocities

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
  // [m/s], at which it is to part, and how fast an impulse on it alone may make it before that gives way
  // (soft_push.hpp).
  double push = 0.0, push_strength = 0.0;
};

// What is known of a block. Who has already solved with M, and asks for a few of its unknowns only, has the inverse.
enum class Given : std::uint8_t {
  matrix,   // M, symmetric positive definite, and f
  inverse,  // M^-1 on the unknowns of the block, symmetric positive semidefinite; f holds the free velocity M^-1 f
};

struct Block {
  std::size_t first = 0, size = 0;  // of v and f
  std::size_t matrix = 0;           // where its size x size numbers begin
  Given given = Given::matrix;
};

struct Problem {
  std::vector<Block> blocks;
  std::vector<double> matrices, f;  // of all blocks, one after the other
  std::vector<Contact> contacts;
  std::vector<Entry> entries;

  using Matrix = Eigen::Map<Eigen::MatrixXd>;
  using ConstMatrix = Eigen::Map<const Eigen::MatrixXd>;
  using ConstVector = Eigen::Map<const Eigen::VectorXd>;

  std::size_t size() const { return contacts.size(); }
  std::span<const Entry> entries_of(const Side& side) const { return {entries.data() + side.first, side.count}; }
  Matrix matrix(const Block& block) {
    return {matrices.data() + block.matrix, Eigen::Index(block.size), Eigen::Index(block.size)};
  }
  ConstMatrix matrix(const Block& block) const {
    return {matrices.data() + block.matrix, Eigen::Index(block.size), Eigen::Index(block.size)};
  }
  ConstVector right(const Block& block) const { return {f.data() + block.first, Eigen::Index(block.size)}; }

  // Appends a block with its right-hand side, or with its free velocity.
  void add_block(const Eigen::Ref<const Eigen::MatrixXd>& matrix, const Eigen::Ref<const Eigen::VectorXd>& right);
  void add_compliance(const Eigen::Ref<const Eigen::MatrixXd>& inverse,
                      const Eigen::Ref<const Eigen::VectorXd>& free_velocity);
  // The nonzero columns of a dense 3 x size matrix, on a block.
  Side add_side(std::int32_t block, const Eigen::Ref<const Eigen::MatrixXd>& rows);
  // Nothing is left but the memory.
  void clear();

 private:
  void append(const Eigen::Ref<const Eigen::MatrixXd>& numbers, const Eigen::Ref<const Eigen::VectorXd>& part,
              Given given);
};

// Every number finite, every index in range, matrices symmetric; the first thing that is wrong, in one sentence.
Status check(const Problem& problem);

}  // namespace tendril::contact
