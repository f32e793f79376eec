// The contact problem of a step, from the one-step systems of the models and the rows of contacts and joints; and the
// velocities that its impulses lead to.
//
// Of every block only those unknowns enter that rows touch: on them the block is its compliance S A^-1 Sᵀ and its free
// velocity (docs/theory/coupling.md, Eq. 3). Blocks that nothing touches do not enter at all.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/collide/contact.hpp"
#include "tendril/contact/problem.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/sim/contact/step_system.hpp"

namespace tendril {

// Three rows: u = frame (velocity of a - velocity of b) + drift. Strands of points are blocks.
struct ContactRow {
  collide::StrandPoint a, b;  // b: nobody if it is no strand
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();  // [m/s]
  double mu = 0.0;
  contact::Law law = contact::Law::coulomb;
};

// A number for each unknown of each block.
struct BlockVectors {
  std::vector<double> values;
  std::vector<std::size_t> first;  // of each block, and the end

  void shape(std::span<const BlockPlace> blocks);
  std::span<double> operator[](std::size_t block) {
    return {values.data() + first[block], first[block + 1] - first[block]};
  }
  std::span<const double> operator[](std::size_t block) const {
    return {values.data() + first[block], first[block + 1] - first[block]};
  }
};

class ContactAssembly {
 public:
  void assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity, std::span<const ContactRow> rows,
                contact::Problem& problem);

  // Of the blocks in the order of the problem's: A^-1 Hᵀ r is added to what is in `velocity`.
  void add_response(std::span<const BlockPlace> blocks, const contact::Problem& problem, const contact::Impulses& r,
                    BlockVectors& velocity) const;
  std::span<const std::uint32_t> touched() const { return touched_; }  // blocks, rising
  void clear() { touched_.clear(); }

 private:
  struct Touch {  // of a block by a row: one side of it
    std::uint32_t row = 0;
    bool is_b = false;
  };

  void collect_entries(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows, contact::Problem& problem);
  void number_unknowns(const BlockVectors& all, contact::Problem& problem);
  void fill_compliances(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity,
                        contact::Problem& problem) const;

  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> unknowns_, unknown_begin_;  // of each touched block, rising
  std::vector<std::uint32_t> number_;                    // of every unknown of every block, where it is touched
  std::vector<std::uint32_t> touch_begin_;
  std::vector<Touch> touches_;  // of each touched block, in the order of the rows
};

}  // namespace tendril
