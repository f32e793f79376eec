// Lanes to single precision and back.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class T>
TENDRIL_INLINE void store_singles(const T& from, float* to) {
  if constexpr (lane_count < T >> 1) {
    typedef float Singles __attribute__((vector_size(lane_count<T> * sizeof(float))));
    const Singles singles = __builtin_convertvector(from, Singles);
    __builtin_memcpy(to, &singles, sizeof(Singles));
  } else {
    *to = float(from);
  }
}

template <class T>
TENDRIL_INLINE T load_singles(const float* from) {
  if constexpr (lane_count < T >> 1) {
    typedef float Singles __attribute__((vector_size(lane_count<T> * sizeof(float))));
    Singles singles;
    __builtin_memcpy(&singles, from, sizeof(Singles));
    return __builtin_convertvector(singles, T);
  } else {
    return double(*from);
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
