#include "tendril/linalg/block_lu_kernels.hpp"
#include "tendril/linalg/lanes.hpp"

namespace tendril {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES;
using S = Lanes<W>;
constexpr int tile_rows = int(block_quantum), tile_columns = W == 8 ? 8 : 4, vectors = tile_rows / W;

// One tile of a bᵀ, all of it in registers.
template <class Finish>
TENDRIL_INLINE void tile(const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t depth,
                         const Finish& finish) {
  S sum[tile_columns][vectors] = {};
  for (std::size_t p = 0; p < depth; ++p) {
    S left[vectors];
    for (int i = 0; i < vectors; ++i) left[i] = load<S>(a + p * rows + std::size_t(i * W));
    for (int j = 0; j < tile_columns; ++j) {
      const double right = b[p * columns + std::size_t(j)];
      for (int i = 0; i < vectors; ++i) sum[j][i] += left[i] * right;
    }
  }
  for (int j = 0; j < tile_columns; ++j)
    for (int i = 0; i < vectors; ++i) finish(std::size_t(i * W), std::size_t(j), sum[j][i]);
}

template <class Finish>
TENDRIL_INLINE void tiles(const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t depth,
                          double* c, const Finish& finish) {
  for (std::size_t j = 0; j < columns; j += std::size_t(tile_columns))
    for (std::size_t i = 0; i < rows; i += std::size_t(tile_rows))
      tile(a + i, b + j, rows, columns, depth, [&](std::size_t di, std::size_t dj, const S& sum) TENDRIL_INLINE_LAMBDA {
        finish(c + (j + dj) * rows + i + di, sum);
      });
}

void subtract_product(const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t depth,
                      double* c) {
  tiles(a, b, rows, columns, depth, c,
        [](double* to, const S& sum) TENDRIL_INLINE_LAMBDA { store(S(load<S>(to) - sum), to); });
}

void product(const double* a, const double* b, std::size_t rows, std::size_t columns, std::size_t depth, double* c) {
  tiles(a, b, rows, columns, depth, c, [](double* to, const S& sum) TENDRIL_INLINE_LAMBDA { store(sum, to); });
}

std::size_t largest_below(const double* column, std::size_t p, std::size_t n) {
  std::size_t best = p;
  for (std::size_t i = p + 1; i < n; ++i)
    if (__builtin_fabs(column[i]) > __builtin_fabs(column[best])) best = i;
  return best;
}

void swap_rows(double* a, std::size_t n, std::size_t i, std::size_t j) {
  for (std::size_t c = 0; c < n; ++c) {
    const double kept = a[c * n + i];
    a[c * n + i] = a[c * n + j], a[c * n + j] = kept;
  }
}

void swap_columns(double* a, std::size_t n, std::size_t i, std::size_t j) {
  for (std::size_t r = 0; r < n; ++r) {
    const double kept = a[i * n + r];
    a[i * n + r] = a[j * n + r], a[j * n + r] = kept;
  }
}

// Gauss and Jordan's elimination of column p from all others.
TENDRIL_INLINE void eliminate(double* a, std::size_t n, std::size_t p) {
  double* const own = a + p * n;
  const double inverse = 1.0 / own[p];
  own[p] = 1.0;
  for (std::size_t i = 0; i < n; ++i) own[i] *= inverse;
  for (std::size_t c = 0; c < n; ++c) {
    if (c == p) continue;
    double* const column = a + c * n;
    const double factor = column[p];
    column[p] = 0.0;
    for (std::size_t i = 0; i < n; i += W) store(S(load<S>(column + i) - factor * load<S>(own + i)), column + i);
    column[p] = factor * own[p];
  }
  for (std::size_t i = 0; i < n; ++i)
    if (i != p) own[i] = -own[i];
}

int invert(double* a, std::size_t n, std::size_t* swaps) {
  int sign = 1;
  for (std::size_t p = 0; p < n; ++p) {
    swaps[p] = largest_below(a + p * n, p, n);
    if (swaps[p] != p) swap_rows(a, n, p, swaps[p]), sign = -sign;
    const double pivot = a[p * n + p];
    if (!(__builtin_fabs(pivot) > 0.0) || !__builtin_isfinite(pivot)) return 0;
    if (pivot < 0.0) sign = -sign;
    eliminate(a, n, p);
  }
  for (std::size_t p = n; p-- > 0;)
    if (swaps[p] != p) swap_columns(a, n, p, swaps[p]);
  return sign;
}

}  // namespace

extern const BlockLuKernels block_lu_table;
const BlockLuKernels block_lu_table = {subtract_product, product, invert};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril
