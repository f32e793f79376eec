// Lanes from numbers that are not side by side.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

// One number per lane. Written to memory one by one and read back as a whole they would have to wait for each other.
template <class T, class F>
TENDRIL_INLINE T gathered(const F& of_lane) {
  if constexpr (lane_count<T> == 8)
    return T{of_lane(0), of_lane(1), of_lane(2), of_lane(3), of_lane(4), of_lane(5), of_lane(6), of_lane(7)};
  else if constexpr (lane_count<T> == 4)
    return T{of_lane(0), of_lane(1), of_lane(2), of_lane(3)};
  else if constexpr (lane_count<T> == 2)
    return T{of_lane(0), of_lane(1)};
  else
    return of_lane(0);
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
