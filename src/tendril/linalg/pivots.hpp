// What a factorisation does with pivots that are not positive.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

enum class Pivots {
  clamp_to_positive,  // raised to 1e-14 of their assembled diagonal, and counted
  as_they_come,       // the negative ones are counted: the matrix's inertia (Sylvester); zero is nudged by 1e-300
};

// The pivot to divide by; adds one to `count` per lane where there is something to count.
template <class S>
TENDRIL_INLINE S settle_pivot(Pivots pivots, const S& pivot, const S& assembled, S& count) {
  if (pivots == Pivots::as_they_come) {
    count += pivot < 0.0 ? S{} + 1.0 : S{};
    return pivot == 0.0 ? pivot + 1e-300 : pivot;
  }
  const S floor = 1e-14 * assembled;
  count += pivot > floor ? S{} : S{} + 1.0;
  return pivot > floor ? pivot : floor;
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
