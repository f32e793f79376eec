// L U = A for a sparse matrix of dense blocks with a symmetric pattern, of any values (docs/theory/contact.md, "The
// factorisation"). Blocks are eliminated in an order of least degree; rows are exchanged within a block, never between
// blocks: for matrices whose diagonal blocks stay regular, such as a definite one with a little skewness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/linalg/block_lu_kernels.hpp"

namespace tendril {

class BlockLu {
 public:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;

  // Rows of each block, and the pairs that have entries. Pairs may repeat, in either order.
  BlockLu(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs, Isa isa = active_isa());

  // Of the vectors of solve(): where a block begins. Blocks are padded to a multiple of block_quantum.
  std::size_t offset(std::size_t block) const { return offsets_[block]; }
  std::size_t unknowns() const { return offsets_.back(); }
  std::size_t stored_blocks() const { return entries_.size(); }
  // Multiplications of factorise().
  double operations() const;

  // Where the entries of A(i, j) are to be added: entry (row, column) at values[row * row_stride + column * stride].
  struct Place {
    std::size_t at;
    std::uint32_t row_stride, stride;
  };
  Place place(std::uint32_t i, std::uint32_t j) const;
  void clear();  // to zero, with ones where blocks are padded
  double& entry(const Place& place, std::size_t row, std::size_t column) {
    return values_[place.at + row * place.row_stride + column * place.stride];
  }

  // False: a pivot is zero or not finite. The entries are gone either way.
  [[nodiscard]] bool factorise();
  // Of what was factorised last: 1 or -1; 0: it was not regular.
  int determinant_sign() const { return sign_; }
  // x := A^-1 x.
  void solve(double* x);

 private:
  // Blocks below the diagonal in the order of elimination, column after column. Above the diagonal the pattern is the
  // same, and blocks are kept transposed: one kernel does all.
  struct Entry {
    std::uint32_t row;  // block, by its step of elimination
    std::size_t lower, upper;
  };
  struct Column {
    std::uint32_t block, first, end;  // entries
    std::size_t diagonal;
    std::size_t first_target;  // of the pairs of its entries
  };

  void order_blocks(std::span<const Pair> pairs, std::vector<std::vector<std::uint32_t>>& rows);
  void place_entries(const std::vector<std::vector<std::uint32_t>>& rows);
  void list_targets();
  const Entry& find(std::uint32_t row, std::uint32_t column) const;
  std::size_t size_at(std::uint32_t step) const {
    const std::uint32_t block = columns_[step].block;
    return offsets_[block + 1] - offsets_[block];
  }
  bool eliminate(std::uint32_t step);

  const BlockLuKernels& kernels_;
  std::vector<std::uint32_t> sizes_, step_;  // step_: at which a block is eliminated
  std::vector<std::size_t> offsets_;
  std::vector<Column> columns_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> targets_;  // entry that a pair of entries of a column changes
  AlignedVector<double> values_, scratch_, column_;
  std::vector<std::size_t> swaps_;
  int sign_ = 0;
};

}  // namespace tendril
