// Sorts 64-bit keys, with a 32-bit value each if there are any, by their low bits: stable, in linear time, in parallel,
// and the same for every thread count because the partition depends on the data alone.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tendril::collide {

class RadixSort {
 public:
  // Sorts by the low `bits` bits of the keys; all others are zero. `values` is empty or as long as `keys`.
  void sort(int bits, std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values);

 private:
  static constexpr int digit_bits = 9;  // 512 places to write to: about what the first cache can follow
  using Counts = std::array<std::uint32_t, std::size_t{1} << digit_bits>;

  void pass(int shift, std::vector<std::uint64_t>& keys, std::vector<std::uint32_t>& values);

  std::vector<std::uint64_t> other_keys_;
  std::vector<std::uint32_t> other_values_;
  std::vector<Counts> counts_;  // one per chunk: how many of each digit, then where the next one goes
};

}  // namespace tendril::collide
