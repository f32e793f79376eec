// The contact problem of a step, from the one-step systems of the models and the rows of contacts and joints; and the
// velocities that its impulses lead to.
//
// A block enters with the velocities of the points at which rows touch it, or with the unknowns that these points see,
// whichever are fewer: on them it is its compliance S A^-1 Sᵀ and its free velocity (docs/theory/coupling.md, Eq. 3).
// Blocks that nothing touches do not enter at all.
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

class ContactAssembly {
 public:
  // Between two calls of clear() neither the systems nor the matrices of the problem must change: blocks that are
  // touched at the same points as in the call before keep their compliances.
  void assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity, std::span<const ContactRow> rows,
                contact::Problem& problem);

  // A^-1 Hᵀ r is added to what is in `velocity`.
  void add_response(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows, const contact::Impulses& r,
                    BlockVectors& velocity) const;
  std::span<const std::uint32_t> touched() const { return touched_; }  // blocks, rising
  void clear();

 private:
  struct Touch {  // of a block by a row: one side of it
    std::uint32_t row = 0, point = 0;
    bool is_b = false;

    const collide::StrandPoint& at(std::span<const ContactRow> rows) const { return is_b ? rows[row].b : rows[row].a; }
    double sign() const { return is_b ? -1.0 : 1.0; }
  };
  // A block that is touched.
  struct Entrant {
    std::vector<Touch> touches;                // in the order of the rows
    std::vector<collide::StrandPoint> points;  // where, rising, each once
    std::vector<std::uint32_t> unknowns;       // that the points see, rising
    bool by_points = false, is_new = true;     // is_new: it has no compliance yet
    std::size_t matrix = 0;                    // where its compliance begins

    std::size_t size() const { return by_points ? 3 * points.size() : unknowns.size(); }
    bool is_as(const Entrant& other) const;
  };

  void collect_touches(std::size_t block_count, std::span<const ContactRow> rows);
  const Entrant* entrant_before(std::size_t index) const;
  void choose_form(const BlockPlace& block, std::span<const ContactRow> rows, Entrant& entrant) const;
  void lay_out(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows, contact::Problem& problem);
  void fill_entries(const BlockPlace& block, std::span<const ContactRow> rows, const Entrant& entrant,
                    contact::Problem& problem) const;
  void fill_compliance(const BlockPlace& block, std::span<const double> free, std::size_t index,
                       contact::Problem& problem) const;

  std::vector<std::uint32_t> touched_, number_;  // number_: of each block among those that are touched
  std::vector<Entrant> entrants_;                // of touched blocks, and memory for more
  // As of the call before.
  std::vector<std::uint32_t> number_before_;
  std::vector<Entrant> entrants_before_;
  std::size_t numbers_ = 0;  // of compliances, since the last clear()
};

}  // namespace tendril
