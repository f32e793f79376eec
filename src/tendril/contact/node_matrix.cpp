#include "tendril/contact/node_matrix.hpp"

#include <Eigen/Cholesky>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Of the largest entry of C: what is added to its diagonal, the first that leaves no pivot smaller than the least. More
// bends steps, less drowns them in round-off.
constexpr std::array<double, 4> shifts = {0.0, 1e-9, 1e-7, 1e-5};
constexpr double least_pivot = 1e-10;

}  // namespace

std::vector<std::uint32_t> block_sizes(const NodeSpace& space) {
  std::vector<std::uint32_t> sizes;
  for (const NodeBlock& block : space.blocks) sizes.push_back(std::uint32_t(block.columns()));
  return sizes;
}

std::vector<BlockLu::Pair> block_pairs(const NodeSpace& space) {
  std::vector<BlockLu::Pair> pairs;
  for (const NodeContact& contact : space.contacts)
    if (contact.block[0] != Side::none && contact.block[1] != Side::none)
      pairs.emplace_back(contact.block[0], contact.block[1]);
  return pairs;
}

NodeMatrix::NodeMatrix(const NodeSpace& space)
    : space_(space),
      inverses_(space.blocks.size()),
      lu_(block_sizes(space), block_pairs(space)),
      right_(lu_.unknowns(), 0.0) {
  for (const NodeContact& contact : space.contacts)
    largest_compliance_ = std::max(largest_compliance_, contact.trace());
  if (!(largest_compliance_ > 0.0)) largest_compliance_ = 1.0;
  parallel_for(space.blocks.size(), [&](std::size_t b) { set_inverse(b); });
  for (const MatrixXd& inverse : inverses_) is_definite_ = is_definite_ && inverse.allFinite();
  set_places();
}

void NodeMatrix::set_inverse(std::size_t b) {
  const NodeBlock& block = space_.blocks[b];
  const auto n = Index(block.columns());
  MatrixXd c(n, n);
  for (Index column = 0; column < n; ++column)
    for (Index row = 0; row < n; ++row)
      c(row, column) = space_.column(block, block.first_node,
                                     0)[std::size_t(column) * block.rows() + std::size_t(row / 3 * 4 + row % 3)];
  if (n == 0) return inverses_[b].resize(0, 0);
  double largest = 0.0;
  for (Index i = 0; i < n; ++i) largest = std::max(largest, c(i, i));
  if (largest == 0.0) {  // nothing moves it: as stiff as can be beside the others
    const double stiff = 1.0 / (shifts.back() * largest_compliance_);
    inverses_[b] = MatrixXd(Eigen::VectorXd::Constant(n, stiff).asDiagonal());
    return;
  }
  for (const double shift : shifts) {
    const Eigen::LLT<MatrixXd> factor(c + shift * largest * MatrixXd::Identity(n, n));
    if (factor.info() != Eigen::Success) continue;
    const double pivot = factor.matrixLLT().diagonal().minCoeff();
    if (!(pivot * pivot > least_pivot * largest)) continue;
    inverses_[b] = factor.solve(MatrixXd::Identity(n, n));
    return;
  }
  inverses_[b] = MatrixXd::Constant(n, n, std::numeric_limits<double>::quiet_NaN());
}

void NodeMatrix::set_places() {
  for (const NodeContact& contact : space_.contacts) {
    std::array<BlockLu::Place, 4>& places = places_.emplace_back();
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t t = 0; t < 2; ++t)
        if (contact.block[s] != Side::none && contact.block[t] != Side::none)
          places[2 * s + t] = lu_.place(std::uint32_t(contact.block[s]), std::uint32_t(contact.block[t]));
  }
}

void NodeMatrix::add_contact(std::size_t i, const Matrix3d& d) {
  const NodeContact& contact = space_.contacts[i];
  const auto add = [&](std::size_t s, std::uint32_t node, std::size_t t, std::uint32_t other, const Matrix3d& part) {
    const BlockLu::Place& place = places_[i][2 * s + t];
    const std::size_t row = 3 * std::size_t(node - space_.blocks[std::size_t(contact.block[s])].first_node);
    const std::size_t column = 3 * std::size_t(other - space_.blocks[std::size_t(contact.block[t])].first_node);
    for (std::size_t c = 0; c < 3; ++c)
      for (std::size_t r = 0; r < 3; ++r) lu_.entry(place, row + r, column + c) += part(Index(r), Index(c));
  };
  if (!contact.has_terms()) {
    const Matrix3d world = contact.frame.transpose() * d * contact.frame;
    for (std::size_t k = 0; k < 4; ++k)
      for (std::size_t l = 0; l < 4; ++l)
        if (const double weight = contact.weight[k] * contact.weight[l]; weight != 0.0)
          add(k / 2, contact.node[k], l / 2, contact.node[l], weight * world);
    return;
  }
  const auto side_of = [&](const NodeTerm& term) { return std::size_t(std::int32_t(term.block) != contact.block[0]); };
  for (std::uint32_t s = contact.first_term; s < contact.end_term; ++s)
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) {
      const NodeTerm &a = space_.terms[s], &b = space_.terms[t];
      add(side_of(a), a.node, side_of(b), b.node, a.matrix.transpose() * d * b.matrix);
    }
}

bool NodeMatrix::factorise(const std::vector<Matrix3d>& d) {
  lu_.clear();
  for (std::uint32_t b = 0; b < space_.blocks.size(); ++b) {
    const BlockLu::Place place = lu_.place(b, b);
    for (std::size_t c = 0; c < space_.blocks[b].columns(); ++c)
      for (std::size_t r = 0; r < space_.blocks[b].columns(); ++r)
        lu_.entry(place, r, c) = inverses_[b](Index(r), Index(c));
  }
  for (std::size_t i = 0; i < space_.size(); ++i) add_contact(i, d[i]);
  return lu_.factorise();
}

VectorXd NodeMatrix::gathered(std::size_t b, const double* numbers) const {
  const NodeBlock& block = space_.blocks[b];
  VectorXd out(Index(block.columns()));
  for (std::uint32_t k = 0; k < block.nodes; ++k)
    for (std::uint32_t axis = 0; axis < 3; ++axis)
      out[Index(3 * k + axis)] = numbers[4 * std::size_t(block.first_node + k) + axis];
  return out;
}

double NodeMatrix::energy(const double* change) const {
  double sum = 0.0;
  for (std::size_t b = 0; b < space_.blocks.size(); ++b) {
    const VectorXd part = gathered(b, change);
    sum += part.dot(inverses_[b] * part);
  }
  return sum;
}

double NodeMatrix::solve(const double* change, double* dv) {
  double sum = 0.0;
  for (std::size_t b = 0; b < space_.blocks.size(); ++b) {
    const VectorXd part = gathered(b, change), right = inverses_[b] * part;
    sum += part.dot(right);
    std::copy_n(right.data(), right.size(), right_.data() + lu_.offset(b));
  }
  lu_.solve(right_.data());
  for (std::size_t b = 0; b < space_.blocks.size(); ++b) {
    const NodeBlock& block = space_.blocks[b];
    for (std::uint32_t k = 0; k < block.nodes; ++k)
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        dv[4 * std::size_t(block.first_node + k) + axis] = right_[lu_.offset(b) + 3 * k + axis];
  }
  return sum;
}

}  // namespace tendril::contact
