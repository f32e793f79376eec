// Boxes of two sorted rows that meet, by sweeping along x in lanes (docs/theory/collide.md, The grid). Single precision
// and plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"

namespace tendril::collide {

// Boxes by slots, those of one row after each other and rising by low[0]. There is room for as many more to be read as
// one register holds.
struct SlotView {
  const float *low[3], *high[3];
};

inline constexpr std::size_t slots_read_beyond = 16;

struct SlotPair {
  std::uint32_t a, b;

  SlotPair() {}  // of what is written before it is read: memory for many of them is not cleared
  SlotPair(std::uint32_t one, std::uint32_t other) : a(one), b(other) {}
};

// [cells], that all boxes of a row reach across it: from the lowest to the highest.
struct Across {
  float low[2], high[2];  // y and z
};

// Slots begin .. end - 1.
struct SlotRange {
  std::uint32_t begin, end;
};

struct RowKernels {
  // Slots of a row that meet later ones of the same. All go from `at` on until the room for the pairs might not do;
  // `at` is then where to go on. Gives how many were found.
  std::size_t (*within)(const SlotView&, SlotRange row, std::uint32_t& at, SlotPair* out, std::size_t room);
  // Slots of row `a`, from `at` on, that meet slots of row `b`, none of which is wider along x than `width`.
  std::size_t (*between)(const SlotView&, SlotRange a, SlotRange b, const Across& across_b, float width,
                         std::uint32_t& at, SlotPair* out, std::size_t room);
};

const RowKernels& row_kernels(Isa isa);

}  // namespace tendril::collide
