// Dense products and inverses of the block factorisation (linalg/block_lu.hpp). Matrices by columns without gaps; every
// size is a multiple of block_quantum. Plain types only.
#pragma once

#include <cstddef>

#include "tendril/linalg/isa.hpp"

namespace tendril {

constexpr std::size_t block_quantum = 8;

struct BlockLuKernels {
  // c -= a bᵀ, with c rows x columns, a rows x depth, b columns x depth.
  void (*subtract_product)(const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t depth,
                           double* c);
  // c = a bᵀ.
  void (*product)(const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t depth,
                  double* c);
  // In place, with partial pivoting; `swaps` has room for n. The sign of the determinant; 0: a pivot is zero or not a
  // number.
  int (*invert)(double* a, std::size_t n, std::size_t* swaps);
};

const BlockLuKernels& block_lu_kernels(Isa isa);

}  // namespace tendril
