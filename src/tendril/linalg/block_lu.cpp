#include "tendril/linalg/block_lu.hpp"

#include <algorithm>
#include <cassert>
#include <set>

namespace tendril {
namespace {

std::size_t padded(std::size_t size) { return (size + block_quantum - 1) / block_quantum * block_quantum; }

// Neighbours of each block, sorted.
std::vector<std::vector<std::uint32_t>> neighbours(std::size_t blocks, std::span<const BlockLu::Pair> pairs) {
  std::vector<std::vector<std::uint32_t>> out(blocks);
  for (const auto& [i, j] : pairs)
    if (i != j) out[i].push_back(j), out[j].push_back(i);
  for (auto& list : out) {
    std::ranges::sort(list);
    list.erase(std::ranges::unique(list).begin(), list.end());
  }
  return out;
}

// Elimination joins all neighbours of a block with each other.
void join(std::uint32_t block, const std::vector<std::uint32_t>& clique, std::vector<std::uint32_t>& list,
          std::vector<std::uint32_t>& merged) {
  merged.clear();
  std::ranges::set_union(list, clique, std::back_inserter(merged));
  std::erase_if(merged, [&](std::uint32_t other) { return other == block; });
  list.swap(merged);
}

}  // namespace

BlockLu::BlockLu(std::span<const std::uint32_t> sizes, std::span<const Pair> pairs, Isa isa)
    : kernels_(block_lu_kernels(isa)), sizes_(sizes.begin(), sizes.end()) {
  offsets_.push_back(0);
  for (const std::uint32_t size : sizes) offsets_.push_back(offsets_.back() + padded(size));
  std::vector<std::vector<std::uint32_t>> rows;
  order_blocks(pairs, rows);
  place_entries(rows);
  list_targets();
  std::size_t largest = 0;
  for (const std::uint32_t size : sizes) largest = std::max(largest, padded(size));
  scratch_.resize(largest * largest), swaps_.resize(largest), column_.resize(largest);
}

// The block of least degree next, the first of several; rows: the blocks below each diagonal.
void BlockLu::order_blocks(std::span<const Pair> pairs, std::vector<std::vector<std::uint32_t>>& rows) {
  std::vector<std::vector<std::uint32_t>> graph = neighbours(sizes_.size(), pairs);
  std::set<std::pair<std::size_t, std::uint32_t>> queue;
  for (std::uint32_t b = 0; b < sizes_.size(); ++b) queue.emplace(graph[b].size(), b);
  step_.resize(sizes_.size());
  std::vector<std::uint32_t> merged;
  while (!queue.empty()) {
    const std::uint32_t block = queue.begin()->second;
    queue.erase(queue.begin());
    step_[block] = std::uint32_t(columns_.size());
    columns_.push_back({block, 0, 0, 0, 0});
    for (const std::uint32_t other : graph[block]) {
      queue.erase({graph[other].size(), other});
      std::erase(graph[other], block);
      join(other, graph[block], graph[other], merged);
      queue.emplace(graph[other].size(), other);
    }
    rows.push_back(std::move(graph[block]));
  }
}

void BlockLu::place_entries(const std::vector<std::vector<std::uint32_t>>& rows) {
  std::size_t at = 0;
  for (std::uint32_t step = 0; step < columns_.size(); ++step) {
    Column& column = columns_[step];
    const std::size_t width = size_at(step);
    column.diagonal = at, at += width * width;
    column.first = std::uint32_t(entries_.size());
    for (const std::uint32_t block : rows[step]) {
      const std::size_t numbers = padded(sizes_[block]) * width;
      entries_.push_back({step_[block], at, at + numbers});
      at += 2 * numbers;
    }
    column.end = std::uint32_t(entries_.size());
    std::sort(entries_.begin() + column.first, entries_.end(),
              [](const Entry& a, const Entry& b) { return a.row < b.row; });
  }
  values_.resize(at);
}

void BlockLu::list_targets() {
  for (Column& column : columns_) {
    column.first_target = targets_.size();
    for (std::uint32_t k = column.first; k < column.end; ++k)
      for (std::uint32_t i = k + 1; i < column.end; ++i)
        targets_.push_back(std::uint32_t(&find(entries_[i].row, entries_[k].row) - entries_.data()));
  }
}

const BlockLu::Entry& BlockLu::find(std::uint32_t row, std::uint32_t column) const {
  const auto begin = entries_.begin() + columns_[column].first, end = entries_.begin() + columns_[column].end;
  const auto found = std::lower_bound(begin, end, row, [](const Entry& e, std::uint32_t r) { return e.row < r; });
  assert(found != end && found->row == row);
  return *found;
}

double BlockLu::operations() const {
  double sum = 0.0;
  for (std::uint32_t step = 0; step < columns_.size(); ++step) {
    double below = 0.0;  // rows below the diagonal block
    for (std::uint32_t k = columns_[step].first; k < columns_[step].end; ++k) below += double(size_at(entries_[k].row));
    const auto width = double(size_at(step));
    sum += width * (width * width + width * below + below * below);
  }
  return sum;
}

BlockLu::Place BlockLu::place(std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t row = step_[i], column = step_[j];
  if (row == column) return {columns_[row].diagonal, 1, std::uint32_t(size_at(row))};
  if (row > column) return {find(row, column).lower, 1, std::uint32_t(size_at(row))};
  return {find(column, row).upper, std::uint32_t(size_at(column)), 1};
}

void BlockLu::clear() {
  std::ranges::fill(values_, 0.0);
  for (std::uint32_t step = 0; step < columns_.size(); ++step)
    for (std::size_t k = sizes_[columns_[step].block]; k < size_at(step); ++k)
      values_[columns_[step].diagonal + k * size_at(step) + k] = 1.0;
}

bool BlockLu::factorise() {
  sign_ = 1;
  for (std::uint32_t step = 0; step < columns_.size(); ++step)
    if (!eliminate(step)) return false;
  return true;
}

// L := A D^-1 below the diagonal block D, which its inverse replaces, and what it takes from all pairs of rows.
bool BlockLu::eliminate(std::uint32_t step) {
  const Column& column = columns_[step];
  const std::size_t n = size_at(step);
  double* const v = values_.data();
  double* const diagonal = v + column.diagonal;
  sign_ *= kernels_.invert(diagonal, n, swaps_.data());
  if (sign_ == 0) return false;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) scratch_[j * n + i] = diagonal[i * n + j];
  AlignedVector<double>& copy = column_;
  for (std::uint32_t k = column.first; k < column.end; ++k) {
    const std::size_t rows = size_at(entries_[k].row);
    copy.assign(v + entries_[k].lower, v + entries_[k].lower + rows * n);
    kernels_.product(copy.data(), scratch_.data(), rows, n, n, v + entries_[k].lower);
  }
  const std::uint32_t* target = targets_.data() + column.first_target;
  for (std::uint32_t k = column.first; k < column.end; ++k) {
    const Entry& b = entries_[k];
    const std::size_t columns = size_at(b.row);
    kernels_.subtract_product(v + b.lower, v + b.upper, columns, columns, n, v + columns_[b.row].diagonal);
    for (std::uint32_t i = k + 1; i < column.end; ++i) {
      const Entry &a = entries_[i], &c = entries_[*target++];
      const std::size_t rows = size_at(a.row);
      kernels_.subtract_product(v + a.lower, v + b.upper, rows, columns, n, v + c.lower);
      kernels_.subtract_product(v + a.upper, v + b.lower, rows, columns, n, v + c.upper);
    }
  }
  return true;
}

