#include "tendril/contact/block_inverses.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;

BlockInverses::BlockInverses(const Problem& problem) : problem_(problem) {
  const auto is_matrix = [](const Block& block) { return block.given == Given::matrix; };
  if (std::ranges::any_of(problem.blocks, is_matrix)) factors_ = problem.matrices;
  std::vector<char> definite(problem.blocks.size(), 1);
  parallel_for(problem.blocks.size(), [&](std::size_t b) {
    const Block& block = problem.blocks[b];
    if (block.given == Given::inverse) return;
    Map<MatrixXd> factor(factors_.data() + block.matrix, Index(block.size), Index(block.size));
    const Eigen::LLT<Eigen::Ref<MatrixXd>> in_place(factor);
    definite[b] = in_place.info() == Eigen::Success;
  });
  for (const char yes : definite) is_definite_ = is_definite_ && yes != 0;
}

void BlockInverses::apply(std::size_t b, Eigen::Ref<MatrixXd> x) const {
  const Block& block = problem_.blocks[b];
  if (block.given == Given::inverse) {
    x = (problem_.matrix(block) * x).eval();
    return;
  }
  const Map<const MatrixXd> matrix(factors_.data() + block.matrix, Index(block.size), Index(block.size));
  const auto lower = matrix.triangularView<Eigen::Lower>();
  lower.solveInPlace(x);
  lower.transpose().solveInPlace(x);
}

Eigen::VectorXd BlockInverses::free_velocity(std::size_t b) const {
  Eigen::VectorXd v = problem_.right(problem_.blocks[b]);
  if (problem_.blocks[b].given == Given::matrix) apply(b, v);
  return v;
}

}  // namespace tendril::contact
