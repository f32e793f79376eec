// Contacts and joints of a step as rows, and what the blocks that they touch are to them: vectors over all unknowns,
// and lists of who touches whom.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/collide/contact.hpp"
#include "tendril/contact/problem.hpp"
#include "tendril/sim/contact/step_system.hpp"

namespace tendril {

// Three rows: u = frame (velocity of a - velocity of b) + drift. Strands of points are blocks.
struct ContactRow {
  collide::StrandPoint a, b;  // b: nobody if it is no strand
  Eigen::Matrix3d frame = Eigen::Matrix3d::Identity();
  Eigen::Vector3d drift = Eigen::Vector3d::Zero();  // [m/s]
  double mu = 0.0;
  contact::Law law = contact::Law::coulomb;
  double push = 0.0, push_strength = 0.0;  // [m/s], as of contact::Contact
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

// Of a block by a row: one side of it.
struct Touch {
  std::uint32_t row = 0;
  bool is_b = false;

  const collide::StrandPoint& at(std::span<const ContactRow> rows) const { return is_b ? rows[row].b : rows[row].a; }
  double sign() const { return is_b ? -1.0 : 1.0; }
};

class Touches {
 public:
  static constexpr std::uint32_t none = 0xffffffff;

  void collect(std::size_t block_count, std::span<const ContactRow> rows);
  void clear() { blocks_.clear(), number_.clear(), first_.assign(1, 0), touches_.clear(); }

  std::size_t size() const { return blocks_.size(); }
  std::span<const std::uint32_t> blocks() const { return blocks_; }  // that are touched, rising
  std::span<const Touch> of(std::size_t number) const {              // in the order of the rows
    return std::span(touches_).subspan(first_[number], first_[number + 1] - first_[number]);
  }

  // A^-1 Hᵀ r is added to what is in `velocity`.
  void add_response(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows,
                    std::span<const Eigen::Vector3d> r, BlockVectors& velocity) const;

 private:
  std::vector<std::uint32_t> blocks_, number_, first_, next_;
  std::vector<Touch> touches_;
};

}  // namespace tendril