void BlockLu::solve(double* x) {
  const double* const v = values_.data();
  for (std::uint32_t step = 0; step < columns_.size(); ++step) {
    const double* const from = x + offsets_[columns_[step].block];
    for (std::uint32_t k = columns_[step].first; k < columns_[step].end; ++k) {
      const std::size_t rows = size_at(entries_[k].row), n = size_at(step);
      double* const to = x + offsets_[columns_[entries_[k].row].block];
      for (std::size_t c = 0; c < n; ++c)
        for (std::size_t r = 0; r < rows; ++r) to[r] -= v[entries_[k].lower + c * rows + r] * from[c];
    }
  }
  for (std::uint32_t step = std::uint32_t(columns_.size()); step-- > 0;) {
    double* const own = x + offsets_[columns_[step].block];
    const std::size_t n = size_at(step);
    for (std::uint32_t k = columns_[step].first; k < columns_[step].end; ++k) {
      const std::size_t rows = size_at(entries_[k].row);
      const double* const from = x + offsets_[columns_[entries_[k].row].block];
      for (std::size_t c = 0; c < n; ++c) {
        double sum = 0.0;
        for (std::size_t r = 0; r < rows; ++r) sum += v[entries_[k].upper + c * rows + r] * from[r];
        own[c] -= sum;
      }
    }
    column_.assign(own, own + n);
    std::fill_n(own, n, 0.0);
    for (std::size_t c = 0; c < n; ++c)
      for (std::size_t r = 0; r < n; ++r) own[r] += v[columns_[step].diagonal + c * n + r] * column_[c];
  }
}

}  // namespace tendril
