// The contact problem of a step, from the one-step systems of the models and the rows of contacts and joints.
//
// A block enters with the velocities of the points at which rows touch it, or with the unknowns that these points see,
// whichever are fewer: on them it is its compliance S A^-1 Sᵀ and its free velocity (docs/theory/coupling.md, Eq. 3).
// Blocks that nothing touches do not enter at all.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contact/problem.hpp"
#include "tendril/sim/contact/rows.hpp"

namespace tendril {

class ContactAssembly {
 public:
  // Between two calls of clear() neither the systems nor the matrices of the problem must change: blocks that are
  // touched at the same points as in the call before keep their compliances.
  void assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity, std::span<const ContactRow> rows,
                const Touches& touches, contact::Problem& problem);
  void clear() { number_.clear(), numbers_ = 0; }

 private:
  // A block that is touched.
  struct Entrant {
    std::vector<collide::StrandPoint> points;  // where, rising, each once
    std::vector<std::uint32_t> point_of;       // of each touch
    std::vector<std::uint32_t> unknowns;       // that the points see, rising
    bool by_points = false, is_new = true;     // is_new: it has no compliance yet
    std::size_t matrix = 0;                    // where its compliance begins

    std::size_t size() const { return by_points ? 3 * points.size() : unknowns.size(); }
    bool is_as(const Entrant& other) const;
  };

  const Entrant* entrant_before(std::uint32_t block) const;
  void choose_form(const BlockPlace& block, std::span<const ContactRow> rows, std::span<const Touch> touches,
                   Entrant& entrant) const;
  void lay_out(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows, const Touches& touches,
               contact::Problem& problem);
  void fill_entries(const BlockPlace& block, std::span<const ContactRow> rows, std::span<const Touch> touches,
                    const Entrant& entrant, contact::Problem& problem) const;
  void fill_compliance(const BlockPlace& block, std::span<const double> free, std::size_t index,
                       contact::Problem& problem) const;

  std::vector<std::uint32_t> number_;  // of each block among those that are touched
  std::vector<Entrant> entrants_;      // of touched blocks, and memory for more
  // As of the call before.
  std::vector<std::uint32_t> number_before_;
  std::vector<Entrant> entrants_before_;
  std::size_t numbers_ = 0;  // of compliances, since the last clear()
};

}  // namespace tendril
