// The contact problem of a step between nodes, for coarse tolerances (contact/node_problem.hpp): the nodes of a block
// are the points at which rows touch it, or its vertices, if these are fewer and points follow them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contact/node_problem.hpp"
#include "tendril/sim/contact/rows.hpp"

namespace tendril {

class NodeAssembly {
 public:
  // Between two calls of clear() neither the systems nor the compliances of the problem must change: blocks with the
  // same nodes as in the call before keep theirs. False: there would be too many numbers.
  bool assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity, std::span<const ContactRow> rows,
                const Touches& touches, contact::NodeProblem& problem);
  void clear() { number_.clear(), numbers_ = 0; }

  // Of the nodes of the last call, as the problem has them (contact/node_problem.hpp), under velocities of the blocks.
  void node_velocities(std::span<const BlockPlace> blocks, const Touches& touches, const BlockVectors& velocity,
                       const contact::NodeProblem& problem, std::span<double> out) const;

 private:
  struct Entrant {
    std::vector<collide::StrandPoint> nodes;  // from the tip to the root
    std::vector<std::uint32_t> node_of;       // of each touch; of vertices that which is nearer to the tip
    bool by_vertices = false, is_new = true;  // is_new: it has no compliance yet
    std::size_t compliance = 0;               // where that begins
    std::vector<float> own_trace;             // of its diagonal
  };

  void choose_nodes(const BlockPlace& block, std::span<const ContactRow> rows, std::span<const Touch> touches,
                    Entrant& entrant) const;
  bool lay_out(const Touches& touches, contact::NodeProblem& problem);
  void fill_rows(std::span<const ContactRow> rows, std::span<const Touch> touches, std::size_t number,
                 contact::NodeProblem& problem) const;
  void fill_block(const BlockPlace& block, std::span<const double> free, std::size_t number,
                  contact::NodeProblem& problem);

  std::vector<Entrant> entrants_, before_;             // of touched blocks, and memory for more
  std::vector<std::uint32_t> number_, number_before_;  // of each block among the entrants
  std::size_t numbers_ = 0;                            // of compliances so far
};

}  // namespace tendril
