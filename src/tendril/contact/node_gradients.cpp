#include "tendril/contact/node_gradients.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <tuple>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/chunks.hpp"
#include "tendril/contact/gradient_steps.hpp"
#include "tendril/contact/law.hpp"

namespace tendril::contact {
namespace {

constexpr std::size_t contact_chunk = 512, block_chunk = 16;
constexpr double joint_mu = -1.0;  // what kernels take for a joint

void copy_rows(const Eigen::Matrix3d& matrix, double* to, std::size_t stride) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) to[std::size_t(3 * row + column) * stride] = matrix(row, column);
}

}  // namespace

NodeGradients::NodeGradients(const NodeSpace& space, Isa isa, Precision precision)
    : space_(space),
      kernels_(gradient_kernels(isa)),
      lanes_(std::size_t(kernels_.lanes)),
      group_count_(chunk_count(space.size(), lanes_)) {
  const std::size_t padded = group_count_ * lanes_, numbers = space.free_velocity.size();
  for (AlignedVector<double>* array : {&r_, &old_r_, &best_}) array->assign(3 * padded, 0.0);
  for (AlignedVector<double>* array : {&velocity_, &velocity_y_, &next_velocity_, &force_, &force_y_, &next_force_})
    array->assign(numbers, 0.0);
  push_.assign(4 * padded, 0.0);
  sums_.resize(std::max(chunk_count(padded, contact_chunk), chunk_count(space.blocks.size(), block_chunk)));
  errors_.resize(sums_.size());
  add_touches();
  if (precision == Precision::single)
    pack_matrices(single_matrices_);
  else
    pack_matrices(matrices_);
  add_contacts();
}

void NodeGradients::add_contacts() {
  using L = GroupLayout;
  const std::size_t padded = group_count_ * lanes_;
  const GradientView all = view();
  const std::vector<double> steps = gradient_steps(
      space_, [&](std::size_t block, const double* force, double* out) { kernels_.product(all, block, force, out); });
  groups_.assign(padded * L::fields, 0.0);
  if (space_.has_pushes()) pushes_.assign(3 * padded, 0.0);
  if (!space_.terms.empty()) term_starts_.assign(padded + 1, std::uint32_t(space_.terms.size()));
  for (std::size_t i = 0; i < size(); ++i) {
    const NodeContact& contact = space_.contacts[i];
    double* const fields = groups_.data() + i / lanes_ * lanes_ * L::fields + i % lanes_;
    copy_rows(contact.frame, fields + std::size_t(L::frame) * lanes_, lanes_);
    for (std::size_t k = 0; k < 3; ++k) fields[(L::drift + k) * lanes_] = contact.drift[Eigen::Index(k)];
    for (std::size_t k = 0; k < 4; ++k) {
      fields[(L::weight + k) * lanes_] = contact.weight[k];
      std::memcpy(reinterpret_cast<char*>(groups_.data() + (i / lanes_ * L::fields + L::nodes) * lanes_) +
                      sizeof(std::uint32_t) * (k * lanes_ + i % lanes_),
                  &contact.node[k], sizeof(std::uint32_t));
    }
    fields[L::mu * lanes_] = contact.law == Law::bilateral ? joint_mu : contact.mu;
    fields[L::rho * lanes_] = contact.scale, fields[L::step * lanes_] = steps[i];
    if (!pushes_.empty()) {
      double* const push = pushes_.data() + i / lanes_ * 3 * lanes_ + i % lanes_;
      push[0] = contact.push.speed, push[lanes_] = contact.push.strength, push[2 * lanes_] = contact.push.softness;
    }
    if (contact.has_terms()) {
      // Terms stand in another order than contacts: those of contact i are copied behind those of the one before.
      for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) {
        TermRecord& term = terms_.emplace_back();
        term.node = space_.terms[t].node;
        copy_rows(space_.terms[t].matrix, term.matrix, 1);
      }
    }
    if (!term_starts_.empty()) term_starts_[i + 1] = std::uint32_t(terms_.size());
  }
  if (!term_starts_.empty()) term_starts_[0] = 0;
}

// Who touches each block: segment by segment, and on each in the order of the contacts.
void NodeGradients::add_touches() {
  struct Touch {
    std::size_t block;
    std::array<std::uint32_t, 2> node;  // within the block
    TouchRecord record;
  };
  std::vector<Touch> touches;
  std::vector<std::vector<TermTouch>> term_touches(space_.blocks.size());
  for (std::size_t i = 0; i < size(); ++i) {
    const NodeContact& contact = space_.contacts[i];
    for (std::size_t s = 0; s < 2; ++s) {
      const double* const weight = contact.weight.data() + 2 * s;
      if (weight[0] == 0.0 && weight[1] == 0.0) continue;
      const auto b = std::size_t(contact.block[s]);
      const auto node = [&](std::size_t k) {
        return weight[k] != 0.0 ? contact.node[2 * s + k] - space_.blocks[b].first_node : 0;
      };
      touches.push_back({b, {node(0), node(1)}, {std::uint32_t(i), {weight[0], weight[1]}}});
    }
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) {
      const NodeTerm& term = space_.terms[t];
      TermTouch& touch = term_touches[term.block].emplace_back();
      touch.contact = std::uint32_t(i), touch.node = term.node - space_.blocks[term.block].first_node;
      copy_rows(term.matrix, touch.matrix, 1);
    }
  }
  std::ranges::stable_sort(touches, {}, [](const Touch& t) { return std::tuple(t.block, t.node); });
  auto touch = touches.begin();
  for (std::size_t b = 0; b < space_.blocks.size(); ++b) {
    const NodeBlock& block = space_.blocks[b];
    BlockRecord record{
        block.first_node, block.nodes, 0, std::uint32_t(segments_.size()), 0, std::uint32_t(term_touches_.size()), 0};
    while (touch != touches.end() && touch->block == b) {
      const std::array<std::uint32_t, 2> node = touch->node;
      SegmentRecord segment{{node[0], node[1]}, std::uint32_t(touches_.size()), 0};
      for (; touch != touches.end() && touch->block == b && touch->node == node; ++touch)
        touches_.push_back(touch->record);
      segment.end_touch = std::uint32_t(touches_.size());
      segments_.push_back(segment);
    }
    term_touches_.insert(term_touches_.end(), term_touches[b].begin(), term_touches[b].end());
    record.end_segment = std::uint32_t(segments_.size()), record.end_term_touch = std::uint32_t(term_touches_.size());
    blocks_.push_back(record);
  }
}

