// How far accelerated gradients may step at each contact (docs/theory/contact.md, Eq. 42).
//
// W is a sum over blocks, W = sum_o W_o, and W_o <= lambda_o diag(tr W_o,ii / 3) with the largest eigenvalue lambda_o
// of what is left of W_o in these scales. Hence W <= diag(1/d) with 1/d_i = sum_o lambda_o tr W_o,ii / 3. One number
// for all contacts would be that of the most crowded strand.
#pragma once

#include <functional>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

// out := C_o force of one block, four numbers per node.
using BlockProduct = std::function<void(std::size_t block, const double* force, double* out)>;

// d_i [kg]; 0 for what no impulse moves.
std::vector<double> gradient_steps(const NodeSpace& space, const BlockProduct& respond);

}  // namespace tendril::contact
