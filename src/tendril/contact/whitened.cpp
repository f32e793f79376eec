#include "tendril/contact/whitened.hpp"

#include <Eigen/Cholesky>

#include "tendril/contact/node_matrix.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixX3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// L of C = L Lᵀ. What round-off has made of pivots that are zero is left out.
MatrixXd factor_of(const NodeSpace& space, const NodeBlock& block) {
  const auto n = Index(block.columns());
  MatrixXd c(n, n);
  for (std::uint32_t j = 0; j < block.nodes; ++j)
    for (std::uint32_t i = 0; i < block.nodes; ++i)
      c.block<3, 3>(3 * Index(i), 3 * Index(j)) = space.coupling(block, block.first_node + i, block.first_node + j);
  if (n == 0) return c;
  const Eigen::LDLT<MatrixXd> ldl(c);
  const MatrixXd roots = ldl.vectorD().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  return ldl.transpositionsP().transpose() * (MatrixXd(ldl.matrixL()) * roots);
}

// to += a bᵀ, by columns that are `stride` apart.
void add_product(const MatrixX3d& a, const MatrixX3d& b, std::size_t stride, double* to) {
  for (Index c = 0; c < b.rows(); ++c) {
    Eigen::Map<VectorXd> column(to + std::size_t(c) * stride, a.rows());
    column += a.col(0) * b(c, 0) + a.col(1) * b(c, 1) + a.col(2) * b(c, 2);
  }
}

}  // namespace

Whitened::Whitened(const NodeSpace& space) : lu_(block_sizes(space), block_pairs(space)) {
  std::vector<MatrixXd> factors;
  for (const NodeBlock& block : space.blocks) {
    factors.push_back(factor_of(space, block));
    sizes_.push_back(block.columns());
  }
  for (const NodeContact& contact : space.contacts) add_sides(space, contact, factors);
}

void Whitened::add_sides(const NodeSpace& space, const NodeContact& contact, const std::vector<MatrixXd>& factors) {
  std::array<Side, 2>& sides = contacts_.emplace_back();
  for (std::size_t s = 0; s < 2; ++s) {
    sides[s].block = contact.block[s];
    if (contact.block[s] != ::tendril::contact::Side::none)
      sides[s].columns.setZero(factors[std::size_t(contact.block[s])].cols(), 3);
  }
  const auto add = [&](std::size_t s, std::uint32_t node, const Matrix3d& matrix) {
    const auto b = std::size_t(contact.block[s]);
    sides[s].columns += (matrix * factors[b].middleRows<3>(3 * Index(node - space.blocks[b].first_node))).transpose();
  };
  for (std::size_t k = 0; k < 4; ++k)
    if (contact.weight[k] != 0.0) add(k / 2, contact.node[k], contact.weight[k] * contact.frame);
  for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) {
    const NodeTerm& term = space.terms[t];
    add(std::size_t(std::int32_t(term.block) != contact.block[0]), term.node, term.matrix);
  }
}

void Whitened::gather(const Impulses& r, AlignedVector<double>& w) const {
  std::ranges::fill(w, 0.0);
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    for (const Side& side : contacts_[i])
      if (side.size() > 0) Eigen::Map<VectorXd>(w.data() + first(side), side.size()).noalias() += side.columns * r[i];
}

Vector3d Whitened::velocity(std::size_t contact, const AlignedVector<double>& w) const {
  Vector3d u = Vector3d::Zero();
  for (const Side& side : contacts_[contact])
    if (side.size() > 0)
      u.noalias() += side.columns.transpose() * Eigen::Map<const VectorXd>(w.data() + first(side), side.size());
  return u;
}

template <class Add>
void Whitened::for_pairs_of_sides(const std::vector<Matrix3d>& d, const Add& add) const {
  for (std::size_t i = 0; i < contacts_.size(); ++i)
    for (const Side& t : contacts_[i]) {
      if (t.size() == 0 || d[i].isZero(0.0)) continue;
      const MatrixX3d stiff = t.columns * d[i].transpose();
      for (const Side& s : contacts_[i])
        if (s.size() > 0) add(s, t, stiff);
    }
}

bool Whitened::factorise(const std::vector<Matrix3d>& d) {
  is_dense_ = false;
  lu_.clear();
  for (std::uint32_t b = 0; b < sizes_.size(); ++b)
    for (std::size_t k = 0; k < sizes_[b]; ++k) lu_.entry(lu_.place(b, b), k, k) = 1.0;
  for_pairs_of_sides(d, [&](const Side& s, const Side& t, const MatrixX3d& stiff) {
    const BlockLu::Place place = lu_.place(std::uint32_t(s.block), std::uint32_t(t.block));
    double* const to = &lu_.entry(place, 0, 0);
    if (place.row_stride == 1)
      add_product(s.columns, stiff, place.stride, to);
    else
      add_product(stiff, s.columns, place.row_stride, to);
  });
  return lu_.factorise();
}

bool Whitened::factorise_densely(const std::vector<Matrix3d>& d) {
  is_dense_ = true;
  MatrixXd matrix = MatrixXd::Identity(Index(unknowns()), Index(unknowns()));
  for_pairs_of_sides(d, [&](const Side& s, const Side& t, const MatrixX3d& stiff) {
    matrix.block(first(s), first(t), s.size(), t.size()).noalias() += s.columns * stiff.transpose();
  });
  dense_.compute(matrix);
  return dense_.matrixLU().allFinite() && determinant_sign() != 0;
}

void Whitened::solve(AlignedVector<double>& w) {
  if (!is_dense_) return lu_.solve(w.data());
  Eigen::Map<VectorXd> x(w.data(), Index(w.size()));
  x = dense_.solve(x).eval();
}

int Whitened::determinant_sign() const {
  if (!is_dense_) return lu_.determinant_sign();
  int sign = dense_.permutationP().determinant() < 0 ? -1 : 1;
  for (const double pivot : dense_.matrixLU().diagonal()) sign *= (pivot > 0.0) - (pivot < 0.0);
  return sign;
}

}  // namespace tendril::contact
