// The projection of blocks of chains that resist bending, once per instruction set. Plain types only.
#pragma once

#include "tendril/rods/chain/project_kernels.hpp"

namespace tendril::chain {

// Joint i bends by share_{i-1} z_{i-1} - share_i z_i; joint 0 by -share_0 z_0 alone, for chains whose first link is
// clamped: the direction it comes from is in its rest. Its energy is half of stiffness times the square of how far that
// is from its rest (docs/theory/chain.md, Eq. 24).
struct BentView : BlockView<double> {
  const double* stiffness;  // [kg m²] if shares are 1/length, of joints at their points; 0: none
  const double* share;      // [1/m], of links
  const double* rest;       // of joints, three each as positions
};

struct BentKernels {
  std::size_t lanes;
  std::size_t (*bytes)(std::size_t points);  // of memory that a block needs, aligned to 64
  void (*project)(const BentView&, const BlockOptions&, void* memory);
};

const BentKernels& bent_kernels(Isa isa);

}  // namespace tendril::chain
