#include "tendril/collide/row_kernels.hpp"
#include "tendril/linalg/lanes.hpp"

namespace tendril::collide {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

#ifdef __AVX__
constexpr std::uint32_t W = 8;
using F = __m256;
TENDRIL_INLINE F spread(float value) { return _mm256_set1_ps(value); }
TENDRIL_INLINE F load_floats(const float* from) { return _mm256_loadu_ps(from); }
TENDRIL_INLINE F at_most(F a, F b) { return _mm256_cmp_ps(a, b, _CMP_LE_OQ); }
TENDRIL_INLINE F both(F a, F b) { return _mm256_and_ps(a, b); }
TENDRIL_INLINE unsigned bits_of(F mask) { return unsigned(_mm256_movemask_ps(mask)); }
#else
constexpr std::uint32_t W = 4;
using F = __m128;
TENDRIL_INLINE F spread(float value) { return _mm_set1_ps(value); }
TENDRIL_INLINE F load_floats(const float* from) { return _mm_loadu_ps(from); }
TENDRIL_INLINE F at_most(F a, F b) { return _mm_cmple_ps(a, b); }
TENDRIL_INLINE F both(F a, F b) { return _mm_and_ps(a, b); }
TENDRIL_INLINE unsigned bits_of(F mask) { return unsigned(_mm_movemask_ps(mask)); }
#endif

// One box against the slots from `from` on that begin where it has not ended; those before `end` count.
struct Swept {
  const SlotView& view;
  std::uint32_t slot;
  F low[3], high[3];

  TENDRIL_INLINE Swept(const SlotView& boxes, std::uint32_t a) : view(boxes), slot(a) {
    for (int k = 0; k < 3; ++k) low[k] = spread(boxes.low[k][a]), high[k] = spread(boxes.high[k][a]);
  }
  TENDRIL_INLINE std::size_t meet(std::uint32_t from, std::uint32_t end, SlotPair* out) const {
    std::size_t found = 0;
    for (std::uint32_t j = from; j < end && view.low[0][j] <= view.high[0][slot]; j += W) {
      F hit = both(at_most(load_floats(view.low[0] + j), high[0]), at_most(low[0], load_floats(view.high[0] + j)));
      for (int k = 1; k < 3; ++k)
        hit = both(
            hit, both(at_most(load_floats(view.low[k] + j), high[k]), at_most(low[k], load_floats(view.high[k] + j))));
      unsigned bits = bits_of(hit);
      if (end - j < W) bits &= (1u << (end - j)) - 1u;
      for (; bits != 0; bits &= bits - 1) out[found++] = {slot, j + std::uint32_t(__builtin_ctz(bits))};
    }
    return found;
  }
};

std::size_t within(const SlotView& view, SlotRange row, std::uint32_t& at, SlotPair* out, std::size_t room) {
  std::size_t found = 0;
  for (; at < row.end && found + (row.end - at) <= room; ++at)
    found += Swept(view, at).meet(at + 1, row.end, out + found);
  return found;
}

// Half of the boxes of a row do not reach into the next one.
TENDRIL_INLINE bool reaches(const SlotView& view, std::uint32_t slot, const Across& row) {
  return bool((view.low[1][slot] <= row.high[0]) & (row.low[0] <= view.high[1][slot]) &
              (view.low[2][slot] <= row.high[1]) & (row.low[1] <= view.high[2][slot]));
}

std::size_t between(const SlotView& view, SlotRange a, SlotRange b, const Across& across_b, float width,
                    std::uint32_t& at, SlotPair* out, std::size_t room) {
  std::size_t found = 0;
  std::uint32_t from = b.begin;
  for (; at < a.end; ++at) {
    if (!reaches(view, at, across_b)) continue;
    const float least = view.low[0][at] - width;
    while (from < b.end && view.low[0][from] < least) ++from;
    if (from == b.end) {
      at = a.end;
      break;
    }
    if (found + (b.end - from) > room) break;
    found += Swept(view, at).meet(from, b.end, out + found);
  }
  return found;
}

}  // namespace

extern const RowKernels row_table;
const RowKernels row_table = {within, between};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::collide
