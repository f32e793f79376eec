// What round-off leaves of comparisons, in doubles and in floats (docs/theory/chain.md, "Iteration" and "In lanes").
#pragma once

#include "tendril/linalg/isa.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class T>
struct Precision;
template <>
struct Precision<double> {
  static constexpr double no_length = 1e-14;  // of a link, that has no direction
  static constexpr double noise = 1e-9;       // of the objective, below which its decrease is not seen
  static constexpr double round_off = 1e-7;   // a residual that may stand still because of it
  static constexpr double settled = 1e-9;     // a residual at which a saddle is seen
  static constexpr double stationary = 1e-8;  // a residual above which round-off leaves no certificate
};
template <>
struct Precision<float> {
  static constexpr double no_length = 1e-6;
  static constexpr double noise = 1e-3;
  static constexpr double round_off = 2e-2;
  static constexpr double settled = 1e-5;
  static constexpr double stationary = 1e-4;
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
