// The scalar of the kernels: one double (the reference), or one SIMD register of doubles with a strand in each lane;
// where single precision is enough, one float, or a register of them.
//
// `Lanes<W>` is the compiler's own vector type, so + - * / and comparisons are the language's, `mask ? a : b` selects
// lane by lane, and a kernel written for `class S` reads the same for both. The type must be exactly one register: g++
// sends anything wider through memory (measured: 122 instead of 51 ns per vertex on AVX2).
#pragma once

#include <cmath>
#include <type_traits>
#include <utility>

#ifdef __SSE2__
#include <immintrin.h>
#endif

#include "tendril/linalg/isa.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class T, int W>
struct LanesOf {
  typedef T type __attribute__((vector_size(W * sizeof(T))));
};
template <class T>
struct LanesOf<T, 1> {
  using type = T;
};
template <int W>
using Lanes = typename LanesOf<double, W>::type;
template <int W>
using SingleLanes = typename LanesOf<float, W>::type;

// The number in a lane.
template <class S>
struct ElementOf {
  using type = S;
};
template <class S>
requires requires(S& lanes) { lanes[0]; }
struct ElementOf<S> {
  using type = std::remove_cvref_t<decltype(std::declval<S&>()[0])>;
};
template <class S>
using Element = typename ElementOf<S>::type;

template <class S>
constexpr int lane_count = sizeof(S) / sizeof(Element<S>);

template <class S>
TENDRIL_INLINE S load(const Element<S>* from) {
  S value;
  __builtin_memcpy(&value, from, sizeof(S));
  return value;
}

template <class S>
TENDRIL_INLINE void store(const S& value, Element<S>* to) {
  __builtin_memcpy(to, &value, sizeof(S));
}

template <class S>
TENDRIL_INLINE S broadcast(double value) {
  return S{} + Element<S>(value);
}

// What statics measures its residual with (rods/der/rod.cpp).
using Extended = long double;

TENDRIL_INLINE double square_root(double a) { return std::sqrt(a); }
TENDRIL_INLINE float square_root(float a) { return std::sqrt(a); }
TENDRIL_INLINE Extended square_root(Extended a) { return std::sqrt(a); }
TENDRIL_INLINE Extended nearest_integer(Extended a) { return std::nearbyint(a); }

template <class S>
requires(lane_count<S> > 1) TENDRIL_INLINE S square_root(const S& a) {
  constexpr bool doubles = std::is_same_v<Element<S>, double>;
#ifdef __SSE2__
  if constexpr (sizeof(S) == 16 && doubles) return (S)_mm_sqrt_pd((__m128d)a);
  if constexpr (sizeof(S) == 16 && !doubles) return (S)_mm_sqrt_ps((__m128)a);
#endif
#ifdef __AVX__
  if constexpr (sizeof(S) == 32 && doubles) return (S)_mm256_sqrt_pd((__m256d)a);
  if constexpr (sizeof(S) == 32 && !doubles) return (S)_mm256_sqrt_ps((__m256)a);
#endif
#ifdef __AVX512F__
  // g++ 12 warns of the plain form.
  if constexpr (sizeof(S) == 64 && doubles) return (S)_mm512_maskz_sqrt_pd((__mmask8)-1, (__m512d)a);
  if constexpr (sizeof(S) == 64 && !doubles) return (S)_mm512_maskz_sqrt_ps((__mmask16)-1, (__m512)a);
#endif
  S root;
  for (int lane = 0; lane < lane_count<S>; ++lane) root[lane] = Element<S>(__builtin_sqrt(double(a[lane])));
  return root;
}

// 1/sqrt(a) of positive normal numbers, within 2 ulp. The estimate of AVX-512, improved twice (singles once), is
// three times as fast as a root and a division; it has the whole range of exponents, which that of AVX has not.
template <class S>
TENDRIL_INLINE S reciprocal_root(const S& a) {
#ifdef __AVX512F__
  if constexpr (sizeof(S) == 64) {
    const S half = 0.5 * a;
    S root;
    if constexpr (std::is_same_v<Element<S>, double>) {
      root = (S)_mm512_maskz_rsqrt14_pd((__mmask8)-1, (__m512d)a);
      root += root * (0.5 - half * root * root);
    } else {
      root = (S)_mm512_maskz_rsqrt14_ps((__mmask16)-1, (__m512)a);
    }
    return root + root * (Element<S>(0.5) - half * root * root);
  }
#endif
  return broadcast<S>(1.0) / square_root(a);
}

// A NaN on the left gives the right-hand side: callers that must notice a NaN check for it elsewhere.
template <class S>
TENDRIL_INLINE S maximum(const S& a, const S& b) {
  return a > b ? a : b;
}
template <class S>
TENDRIL_INLINE S minimum(const S& a, const S& b) {
  return a < b ? a : b;
}
template <class S>
TENDRIL_INLINE S magnitude(const S& a) {
  return a < 0.0 ? -a : a;
}

// To the nearest integer, for |a| < 2^51, by letting the mantissa run out.
template <class S>
TENDRIL_INLINE S nearest_integer(const S& a) {
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52
  return (a + shift) - shift;
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
