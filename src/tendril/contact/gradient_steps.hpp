// How far accelerated gradients may step at each contact (docs/theory/contact.md, Eq. 42).
//
// W is a sum over blocks, W = sum_o W_o. For any weights g > 0, W_o <= lambda_o diag(t_o) with t_io = tr W_o,ii / (3
// g_i) and the largest eigenvalue lambda_o of what is left of W_o in these scales. Hence W <= diag(1/d) with 1/d_i =
// sum_o lambda_o t_io. One number for all contacts would be that of the most crowded strand. A contact with a large
// weight takes long steps, at the cost of those that share a strand with it: with weights that grow with the impulses
// the few chains of contacts that carry a packed bundle are not held back by the many beside them that carry little.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

// out := C_o force of one block, four numbers per node.
using BlockProduct = std::function<void(std::size_t block, const double* force, double* out)>;

class GradientSteps {
 public:
  GradientSteps(const NodeSpace& space, BlockProduct respond);

  // d_i [kg] for weights g_i; 0 for what no impulse moves.
  void find(std::span<const double> weights, std::span<double> steps);

 private:
  const NodeSpace& space_;
  const BlockProduct respond_;
  std::vector<std::uint32_t> first_touch_, touches_;  // the contacts of each block that it gives way to
  std::vector<double> eigenvalue_;                    // of each block
};

}  // namespace tendril::contact
