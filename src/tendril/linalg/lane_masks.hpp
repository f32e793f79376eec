// What comparisons of lanes give: bool for one number, else -1 or 0 in every lane. `&`, `|`, `!` and `mask ? a : b`
// read the same for both; whether any lane is set, or a lane of many, is asked here.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
using Mask = decltype(S{} < S{});

TENDRIL_INLINE bool any(bool mask) { return mask; }
TENDRIL_INLINE bool any(int mask) { return mask != 0; }  // of two bools

template <class M>
requires requires(M& m) { m[0]; }
TENDRIL_INLINE bool any(const M& mask) {
#ifdef __SSE2__
  if constexpr (sizeof(M) == 16) return _mm_movemask_epi8((__m128i)mask) != 0;
#endif
#ifdef __AVX__
  if constexpr (sizeof(M) == 32) return _mm256_testz_si256((__m256i)mask, (__m256i)mask) == 0;
#endif
#ifdef __AVX512F__
  if constexpr (sizeof(M) == 64) return _mm512_test_epi32_mask((__m512i)mask, (__m512i)mask) != 0;
#endif
  bool found = false;
  for (std::size_t lane = 0; lane < sizeof(M) / sizeof(mask[0]); ++lane) found |= mask[lane] != 0;
  return found;
}

TENDRIL_INLINE bool is_set(bool mask, int) { return mask; }
template <class M>
requires requires(M& m) { m[0]; }
TENDRIL_INLINE bool is_set(const M& mask, int lane) { return mask[lane] != 0; }

TENDRIL_INLINE double lane_of(double value, int) { return value; }
TENDRIL_INLINE float lane_of(float value, int) { return value; }
template <class S>
requires requires(S& s) { s[0]; }
TENDRIL_INLINE Element<S> lane_of(const S& value, int lane) { return value[lane]; }

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
