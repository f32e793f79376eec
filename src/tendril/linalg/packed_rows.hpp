// Half of a symmetric matrix of 3 x 3 blocks in single precision, by rows of blocks, for products that wait for memory.
//
// Row i of the blocks is three rows of numbers, one after the other, each with the 3 (i + 1) columns up to the diagonal
// and zeros up to a multiple of eight. The block on the diagonal is halved: then one pass over a row, which adds what
// its columns do to it and what it does to its columns, counts that block once.
#pragma once

#include <cstddef>

namespace tendril {

struct PackedRows {
  static constexpr std::size_t width = 8;

  static constexpr std::size_t padded(std::size_t count) { return (count + width - 1) / width * width; }
  // Numbers of each of the three rows of row i.
  static constexpr std::size_t stride(std::size_t i) { return padded(3 * i + 3); }
  // Where row i begins: 24 times the sum of ceil(3 k / 8) over k = 1 ... i, of which eight in a row make 24 q + 17.
  static constexpr std::size_t begin(std::size_t i) {
    constexpr std::size_t sums[width] = {0, 1, 2, 4, 6, 8, 11, 14};
    const std::size_t q = i / width, rest = i % width;
    return 24 * (12 * q * q - 12 * q + 17 * q + 3 * q * rest + sums[rest]);
  }
  static constexpr std::size_t size(std::size_t rows) { return begin(rows); }
};

}  // namespace tendril
