// Contacts in an order in which Gauss-Seidel may run in parallel with the same bits for any number of threads
// (docs/theory/contact.md, "Gauss-Seidel"): all contacts between two blocks are one task, and tasks of one colour share
// no block.
#pragma once

#include <cstdint>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

struct StrandPairs {
  std::vector<std::uint32_t> order;         // of the contacts: colour by colour, task by task
  std::vector<std::uint32_t> task_start;    // in `order`, and the end
  std::vector<std::uint32_t> colour_start;  // in the tasks, and the end
};

StrandPairs strand_pairs(const NodeSpace& space);

}  // namespace tendril::contact
