// W = H M^-1 Hᵀ in blocks of 3 x 3, one for every two contacts that share a block of M (docs/theory/contact.md, "Two
// forms of the problem"):
//
//   W_ij = sum over shared blocks o of H_io G_jo,   G_jo = M_o^-1 H_joᵀ
//
// After the factors of M that costs O(unknowns^2) per contact and a few multiplications per block of W. No general
// sparse product is needed: which blocks there are is known from who touches what.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tendril/contact/block_inverses.hpp"
#include "tendril/contact/problem.hpp"

namespace tendril::contact {

struct DelassusBlocks {
  std::vector<std::size_t> starts;      // of the row of each contact in the other two, and the end
  std::vector<std::uint32_t> columns;   // contacts, rising within a row
  std::vector<Eigen::Matrix3d> values;  // W_ij
};

DelassusBlocks delassus_blocks(const Problem& problem, const BlockInverses& inverses);

}  // namespace tendril::contact
