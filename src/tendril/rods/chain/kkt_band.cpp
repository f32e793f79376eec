#include "tendril/rods/chain/kkt_band.hpp"

namespace tendril::chain {

using Eigen::Vector3d;

bool KktBand::factorise(const KktTerms& terms, std::span<const Vector3d> z) {
  const std::size_t n = terms.mass.size();
  band_.reset(4 * n);
  free_.assign(terms.free.begin(), terms.free.end());
  has_equation_.assign(n - 1, 0);
  equations_ = negative_ = 0;
  band_.at(3, 3) = 1.0;  // no link before the first point
  for (std::size_t k = 0; k < n; ++k) {
    const double before = k > 0 ? terms.D[k - 1] : 0.0, after = k + 1 < n ? terms.D[k] : 0.0;
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t here = of_point(k) + c;
      band_.at(here, here) = free_[k] != 0 ? terms.mass[k] + terms.bending.diagonal[k] + before + after : 1.0;
      if (free_[k] == 0) continue;
      if (k + 1 < n && free_[k + 1] != 0) band_.at(here + 4, here) = terms.bending.next[k] - after;
      if (k + 2 < n && free_[k + 2] != 0) band_.at(here + 8, here) = terms.bending.second[k];
    }
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const bool is_there = (free_[i] != 0 || free_[i + 1] != 0) && (terms.active.empty() || terms.active[i] != 0);
    const std::size_t row = of_link(i);
    has_equation_[i] = is_there ? 1 : 0;
    band_.at(row, row) = !is_there ? 1.0 : terms.softness.empty() ? 0.0 : -terms.softness[i];
    if (!is_there) continue;
    ++equations_;
    for (std::size_t c = 0; c < 3; ++c) {
      if (free_[i] != 0) band_.at(row, of_point(i) + c) = z[i][Eigen::Index(c)];
      if (free_[i + 1] != 0) band_.at(row, of_point(i + 1) + c) = -z[i][Eigen::Index(c)];
    }
  }
  if (!band_.factorise()) return false;
  for (std::size_t j = 0; j < 4 * n; ++j)
    if (band_.at(j, j) < 0.0) ++negative_;
  return true;
}

void KktBand::solve(std::span<Vector3d> forces, std::span<double> gaps) const {
  thread_local std::vector<double> x;
  x.assign(band_.size() + band_.padding, 0.0);
  for (std::size_t k = 0; k < forces.size(); ++k)
    if (free_[k] != 0) Eigen::Map<Vector3d>{&x[of_point(k)]} = forces[k];
  for (std::size_t i = 0; i < gaps.size(); ++i) x[of_link(i)] = has_equation_[i] != 0 ? gaps[i] : 0.0;
  band_.solve(x.data());
  for (std::size_t k = 0; k < forces.size(); ++k) forces[k] = Eigen::Map<const Vector3d>(&x[of_point(k)]);
  for (std::size_t i = 0; i < gaps.size(); ++i) gaps[i] = x[of_link(i)];
}

bool KktBand::is_convex(const KktTerms& terms) {
  const std::size_t n = terms.mass.size();
  double pivot1 = 1.0, pivot2 = 1.0, beside1 = 0.0, far1 = 0.0, beside2 = 0.0;  // of the last point, and before it
  for (std::size_t k = 0; k < n; ++k) {
    const bool is_free = terms.free[k] != 0;
    const double before = k > 0 ? terms.D[k - 1] : 0.0, after = k + 1 < n ? terms.D[k] : 0.0;
    const double next = is_free && k + 1 < n && terms.free[k + 1] != 0 ? terms.bending.next[k] - after : 0.0;
    const double far = is_free && k + 2 < n && terms.free[k + 2] != 0 ? terms.bending.second[k] : 0.0;
    double pivot = 1.0;
    if (is_free) {
      pivot = terms.mass[k] + terms.bending.diagonal[k] + before + after;
      pivot -= beside1 * beside1 / pivot1 + beside2 * beside2 / pivot2;
    }
    if (!(pivot > 0.0)) return false;
    const double reduced = next - far1 * beside1 / pivot1;
    beside2 = far1, pivot2 = pivot1;
    beside1 = reduced, far1 = far, pivot1 = pivot;
  }
  return true;
}

}  // namespace tendril::chain
