// Three-vectors and 3x3 matrices of kernel scalars. Kernels cannot use Eigen: its templates would be instantiated once
// per instruction set under one name (see isa.hpp), and its sums run in another order for lanes than for doubles.
#pragma once

#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct Vec3 {
  S x, y, z;
};

template <class S>
TENDRIL_INLINE Vec3<S> operator+(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class S>
TENDRIL_INLINE Vec3<S> operator-(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class S>
TENDRIL_INLINE Vec3<S> operator-(const Vec3<S>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class S>
TENDRIL_INLINE Vec3<S> operator*(const Vec3<S>& a, const S& s) {
  return {a.x * s, a.y * s, a.z * s};
}
template <class S>
TENDRIL_INLINE Vec3<S> operator*(const S& s, const Vec3<S>& a) {
  return a * s;
}
template <class S>
TENDRIL_INLINE S dot(const Vec3<S>& a, const Vec3<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
TENDRIL_INLINE Vec3<S> cross(const Vec3<S>& a, const Vec3<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class S>
TENDRIL_INLINE Vec3<S> load3(const Element<S>* from) {
  constexpr int w = lane_count<S>;
  return {load<S>(from), load<S>(from + w), load<S>(from + 2 * w)};
}
template <class S>
TENDRIL_INLINE void store3(const Vec3<S>& v, Element<S>* to) {
  constexpr int w = lane_count<S>;
  store(v.x, to), store(v.y, to + w), store(v.z, to + 2 * w);
}

// A symmetric matrix by its lower triangle.
template <class S>
struct Sym3 {
  S xx, yx, yy, zx, zy, zz;
};

template <class S>
TENDRIL_INLINE Sym3<S> operator+(const Sym3<S>& a, const Sym3<S>& b) {
  return {a.xx + b.xx, a.yx + b.yx, a.yy + b.yy, a.zx + b.zx, a.zy + b.zy, a.zz + b.zz};
}

// a I + c u uᵀ
template <class S>
TENDRIL_INLINE Sym3<S> identity_plus_outer(const S& a, const S& c, const Vec3<S>& u) {
  const Vec3<S> cu = c * u;
  return {a + cu.x * u.x, cu.y * u.x, a + cu.y * u.y, cu.z * u.x, cu.z * u.y, a + cu.z * u.z};
}

template <class S>
TENDRIL_INLINE Vec3<S> operator*(const Sym3<S>& m, const Vec3<S>& v) {
  return {m.xx * v.x + m.yx * v.y + m.zx * v.z, m.yx * v.x + m.yy * v.y + m.zy * v.z,
          m.zx * v.x + m.zy * v.y + m.zz * v.z};
}

// A general matrix by its rows.
template <class S>
struct Mat3 {
  Vec3<S> x, y, z;
};

template <class S>
TENDRIL_INLINE Mat3<S> operator+(const Mat3<S>& a, const Mat3<S>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

// u vᵀ
template <class S>
TENDRIL_INLINE Mat3<S> outer(const Vec3<S>& u, const Vec3<S>& v) {
  return {u.x * v, u.y * v, u.z * v};
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
