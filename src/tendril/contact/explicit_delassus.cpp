#include "tendril/contact/explicit_delassus.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/block_inverses.hpp"
#include "tendril/contact/delassus_blocks.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::SparseMatrix;
using Eigen::VectorXd;
using Triplets = std::vector<Eigen::Triplet<double>>;

// Of rows of blocks; a contact that nothing moves has none.
std::vector<Eigen::Matrix3d> diagonal_of(const std::vector<std::size_t>& starts,
                                         const std::vector<std::uint32_t>& columns,
                                         const std::vector<Eigen::Matrix3d>& values) {
  std::vector<Eigen::Matrix3d> diagonal(starts.size() - 1, Eigen::Matrix3d::Zero());
  for (std::size_t i = 0; i < diagonal.size(); ++i)
    for (std::size_t k = starts[i]; k < starts[i + 1]; ++k)
      if (columns[k] == i) diagonal[i] = values[k];
  return diagonal;
}

}  // namespace

Result<ExplicitDelassus> ExplicitDelassus::create(const SparseMatrix<double>& w, const VectorXd& b,
                                                  std::vector<double> mu, std::vector<Law> laws) {
  const auto rows = Index(3 * mu.size());
  if (w.rows() != rows || w.cols() != rows)
    return Error{"W", fmt::format("is {} x {}; {} contacts need {} x {}", w.rows(), w.cols(), mu.size(), rows, rows)};
  if (b.size() != rows)
    return Error{"b", fmt::format("has {} entries; {} contacts need {}", b.size(), mu.size(), rows)};
  if (!b.allFinite()) return Error{"b", "is not finite"};
  double largest = 0.0;
  for (Index k = 0; k < w.nonZeros(); ++k) {
    if (!std::isfinite(w.valuePtr()[k])) return Error{"W", "is not finite"};
    largest = std::max(largest, std::abs(w.valuePtr()[k]));
  }
  const SparseMatrix<double> skew = w - SparseMatrix<double>(w.transpose());
  for (Index k = 0; k < skew.nonZeros(); ++k)
    if (std::abs(skew.valuePtr()[k]) > 1e-8 * largest) return Error{"W", "is not symmetric"};
  for (std::size_t i = 0; i < mu.size(); ++i)
    if (!(mu[i] >= 0.0) || !std::isfinite(mu[i]))
      return Error{"mu", fmt::format("of contact {} is {}; it must be a number that is not negative", i, mu[i])};
  ExplicitDelassus out;
  out.mu_ = std::move(mu), out.laws_ = std::move(laws);
  out.set_matrix(w, b);
  return out;
}

ExplicitDelassus::ExplicitDelassus(const Problem& problem) {
  for (const Contact& contact : problem.contacts) mu_.push_back(contact.mu), laws_.push_back(contact.law);
  const BlockInverses inverses(problem);
  DelassusBlocks w = delassus_blocks(problem, inverses);
  starts_ = std::move(w.starts), columns_ = std::move(w.columns), values_ = std::move(w.values);
  diagonal_ = diagonal_of(starts_, columns_, values_);
  std::vector<VectorXd> free_velocity;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) free_velocity.push_back(inverses.free_velocity(b));
  for (const Contact& contact : problem.contacts) {
    Eigen::Vector3d u = contact.drift;
    u[0] -= contact.push;  // W has no place for their softness
    for (const Side& side : {contact.a, contact.b})
      if (side.block != Side::none)
        for (const Entry& entry : problem.entries_of(side))
          u += entry.coefficient * free_velocity[std::size_t(side.block)][Index(entry.unknown)];
    b_.push_back(u);
  }
}

ExplicitDelassus ExplicitDelassus::part(std::span<const std::uint32_t> some) const {
  ExplicitDelassus out;
  out.starts_.assign(1, 0);
  for (const std::uint32_t i : some) {
    out.mu_.push_back(mu_[i]), out.laws_.push_back(laws_[i]), out.b_.push_back(b_[i]);
    out.diagonal_.push_back(diagonal_[i]);
    for_row(i, [&](std::uint32_t j, const Eigen::Matrix3d& block) {
      const auto place = std::ranges::lower_bound(some, j);
      if (place == some.end() || *place != j) return;  // a block of zeros
      out.columns_.push_back(std::uint32_t(place - some.begin())), out.values_.push_back(block);
    });
    out.starts_.push_back(out.columns_.size());
  }
  return out;
}

void ExplicitDelassus::set_matrix(const SparseMatrix<double>& w, const VectorXd& b) {
  const std::size_t n = size();
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_row = w;
  starts_.assign(1, 0);
  std::vector<std::int64_t> place(n, -1);  // of a block in the row under way
  for (std::size_t i = 0; i < n; ++i) {
    for (int row = 0; row < 3; ++row)
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator it(by_row, Index(3 * i) + row); it; ++it) {
        const auto j = std::size_t(it.col()) / 3;
        if (place[j] < std::int64_t(starts_.back())) {
          place[j] = std::int64_t(columns_.size());
          columns_.push_back(std::uint32_t(j)), values_.push_back(Eigen::Matrix3d::Zero());
        }
        values_[std::size_t(place[j])](row, it.col() % 3) = it.value();
      }
    starts_.push_back(columns_.size());
    b_.push_back(b.segment<3>(Index(3 * i)));
  }
  diagonal_ = diagonal_of(starts_, columns_, values_);
}

SparseMatrix<double> ExplicitDelassus::matrix() const {
  Triplets entries;
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = starts_[i]; k < starts_[i + 1]; ++k)
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 3; ++column)
          entries.emplace_back(int(3 * i) + row, int(3 * columns_[k]) + column, values_[k](row, column));
  SparseMatrix<double> w(Index(3 * size()), Index(3 * size()));
  w.setFromTriplets(entries.begin(), entries.end());
  return w;
}

VectorXd ExplicitDelassus::free_velocity() const {
  VectorXd b(Index(3 * size()));
  for (std::size_t i = 0; i < size(); ++i) b.segment<3>(Index(3 * i)) = b_[i];
  return b;
}

void ExplicitDelassus::apply(const Impulses& r, Impulses& u) const {
  u.resize(size());
  parallel_for(size(), [&](std::size_t i) { u[i] = velocity(i, r); });
}

}  // namespace tendril::contact
