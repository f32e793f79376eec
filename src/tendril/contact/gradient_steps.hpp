// How far accelerated gradients may step at each contact (docs/theory/contact.md, Eq. 42).
//
// For any weights x > 0, W <= diag(1/d) with 1/d_i = sum_j |W_ij| x_j / x_i. A contact with a large weight takes long
// steps, at the cost of those that share a strand with it. With weights that grow with the impulses the few chains of
// contacts that carry a packed bundle are not held back by the many beside them that carry little.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

class GradientSteps {
 public:
  explicit GradientSteps(const NodeSpace& space);

  // d_i [kg]; 0 for what no impulse moves.
  void find(std::span<const double> weights, std::span<double> steps);

 private:
  void add_norms();

  const NodeSpace& space_;
  std::vector<double> frames_, terms_;   // norms of the frames of contacts, none if they are rotations, and of terms
  std::vector<std::size_t> first_norm_;  // of each block
  std::vector<float> norms_;             // |C_ab| of the nodes of each block, by rows of the lower half
  std::vector<double> weight_, sum_;     // per node: of the contacts that it feels, and what C makes of it
};

}  // namespace tendril::contact
