// LDLᵀ of the strand matrix by block columns (docs/theory/der.md, "The linear system").
//
// The four unknowns (x_k, theta_k) of vertex k reach down to x_{k+2} only, so a band of constant width stores and
// multiplies zeros: the columns of one vertex have 11, 10, 9 and 8 entries. They are kept together in a slot
//
//     column 0: rows 0..10 | column 1: rows 1..10 | column 2: rows 2..10 | column 3: rows 3..10 | right-hand side 0..3
//
// with the rows of the front counted as x_k (0-2), theta_k (3), x_{k+1} (4-6), theta_{k+1} (7), x_{k+2} (8-10).
// A slot arrives with the assembled entries, eliminate() leaves the factor in it (1/d on the diagonal, L below, z/d in
// the right-hand side), and what it does to later rows travels in a Front of 7 unknowns.
#pragma once

#include "tendril/linalg/pivots.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {

struct BlockColumns {
  static constexpr int rows = 11, columns = 4, entries = 38, values = entries + columns;
  static constexpr int at(int row, int column) { return column * rows - column * (column - 1) / 2 + row - column; }
  static constexpr int rhs(int column) { return entries + column; }
};

template <class S>
struct Front {
  S matrix[28] = {};  // lower triangle of 7x7, by rows
  S rhs[7] = {};
  static constexpr int at(int row, int column) { return row * (row + 1) / 2 + column; }
};

// Returns how many pivots were counted, per lane: none clamped means that the matrix is positive definite to working
// precision.
//
// First the 4x4 block of the pivots, then row by row what lies below it: a row needs only the six numbers of the
// block's L, so it stays in registers, and its share of the front follows from the rows above it, which are already
// scaled.
template <Pivots pivots = Pivots::clamp_to_positive, class S>
TENDRIL_INLINE S eliminate(S* slot, Front<S>& front) {
  using B = BlockColumns;
  using F = Front<S>;
  S counted{};
  S top[4][4], lower[4][4], inverse[4], z[4];  // top: rows before scaling
#pragma GCC unroll 4
  for (int r = 0; r < 4; ++r) {
#pragma GCC unroll 4
    for (int c = 0; c <= r; ++c) {
      S entry = slot[B::at(r, c)] + front.matrix[F::at(r, c)];
#pragma GCC unroll 4
      for (int q = 0; q < c; ++q) entry -= lower[c][q] * top[r][q];
      top[r][c] = entry;
      if (c < r) lower[r][c] = entry * inverse[c];
    }
    inverse[r] = 1.0 / settle_pivot(pivots, top[r][r], slot[B::at(r, r)], counted);
    S rhs = slot[B::rhs(r)] + front.rhs[r];
#pragma GCC unroll 4
    for (int q = 0; q < r; ++q) rhs -= lower[r][q] * z[q];
    z[r] = rhs;
  }
#pragma GCC unroll 4
  for (int c = 0; c < 4; ++c) {
    slot[B::at(c, c)] = inverse[c];
    slot[B::rhs(c)] = z[c] * inverse[c];
#pragma GCC unroll 4
    for (int r = c + 1; r < 4; ++r) slot[B::at(r, c)] = lower[r][c];
  }
#pragma GCC unroll 7
  for (int r = 0; r < 7; ++r) {
    S row[4];
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) {
      S entry = slot[B::at(r + 4, c)];
      if (r < 3) entry += front.matrix[F::at(r + 4, c)];  // rows 4..6 of the front that came in
#pragma GCC unroll 4
      for (int q = 0; q < c; ++q) entry -= lower[c][q] * row[q];
      row[c] = entry;
    }
#pragma GCC unroll 4
    for (int c = 0; c < 4; ++c) slot[B::at(r + 4, c)] = row[c] * inverse[c];
#pragma GCC unroll 7
    for (int c = 0; c <= r; ++c) {
      S sum{};
      if (r < 3) sum = front.matrix[F::at(r + 4, c + 4)];
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) sum -= slot[B::at(c + 4, p)] * row[p];
      front.matrix[F::at(r, c)] = sum;
    }
    S sum{};
    if (r < 3) sum = front.rhs[r + 4];
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) sum -= slot[B::at(r + 4, p)] * z[p];
    front.rhs[r] = sum;
  }
  return counted;
}

// One step of L z = rhs for a new right-hand side; `carried` holds what earlier columns sent to the seven rows below.
// The factor may be one number per entry while the right-hand sides fill the lanes.
template <class F, class S>
TENDRIL_INLINE void substitute_forward(const F* slot, S* rhs, S* carried) {
  using B = BlockColumns;
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p) rhs[p] += carried[p];
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p)
#pragma GCC unroll 4
    for (int r = p + 1; r < 4; ++r) rhs[r] -= slot[B::at(r, p)] * rhs[p];
#pragma GCC unroll 7
  for (int r = 0; r < 7; ++r) {
    S sum{};
    if (r < 3) sum = carried[r + 4];
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) sum -= slot[B::at(r + 4, p)] * rhs[p];
    carried[r] = sum;
  }
#pragma GCC unroll 4
  for (int p = 0; p < 4; ++p) rhs[p] *= slot[B::at(p, p)];
}

// One step of Lᵀ q = z/d, from the tip: `below` are the seven unknowns of the next rows, `q` comes in as z/d.
template <class F, class S>
TENDRIL_INLINE void substitute_backward(const F* slot, const S* below, S* q) {
  using B = BlockColumns;
#pragma GCC unroll 4
  for (int p = 3; p >= 0; --p) {
    S sum = q[p];
#pragma GCC unroll 7
    for (int r = 0; r < 7; ++r) sum -= slot[B::at(r + 4, p)] * below[r];
#pragma GCC unroll 4
    for (int r = p + 1; r < 4; ++r) sum -= slot[B::at(r, p)] * q[r];
    q[p] = sum;
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
