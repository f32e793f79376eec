#include "tendril/contact/gradient_steps.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {
namespace {

using Eigen::Matrix3d;

double spectral_norm(const Matrix3d& matrix) {
  Eigen::SelfAdjointEigenSolver<Matrix3d> solver;
  solver.computeDirect(matrix.transpose() * matrix, Eigen::EigenvaluesOnly);
  return std::sqrt(std::max(0.0, solver.eigenvalues()[2]));
}

}  // namespace

GradientSteps::GradientSteps(const NodeSpace& space)
    : space_(space), weight_(space.node_count()), sum_(space.node_count()) {
  if (!space.frames_are_rotations)
    for (const NodeContact& contact : space.contacts) frames_.push_back(spectral_norm(contact.frame));
  for (const NodeTerm& term : space.terms) terms_.push_back(spectral_norm(term.matrix));
  add_norms();
}

// In Frobenius' norm, which is not less than that of the bound.
void GradientSteps::add_norms() {
  std::size_t size = 0;
  for (const NodeBlock& block : space_.blocks) {
    first_norm_.push_back(size);
    size += std::size_t(block.nodes) * (block.nodes + 1) / 2;
  }
  norms_.resize(size);
  parallel_for(space_.blocks.size(), [&](std::size_t b) {
    const NodeBlock& block = space_.blocks[b];
    float* to = norms_.data() + first_norm_[b];
    for (std::uint32_t i = 0; i < block.nodes; ++i)
      for (std::uint32_t j = 0; j <= i; ++j)
        *to++ = float(space_.coupling(block, block.first_node + i, block.first_node + j).norm());
  });
}

// Sums over all j, by way of the nodes: |W_ij| is at most sum_ab |w_ia| |C_ab| |w_jb|.
void GradientSteps::find(std::span<const double> weights, std::span<double> steps) {
  const auto for_nodes = [&](std::size_t i, const auto& f) {
    const NodeContact& contact = space_.contacts[i];
    const double reach = frames_.empty() ? 1.0 : frames_[i];
    for (std::size_t k = 0; k < 4; ++k)
      if (contact.weight[k] != 0.0) f(contact.node[k], reach * std::abs(contact.weight[k]));
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) f(space_.terms[t].node, terms_[t]);
  };
  std::ranges::fill(weight_, 0.0);
  std::ranges::fill(sum_, 0.0);
  for (std::size_t i = 0; i < space_.size(); ++i)
    if (space_.contacts[i].scale > 0.0)
      for_nodes(i, [&](std::uint32_t node, double share) { weight_[node] += share * weights[i]; });
  parallel_for(space_.blocks.size(), [&](std::size_t b) {
    const NodeBlock& block = space_.blocks[b];
    const float* norm = norms_.data() + first_norm_[b];
    const double* const weight = weight_.data() + block.first_node;
    double* const sum = sum_.data() + block.first_node;
    for (std::uint32_t i = 0; i < block.nodes; ++i, ++norm) {
      for (std::uint32_t j = 0; j < i; ++j, ++norm)
        sum[i] += double(*norm) * weight[j], sum[j] += double(*norm) * weight[i];
      sum[i] += double(*norm) * weight[i];
    }
  });
  parallel_for(space_.size(), [&](std::size_t i) {
    double bound = 0.0;
    for_nodes(i, [&](std::uint32_t node, double share) { bound += share * sum_[node]; });
    steps[i] = space_.contacts[i].scale > 0.0 && bound > 0.0 ? weights[i] / bound : 0.0;
  });
}

}  // namespace tendril::contact
