#include "tendril/contact/velocity_space.hpp"

#include <Eigen/Cholesky>
#include <array>

#include "tendril/base/parallel.hpp"

namespace tendril::contact {

using Eigen::Index;
using Eigen::Map;
using Eigen::MatrixXd;
using Eigen::VectorXd;

VelocitySpace::VelocitySpace(const Problem& problem) {
  touches_.resize(problem.blocks.size());
  for (std::size_t i = 0; i < problem.size(); ++i) {
    const Contact& contact = problem.contacts[i];
    const auto first = std::uint32_t(readings_.size());
    contacts_.push_back({first, first, 0, 0, contact.drift, contact.mu, contact.law});
    for (const Side& side : {contact.a, contact.b})
      if (side.block != Side::none) add_side(problem, i, side);
    contacts_.back().end_reading = std::uint32_t(readings_.size());
  }
  free_velocity_ = problem.f;
  for (std::size_t b = 0; b < problem.blocks.size(); ++b) factorise(problem, b);
  velocity_ = free_velocity_;
  add_responses(problem);
  set_diagonals();
}

void VelocitySpace::add_side(const Problem& problem, std::size_t contact, const Side& side) {
  const auto block = std::size_t(side.block);
  const auto first = std::uint32_t(readings_.size());
  for (const Entry& entry : problem.entries_of(side))
    readings_.push_back({std::uint32_t(problem.blocks[block].first) + entry.unknown, entry.coefficient});
  touches_[block].push_back({std::uint32_t(contact), first, std::uint32_t(readings_.size()), 0});
}

// M^-1 f, and the columns of whichever is smaller: M^-1, or M^-1 Hᵀ for all contacts.
void VelocitySpace::factorise(const Problem& problem, std::size_t b) {
  const Block& block = problem.blocks[b];
  const auto n = Index(block.size);
  Extent extent{std::uint32_t(block.first), std::uint32_t(block.size), Extent::none};
  if (block.given == Given::inverse) {
    const auto inverse = problem.matrices.begin() + std::ptrdiff_t(block.matrix);
    extent.inverse = columns_.size();
    columns_.insert(columns_.end(), inverse, inverse + n * n);
    blocks_.push_back(extent);
    return;
  }
  const Eigen::LLT<MatrixXd> factor(problem.matrix(block));
  is_definite_ = is_definite_ && factor.info() == Eigen::Success;
  Map<VectorXd>(free_velocity_.data() + block.first, n) = factor.solve(problem.right(block));
  const std::size_t begin = columns_.size();
  if (3 * touches_[b].size() >= block.size) {
    extent.inverse = begin;
    columns_.resize(begin + block.size * block.size);
    Map<MatrixXd>(columns_.data() + begin, n, n) = factor.solve(MatrixXd::Identity(n, n));
  } else {
    for (Touch& touch : touches_[b]) {
      touch.columns = columns_.size();
      MatrixXd columns = MatrixXd::Zero(n, 3);
      for (std::uint32_t k = touch.first_reading; k < touch.end_reading; ++k)
        columns.row(Index(readings_[k].unknown - block.first)) += readings_[k].coefficient.transpose();
      columns = factor.solve(columns).eval();
      columns_.insert(columns_.end(), columns.data(), columns.data() + columns.size());
    }
  }
  blocks_.push_back(extent);
}

// What add_impulse() runs through: the touches of each contact, as columns.
void VelocitySpace::add_responses(const Problem& problem) {
  std::vector<std::size_t> next(problem.blocks.size(), 0);  // touch of each block
  for (std::size_t i = 0; i < problem.size(); ++i) {
    contacts_[i].first_response = std::uint32_t(responses_.size());
    for (const Side& side : {problem.contacts[i].a, problem.contacts[i].b}) {
      if (side.block == Side::none) continue;
      const auto b = std::size_t(side.block);
      const Extent& block = blocks_[b];
      const Touch& touch = touches_[b][next[b]++];
      if (block.inverse == Extent::none) {
        for (int axis = 0; axis < 3; ++axis)
          responses_.push_back(
              {touch.columns + std::size_t(axis) * block.size, block.first, block.size, Eigen::Vector3d::Unit(axis)});
      } else {
        for (std::uint32_t k = touch.first_reading; k < touch.end_reading; ++k)
          responses_.push_back({block.inverse + (readings_[k].unknown - block.first) * std::size_t(block.size),
                                block.first, block.size, readings_[k].coefficient});
      }
    }
    contacts_[i].end_response = std::uint32_t(responses_.size());
  }
}

// W_ii, column after column: what a unit impulse does to the contact itself.
void VelocitySpace::set_diagonals() {
  diagonal_.resize(size());
  std::vector<double>& v = velocity_;
  for (std::size_t i = 0; i < size(); ++i) {
    const Row& row = contacts_[i];
    const auto clear = [&] {
      for (std::uint32_t s = row.first_response; s < row.end_response; ++s)
        std::fill_n(v.begin() + responses_[s].block_first, responses_[s].size, 0.0);
    };
    for (int axis = 0; axis < 3; ++axis) {
      clear();
      add_impulse(i, Eigen::Vector3d::Unit(axis));
      diagonal_[i].col(axis) = velocity_of(i, v.data()) - row.drift;
    }
    clear();
    diagonal_[i] = (0.5 * (diagonal_[i] + diagonal_[i].transpose())).eval();
  }
  velocity_ = free_velocity_;
}

// v := M^-1 (f + Hᵀ r) of one block, its contacts in their order.
void VelocitySpace::move_block(std::size_t b, const Impulses& r, double* all) const {
  const Extent& block = blocks_[b];
  const auto n = Index(block.size);
  Map<VectorXd> v(all + block.first, n);
  v = Map<const VectorXd>(free_velocity_.data() + block.first, n);
  if (touches_[b].empty()) return;
  if (block.inverse == Extent::none) {
    for (const Touch& touch : touches_[b])
      v.noalias() += Map<const MatrixXd>(columns_.data() + touch.columns, n, 3) * r[touch.contact];
    return;
  }
  thread_local VectorXd push;
  push.setZero(n);
  for (const Touch& touch : touches_[b])
    for (std::uint32_t k = touch.first_reading; k < touch.end_reading; ++k)
      push[Index(readings_[k].unknown - block.first)] += readings_[k].coefficient.dot(r[touch.contact]);
  v.noalias() += Map<const MatrixXd>(columns_.data() + block.inverse, n, n) * push;
}

void VelocitySpace::set_impulses(const Impulses& r) {
  parallel_for(blocks_.size(), [&](std::size_t b) { move_block(b, r, velocity_.data()); });
}

void VelocitySpace::apply(const Impulses& r, Impulses& u) const {
  const VectorXd v = velocities(r);
  u.resize(size());
  parallel_for(size(), [&](std::size_t i) { u[i] = velocity_of(i, v.data()); });
}

VectorXd VelocitySpace::velocities(const Impulses& r) const {
  VectorXd v(Index(free_velocity_.size()));
  parallel_for(blocks_.size(), [&](std::size_t b) { move_block(b, r, v.data()); });
  return v;
}

}  // namespace tendril::contact
