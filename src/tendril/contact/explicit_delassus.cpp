#include "tendril/contact/explicit_delassus.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/contact_rows.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::SparseMatrix;
using Eigen::VectorXd;
using Triplets = std::vector<Eigen::Triplet<double>>;

Eigen::MatrixXd inverse_of(const Problem& problem, const Block& block) {
  const auto n = Index(block.size);
  if (block.given == Given::inverse) return problem.matrix(block);
  return problem.matrix(block).llt().solve(Eigen::MatrixXd::Identity(n, n));
}

// M^-1, block by block.
SparseMatrix<double> inverse_of(const Problem& problem) {
  Triplets entries;
  for (const Block& block : problem.blocks) {
    const auto n = Index(block.size);
    const Eigen::MatrixXd inverse = inverse_of(problem, block);
    for (Index c = 0; c < n; ++c)
      for (Index r = 0; r < n; ++r)
        entries.emplace_back(int(block.first) + int(r), int(block.first) + int(c), inverse(r, c));
  }
  SparseMatrix<double> m(Index(problem.f.size()), Index(problem.f.size()));
  m.setFromTriplets(entries.begin(), entries.end());
  return m;
}

// M^-1 f.
VectorXd free_velocities(const Problem& problem) {
  VectorXd v(Index(problem.f.size()));
  for (const Block& block : problem.blocks) {
    auto part = v.segment(Index(block.first), Index(block.size));
    part = problem.right(block);
    if (block.given == Given::matrix) problem.matrix(block).llt().solveInPlace(part);
  }
  return v;
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
  const SparseMatrix<double> h = rows_of(problem), inverse = inverse_of(problem);
  const SparseMatrix<double> response = inverse * h.transpose();
  VectorXd b = h * free_velocities(problem);
  for (std::size_t i = 0; i < problem.size(); ++i) b.segment<3>(Index(3 * i)) += problem.contacts[i].drift;
  set_matrix(h * response, b);
}

void ExplicitDelassus::set_matrix(const SparseMatrix<double>& w, const VectorXd& b) {
  const std::size_t n = size();
  const Eigen::SparseMatrix<double, Eigen::RowMajor> by_row = w;
  diagonal_.assign(n, Eigen::Matrix3d::Zero());
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
    if (place[i] >= std::int64_t(starts_.back())) diagonal_[i] = values_[std::size_t(place[i])];
    starts_.push_back(columns_.size());
    b_.push_back(b.segment<3>(Index(3 * i)));
  }
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