template <class Number>
void NodeGradients::pack_matrices(AlignedVector<Number>& packed) {
  std::size_t size = 0;
  for (BlockRecord& block : blocks_) block.matrix = std::exchange(size, size + packed_size(block.nodes));
  packed.resize(size);
  parallel_for(blocks_.size(), [&](std::size_t b) {
    const NodeBlock& block = space_.blocks[b];
    Number* to = packed.data() + blocks_[b].matrix;
    for (std::uint32_t first = 0; first < block.nodes; first += 2)
      for (std::uint32_t row = first; row < block.nodes; ++row)
        for (std::uint32_t column = first; column < std::min(first + 2, block.nodes); ++column)
          for (int axis = 0; axis < 3; ++axis, to += 4) {
            const double* const from = space_.column(block, block.first_node + column, axis) + 4 * std::size_t(row);
            std::transform(from, from + 4, to, [](double c) { return Number(c); });
          }
  });
}

GradientView NodeGradients::view() {
  return {groups_.data(),
          pushes_.empty() ? nullptr : pushes_.data(),
          term_starts_.empty() ? nullptr : term_starts_.data(),
          terms_.data(),
          blocks_.data(),
          segments_.data(),
          touches_.data(),
          term_touches_.data(),
          single_matrices_.empty() ? matrices_.data() : nullptr,
          single_matrices_.data(),
          space_.free_velocity.data(),
          r_.data(),
          old_r_.data(),
          push_.data(),
          velocity_.data(),
          velocity_y_.data(),
          next_velocity_.data(),
          force_.data(),
          force_y_.data(),
          next_force_.data()};
}

void NodeGradients::start(const Impulses& r) {
  for (std::size_t i = 0; i < size(); ++i) {
    const NodeContact& contact = space_.contacts[i];
    Eigen::Vector3d first = contact.law == Law::bilateral ? r[i] : project_on_cone(r[i], contact.mu);
    if (contact.scale == 0.0) first.setZero();
    for (std::size_t k = 0; k < 3; ++k) r_[(i / lanes_ * 3 + k) * lanes_ + i % lanes_] = first[Eigen::Index(k)];
  }
  old_r_ = r_;
  const GradientView all = view();
  for_chunks(group_count_, contact_chunk / lanes_, wakes_threads(),
             [&](std::size_t, std::size_t first, std::size_t end) { kernels_.spread(all, first, end); });
  respond(0.0);
}

StepSums NodeGradients::step(double momentum, double step_length) {
  const GradientView all = view();
  const std::size_t chunk = contact_chunk / lanes_;
  for_chunks(group_count_, chunk, wakes_threads(), [&](std::size_t c, std::size_t first, std::size_t end) {
    kernels_.step(all, first, end, momentum, step_length, sums_[c]);
  });
  StepSums total;
  for (std::size_t c = 0; c < chunk_count(group_count_, chunk); ++c)
    total.turn += sums_[c].turn, total.length += sums_[c].length;
  return total;
}

double NodeGradients::respond(double next_momentum) {
  const GradientView all = view();
  for_chunks(blocks_.size(), block_chunk, wakes_threads(), [&](std::size_t c, std::size_t first, std::size_t end) {
    kernels_.respond(all, first, end, next_momentum, sums_[c]);
  });
  double total = 0.0;
  for (std::size_t c = 0; c < chunk_count(blocks_.size(), block_chunk); ++c) total += sums_[c].curvature;
  return total;
}

ErrorSums NodeGradients::errors(double limit) {
  const GradientView all = view();
  const std::size_t chunk = contact_chunk / lanes_;
  for_chunks(group_count_, chunk, wakes_threads(), [&](std::size_t c, std::size_t first, std::size_t end) {
    kernels_.errors(all, first, end, limit, errors_[c] = {});
  });
  ErrorSums total;
  for (std::size_t c = 0; c < chunk_count(group_count_, chunk); ++c)
    total.worst = std::max(total.worst, errors_[c].worst), total.sum += errors_[c].sum, total.above += errors_[c].above;
  if (!std::isfinite(total.sum)) total.worst = total.sum;
  return total;
}

Impulses NodeGradients::unpacked(const AlignedVector<double>& r) const {
  Impulses out(size());
  for (std::size_t i = 0; i < size(); ++i)
    for (std::size_t k = 0; k < 3; ++k) out[i][Eigen::Index(k)] = r[(i / lanes_ * 3 + k) * lanes_ + i % lanes_];
  return out;
}
Impulses NodeGradients::best() const { return unpacked(best_); }
Impulses NodeGradients::impulses() const { return unpacked(r_); }

}  // namespace tendril::contact
