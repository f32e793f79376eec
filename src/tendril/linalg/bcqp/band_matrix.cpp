#include "tendril/linalg/bcqp/band_matrix.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/linalg/bcqp/pairs.hpp"
#include "tendril/linalg/bcqp/sparse_factor.hpp"

namespace tendril::bcqp {

void BandMatrix::load(const Band<double>& band, const Vector& scale) {
  const Index n = Index(band.size);
  resize(n, std::min(Index(band.width), std::max<Index>(n - 1, 0)));
  factorisations_ = 0;
  for (Index j = 0; j < n; ++j) {
    const double* const from = band.values.data() + j * Index(band.width + 1);
    double* const to = a_[j];
    diagonal_[j] = from[0] * scale[j] * scale[j];
    for (Index r = 0; r < std::min(width_, n - 1 - j); ++r) to[r] = from[r + 1] * scale[j + 1 + r] * scale[j];
  }
}

// Padding is zero from here on, and is never written again.
void BandMatrix::resize(Index n, Index width) {
  if (n == size() && width == width_) return;
  width_ = width;
  padded_width_ = width + width % 2;
  diagonal_.resize(n);
  const Index columns = n + n % 2, stride = padded_width_ + 2;
  const auto padded = std::size_t(columns + stride);
  for (Columns* c : {&a_, &l_}) c->stride = stride, c->values.assign(std::size_t(columns * stride), 0.0);
  for (auto* v : {&pivots_, &inverse_pivots_, &assembled_}) v->assign(padded, 1.0);
  for (auto* v : {&in_, &out_, &mask_}) v->assign(padded, 0.0);
  for (auto* v : {&first_values_, &second_values_}) v->assign(std::size_t(stride + 2), 0.0);
}

// out = diagonal * in + Σ over the entries below it. Each of them serves twice: for its row and, as its mirror image,
// for its column. `value` makes of an entry what is to be multiplied.
template <class Value>
void BandMatrix::multiply_padded(Value&& value) {
  const Index n = size(), width = padded_width_;
  for (Index i = 0; i < n; ++i) out_[std::size_t(i)] = diagonal_[i] * in_[std::size_t(i)];
  for (Index j = 0; j < n; j += 2) {
    const double *first = a_[j], *second = a_[j + 1], *from = in_.data() + j;
    double* const to = out_.data() + j;
    const double x0 = from[0], x1 = from[1], between = value(Pair{first[0], 0.0})[0];
    Pair first_sum{}, second_sum{};
    for (Index r = 0; r < width; r += 2) {
      const Pair of_first = value(pair_at(first + 1 + r)), of_second = value(pair_at(second + r));
      const Pair other = pair_at(from + 2 + r);
      set_pair(to + 2 + r, pair_at(to + 2 + r) + (x0 * of_first + x1 * of_second));
      first_sum += of_first * other;
      second_sum += of_second * other;
    }
    to[0] += between * x1 + sum(first_sum);
    to[1] += between * x0 + sum(second_sum);
  }
}

void BandMatrix::multiply(const Vector& x, Vector& y) {
  std::copy_n(x.data(), size(), in_.begin());
  multiply_padded([](const Pair& entries) { return entries; });
  take_out(y);
}

void BandMatrix::multiply_absolute(const Vector& x, Vector& y) {
  std::transform(x.data(), x.data() + size(), in_.begin(), [](double v) { return std::abs(v); });
  multiply_padded([](const Pair& entries) { return absolute(entries); });
  take_out(y);
}

// The result; the buffer is zero again afterwards, as its padding must be.
void BandMatrix::take_out(Vector& result) {
  std::copy_n(out_.begin(), size(), result.data());
  std::ranges::fill(out_, 0.0);
}

double BandMatrix::row_times(Index row, const Vector& x) const {
  double sum = diagonal_[row] * x[row];
  for (Index j = std::max<Index>(row - width_, 0); j < row; ++j) sum += a_[j][row - j - 1] * x[j];
  return sum + dot(a_[row], x.data() + row + 1, std::min(width_, size() - 1 - row));
}

void BandMatrix::copy_lower(SparseFactor& out) const {
  out.begin(size());
  for (Index j = 0; j < size(); ++j) {
    const double* const below = a_[j];
    for (Index r = 0; r < width_; ++r)
      if (below[r] != 0.0) out.append(j + 1 + r, below[r]);
    out.end_column(diagonal_[j]);
  }
}

// Copies A to the factor, with what is not free taken out.
void BandMatrix::assemble(const Vector& added, const Vector& free) {
  std::copy_n(free.data(), size(), mask_.begin());
  for (Index j = 0; j < size(); ++j) {
    const double here = free[j];
    const double *const below = a_[j], *const below_free = mask_.data() + j + 1;
    double* const to = l_[j];
    for (Index r = 0; r < width_; ++r) to[r] = below[r] * (here * below_free[r]);
    assembled_[std::size_t(j)] = here != 0.0 ? diagonal_[j] + added[j] : 1.0;
  }
  std::ranges::copy(assembled_, pivots_.begin());
}

// Two columns at a time: whatever they do to the columns right of them is then loaded and stored once.
bool BandMatrix::compute_factor(const Vector& added, const Vector& free) {
  assemble(added, free);
  for (Index j = 0; j < size(); j += 2) {
    if (!finish_column(j, first_values_.data())) return false;
    eliminate(l_[j][0], first_values_.data(), j + 1);
    if (!finish_column(j + 1, second_values_.data())) return false;
    eliminate_both(j);
  }
  return true;
}

// The column becomes that of L; `values` gets L D. False: its pivot is not positive.
bool BandMatrix::finish_column(Index j, double* values) {
  const auto here = std::size_t(j);
  if (!(pivots_[here] > least_pivot * assembled_[here])) return false;
  const double inverse = 1.0 / pivots_[here];
  inverse_pivots_[here] = inverse;
  double* const below = l_[j];
  for (Index r = 0; r < width_; ++r) values[r] = below[r], below[r] *= inverse;
  return true;
}

// Takes the first of a pair of columns out of the second. What is taken beyond the last row is zero.
void BandMatrix::eliminate(double factor, const double* values, Index target) {
  if (factor == 0.0) return;
  pivots_[std::size_t(target)] -= factor * values[0];
  double* const to = l_[target];
  for (Index r = 0; r < width_ - 1; r += 2) set_pair(to + r, pair_at(to + r) - factor * pair_at(values + 1 + r));
}

// Takes both columns of a pair out of all columns right of them: A_rk -= Σ_c L_kc (L D)_rc for r >= k.
void BandMatrix::eliminate_both(Index j) {
  const double *first = l_[j], *second = l_[j + 1];
  for (Index k = 0; k < width_; ++k) {
    const double a = first[k + 1], b = second[k];
    if (a == 0.0 && b == 0.0) continue;
    const double *of_first = first_values_.data() + k + 1, *of_second = second_values_.data() + k;
    pivots_[std::size_t(j + 2 + k)] -= a * of_first[0] + b * of_second[0];
    double* const to = l_[j + 2 + k];
    for (Index r = 0; r < width_ - 1 - k; r += 2)
      set_pair(to + r, pair_at(to + r) - (a * pair_at(of_first + 1 + r) + b * pair_at(of_second + 1 + r)));
  }
}

void BandMatrix::solve(const Vector& free, const Vector& r, Vector& z) {
  std::copy_n(r.data(), size(), out_.begin());
  std::copy_n(free.data(), size(), mask_.begin());
  substitute_forward();
  substitute_backward();
  take_out(z);
}

// y_i = r_i - Σ_{j<i} L_ij y_j. The rows that the next two columns start from stay in a register: through memory they
// would be what everything waits for.
void BandMatrix::substitute_forward() {
  const Index n = size(), width = padded_width_;
  Pair next = pair_at(out_.data());
  for (Index j = 0; j < n; j += 2) {
    const double *first = l_[j], *second = l_[j + 1], *free = mask_.data() + j;
    double* const y = out_.data() + j;
    const double y0 = free[0] != 0.0 ? next[0] : 0.0, y1 = free[1] != 0.0 ? next[1] - first[0] * y0 : 0.0;
    set_pair(y, Pair{y0, y1});
    next = pair_at(y + 2) - y0 * pair_at(first + 1) - y1 * pair_at(second);
    for (Index r = 2; r < width; r += 2)
      set_pair(y + 2 + r, pair_at(y + 2 + r) - y0 * pair_at(first + 1 + r) - y1 * pair_at(second + r));
  }
}

// z_i = y_i / D_i - Σ_{j>i} L_ji z_j. From the far end of the columns to the near one: the entries of z that were found
// last are needed last, and come from a register.
void BandMatrix::substitute_backward() {
  const Index n = size(), width = padded_width_;
  Pair last{};
  for (Index j = (n + 1) / 2 * 2 - 2; j >= 0; j -= 2) {
    const double *first = l_[j], *second = l_[j + 1], *free = mask_.data() + j, *inverse = inverse_pivots_.data() + j;
    double* const z = out_.data() + j;
    Pair first_sum{}, second_sum{};
    for (Index r = width - 2; r > 0; r -= 2) {
      const Pair found = pair_at(z + 2 + r);
      first_sum += pair_at(first + 1 + r) * found;
      second_sum += pair_at(second + r) * found;
    }
    first_sum += pair_at(first + 1) * last;
    second_sum += pair_at(second) * last;
    const double z1 = free[1] != 0.0 ? z[1] * inverse[1] - sum(second_sum) : 0.0;
    const double z0 = free[0] != 0.0 ? z[0] * inverse[0] - sum(first_sum) - first[0] * z1 : 0.0;
    last = Pair{z0, z1};
    set_pair(z, last);
  }
}

}  // namespace tendril::bcqp
