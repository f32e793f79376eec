#include "tendril/collide/radix_sort.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"

namespace tendril::collide {
namespace {

constexpr std::size_t chunk = 4096;

template <class F>
void for_chunks(std::size_t count, const F& f) {
  parallel_for((count + chunk - 1) / chunk, [&](std::size_t c) { f(c, c * chunk, std::min(count, (c + 1) * chunk)); });
}

}  // namespace

void RadixSort::pass(int shift, std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values) {
  const auto digit = [&](std::size_t i) { return (keys[i] >> shift) & (Counts{}.size() - 1); };
  for_chunks(keys.size(), [&](std::size_t c, std::size_t begin, std::size_t end) {
    counts_[c].fill(0);
    for (std::size_t i = begin; i < end; ++i) ++counts_[c][digit(i)];
  });
  std::uint32_t next = 0;
  for (std::size_t d = 0; d < Counts{}.size(); ++d)
    for (Counts& counts : counts_) {
      const std::uint32_t count = counts[d];
      counts[d] = next;
      next += count;
    }
  for_chunks(keys.size(), [&](std::size_t c, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint32_t to = counts_[c][digit(i)]++;
      other_keys_[to] = keys[i];
      if (!values.empty()) other_values_[to] = values[i];
    }
  });
  keys.swap(other_keys_);
  values.swap(other_values_);
}

void RadixSort::sort(int bits, std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values) {
  other_keys_.resize(keys.size());
  other_values_.resize(values.size());
  counts_.resize((keys.size() + chunk - 1) / chunk);
  for (int shift = 0; shift < bits; shift += digit_bits) pass(shift, keys, values);
}

}  // namespace tendril::collide
