// The inverse at some points of one strand (docs/theory/der.md, Eq. 19a). Columns of the inverse fill the lanes.
//
// Going up from the tip, with U_k = (x_k, theta_k, x_{k+1}) the seven unknowns that vertex k - 1 is coupled with, all
// that is carried along is the inverse on U_k, P, and the rows U_k of the columns of all points below.
#include "tendril/linalg/block_columns.hpp"
#include "tendril/linalg/lanes.hpp"
#include "tendril/linalg/packed_rows.hpp"
#include "tendril/rods/der/factor_kernels.hpp"

namespace tendril::der {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr std::size_t slot_values = std::size_t(BlockColumns::values);

class LaneCompliance {
 public:
  // `work`: zeros, compliance_work(count) of them; they are left in disorder.
  TENDRIL_INLINE LaneCompliance(const double* slots, double scale, int count, double* work)
      : slots_(slots), scale_(scale), stride_(compliance_stride(count)), work_(work) {}

  // Points from the tip to the root.
  TENDRIL_INLINE void run(int vertices, const CompliancePoint* points, int count, float* rows) {
    int next = 0;
    for (int k = vertices - 1; next < count; --k) {
      ascend(k, 3 * next);
      for (; next < count && points[next].vertex == k; ++next) add_point(points[next], next, rows);
    }
  }

 private:
  static constexpr int W = TENDRIL_LANES;
  using S = Lanes<W>;
  using Quad = Lanes<4>;
  using B = BlockColumns;

  // Row c of vertex k: three vertices are kept.
  TENDRIL_INLINE double* row(int k, int c) const { return work_ + std::size_t((k % 3) * 4 + c) * stride_; }

  // Rows of vertex k from those of the seven unknowns below it, `chunks` registers of columns: q = -L_kk^-T L_bᵀ below.
  template <int chunks, class Below, class Own>
  TENDRIL_INLINE static void substitute(const double* slot, const Below& below, const Own& own) {
    S q[4][chunks] = {};
#pragma GCC unroll 7
    for (int r = 0; r < 7; ++r) {
      S b[chunks];
      for (int i = 0; i < chunks; ++i) b[i] = load<S>(below(r) + i * W);
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p)
        for (int i = 0; i < chunks; ++i) q[p][i] -= slot[B::at(r + 4, p)] * b[i];
    }
#pragma GCC unroll 4
    for (int p = 2; p >= 0; --p)
#pragma GCC unroll 4
      for (int r = 3; r > p; --r)
        for (int i = 0; i < chunks; ++i) q[p][i] -= slot[B::at(r, p)] * q[r][i];
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p)
      for (int i = 0; i < chunks; ++i) store(q[p][i], own(p) + i * W);
  }

  TENDRIL_INLINE void ascend(int k, int columns) {
    const double* const slot = slots_ + std::size_t(k) * slot_values;
    for (int c = 0; c < columns; c += 2 * W)
      substitute<2>(
          slot, [&](int r) TENDRIL_INLINE_LAMBDA { return (r < 4 ? row(k + 1, r) : row(k + 2, r - 4)) + c; },
          [&](int p) TENDRIL_INLINE_LAMBDA { return row(k, p) + c; });
    ascend_inverse(slot);
  }

  // P on U_k from that on U_{k+1}: L_kkᵀ X_kk = D_k^-1 L_kk^-1 - L_bᵀ X_bk, where X_bk is the transpose of the new
  // rows. The eighth column of P is there to fill registers.
  TENDRIL_INLINE void ascend_inverse(const double* slot) {
    Quad near[4] = {}, far[4] = {};  // the new rows: columns x_{k+1}, theta_{k+1}, and x_{k+2}
#pragma GCC unroll 7
    for (int r = 0; r < 7; ++r) {
      const Quad a = load<Quad>(p_[r]), b = load<Quad>(p_[r] + 4);
#pragma GCC unroll 4
      for (int p = 0; p < 4; ++p) near[p] -= slot[B::at(r + 4, p)] * a, far[p] -= slot[B::at(r + 4, p)] * b;
    }
#pragma GCC unroll 4
    for (int p = 2; p >= 0; --p)
#pragma GCC unroll 4
      for (int r = 3; r > p; --r) near[p] -= slot[B::at(r, p)] * near[r], far[p] -= slot[B::at(r, p)] * far[r];
    Quad across[8], lower[4], x[4];
    transpose(near, across), transpose(far, across + 4);
#pragma GCC unroll 4
    for (int p = 0; p < 4; ++p) {  // L_kk^-1
      lower[p] = Quad{p == 0 ? 1.0 : 0.0, p == 1 ? 1.0 : 0.0, p == 2 ? 1.0 : 0.0, p == 3 ? 1.0 : 0.0};
#pragma GCC unroll 4
      for (int r = 0; r < p; ++r) lower[p] -= slot[B::at(p, r)] * lower[r];
    }
#pragma GCC unroll 4
    for (int p = 3; p >= 0; --p) {
      x[p] = slot[B::at(p, p)] * lower[p];
#pragma GCC unroll 7
      for (int r = 0; r < 7; ++r) x[p] -= slot[B::at(r + 4, p)] * across[r];
#pragma GCC unroll 4
      for (int r = 3; r > p; --r) x[p] -= slot[B::at(r, p)] * x[r];
    }
    for (int r = 0; r < 3; ++r) store(load<Quad>(p_[r]), p_[r + 4] + 4), store(across[r], p_[r + 4]);
    for (int r = 0; r < 4; ++r) store(x[r], p_[r]), store(near[r], p_[r] + 4);
  }

  TENDRIL_INLINE static void transpose(const Quad (&rows)[4], Quad* columns) {
    const Quad a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6),
               b = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7),
               c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6),
               d = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
    columns[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), columns[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
    columns[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7), columns[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
  }

  // Its columns in the rows at hand, and its rows in the columns of the points below and its own.
  TENDRIL_INLINE void add_point(const CompliancePoint& point, int index, float* rows) {
    const int k = point.vertex, first = 3 * index;
    const double near = 1.0 - point.along, far = point.along;
    for (int r = 0; r < 7; ++r)
      for (int c = 0; c < 3; ++c)
        (r < 4 ? row(k, r) : row(k + 1, r - 4))[first + c] = near * p_[r][c] + far * p_[r][c + 4];
    const std::size_t stride = PackedRows::stride(std::size_t(index));
    float* const out = rows + PackedRows::begin(std::size_t(index));
    for (int axis = 0; axis < 3; ++axis) {
      const double *const a = row(k, axis), *const b = row(k + 1, axis);
      float* const to = out + std::size_t(axis) * stride;
      for (std::size_t c = 0; c < stride; ++c) to[c] = float(scale_ * (near * a[c] + far * b[c]));
      for (int c = first; c < first + 3; ++c) to[c] *= 0.5f;
    }
  }

  const double* slots_;
  const double scale_;
  const std::size_t stride_;
  double* work_;
  alignas(64) double p_[7][8] = {};
};

void solve_column(int vertices, const double* slots, double* column) {
  double carried[7] = {};
  for (int k = 0; k < vertices; ++k)
    substitute_forward(slots + std::size_t(k) * slot_values, column + std::size_t(k) * 4, carried);
  double below[8] = {};
  for (int k = vertices - 1; k >= 0; --k) {
    double* const q = column + std::size_t(k) * 4;
    substitute_backward(slots + std::size_t(k) * slot_values, below, q);
    for (int c = 0; c < 4; ++c) below[c + 4] = below[c], below[c] = q[c];
  }
}

void point_compliance(int vertices, const double* slots, const CompliancePoint* points, int count, double scale,
                      double* work, float* rows) {
  LaneCompliance(slots, scale, count, work).run(vertices, points, count, rows);
}

}  // namespace

extern const FactorKernels factor_table;
const FactorKernels factor_table = {solve_column, point_compliance};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::der
