#include "tendril/contact/node_gradients.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/chunks.hpp"
#include "tendril/contact/law.hpp"

namespace tendril::contact {
namespace {

constexpr std::size_t contact_chunk = 512, block_chunk = 16;
constexpr double weight_at_rest = 0.1;  // of a contact without an impulse; 0.1 to 1 make little difference
constexpr double joint_mu = -1.0;       // what kernels take for a joint

void copy_rows(const Eigen::Matrix3d& matrix, double* to, std::size_t stride) {
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 3; ++column) to[std::size_t(3 * row + column) * stride] = matrix(row, column);
}

}  // namespace

NodeGradients::NodeGradients(const NodeSpace& space, Isa isa, Precision precision)
    : space_(space),
      kernels_(gradient_kernels(isa)),
      lanes_(std::size_t(kernels_.lanes)),
      group_count_(chunk_count(space.size(), lanes_)),
      bounds_(space, [this](std::size_t block, const double* force,
                            double* out) { kernels_.product(view(), block, force, out, scratch().packed); }),
      step_weights_(space.size()),
      steps_(space.size()) {
  const std::size_t padded = group_count_ * lanes_, numbers = space.free_velocity.size();
  for (AlignedVector<double>* array : {&r_, &old_r_, &best_}) array->assign(3 * padded, 0.0);
  for (AlignedVector<double>* array : {&velocity_, &velocity_y_, &force_, &force_y_}) array->assign(numbers, 0.0);
  push_.assign(4 * padded, 0.0);
  sums_.resize(std::max(chunk_count(padded, contact_chunk), chunk_count(space.blocks.size(), block_chunk)));
  errors_.resize(sums_.size());
  add_touches();
  if (space.is_packed())
    for (std::size_t b = 0; b < blocks_.size(); ++b) blocks_[b].matrix = space.blocks[b].matrix;
  else if (precision == Precision::single)
    pack_matrices();
  else
    pair_matrices();
  packed_ = space.is_packed() ? space.packed_matrices.data() : own_packed_.data();
  std::size_t largest = 0;
  for (const NodeBlock& block : space.blocks) largest = std::max<std::size_t>(largest, block.nodes);
  scratch_.resize(std::size_t(thread_count()));
  for (auto& [work, packed] : scratch_) work.resize(8 * largest), packed.resize(packed_scratch(largest));
  add_contacts();
}

void NodeGradients::add_contacts() {
  const std::size_t padded = group_count_ * lanes_;
  groups_.assign(padded * GroupLayout::fields, 0.0);
  if (space_.has_pushes()) pushes_.assign(3 * padded, 0.0);
  for_chunks(size(), contact_chunk, wakes_threads(), [&](std::size_t, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) add_contact(i);
  });
  if (!space_.terms.empty()) add_terms();
}

void NodeGradients::add_contact(std::size_t i) {
  using L = GroupLayout;
  const NodeContact& contact = space_.contacts[i];
  double* const group = groups_.data() + i / lanes_ * lanes_ * L::fields;
  double* const fields = group + i % lanes_;
  copy_rows(contact.frame, fields + std::size_t(L::frame) * lanes_, lanes_);
  for (std::size_t k = 0; k < 3; ++k) fields[(L::drift + k) * lanes_] = contact.drift[Eigen::Index(k)];
  for (std::size_t k = 0; k < 4; ++k) {
    fields[(L::weight + k) * lanes_] = contact.weight[k];
    std::memcpy(reinterpret_cast<char*>(group + L::nodes * lanes_) + sizeof(std::uint32_t) * (k * lanes_ + i % lanes_),
                &contact.node[k], sizeof(std::uint32_t));
  }
  fields[L::mu * lanes_] = contact.law == Law::bilateral ? joint_mu : contact.mu;
  fields[L::rho * lanes_] = contact.scale;
  if (pushes_.empty()) return;
  double* const push = pushes_.data() + i / lanes_ * 3 * lanes_ + i % lanes_;
  push[0] = contact.push.speed, push[lanes_] = contact.push.strength, push[2 * lanes_] = contact.push.softness;
}

// They stand in another order than contacts: those of contact i are copied behind those of the one before.
void NodeGradients::add_terms() {
  term_starts_.assign(group_count_ * lanes_ + 1, std::uint32_t(space_.terms.size()));
  term_starts_[0] = 0;
  for (std::size_t i = 0; i < size(); ++i) {
    for (std::uint32_t t = space_.contacts[i].first_term; t < space_.contacts[i].end_term; ++t) {
      TermRecord& term = terms_.emplace_back();
      term.node = space_.terms[t].node;
      copy_rows(space_.terms[t].matrix, term.matrix, 1);
    }
    term_starts_[i + 1] = std::uint32_t(terms_.size());
  }
}

// Who touches each block: segment by segment, and on each in the order of the contacts.
void NodeGradients::add_touches() {
  struct Touch {
    std::array<std::uint32_t, 2> node;  // within the block
    TouchRecord record;
  };
  const auto for_sides = [&](const auto& f) {
    for (std::uint32_t i = 0; i < size(); ++i)
      for (std::size_t s = 0; s < 2; ++s) {
        const NodeContact& contact = space_.contacts[i];
        if (contact.weight[2 * s] != 0.0 || contact.weight[2 * s + 1] != 0.0) f(contact, i, s);
      }
  };
  std::vector<std::uint32_t> first(space_.blocks.size() + 1, 0);
  for_sides(
      [&](const NodeContact& contact, std::uint32_t, std::size_t s) { ++first[std::size_t(contact.block[s]) + 1]; });
  std::partial_sum(first.begin(), first.end(), first.begin());
  std::vector<Touch> touches(first.back());
  std::vector<std::uint32_t> next(first.begin(), first.end() - 1);
  for_sides([&](const NodeContact& contact, std::uint32_t i, std::size_t s) {
    const auto b = std::size_t(contact.block[s]);
    const double* const weight = contact.weight.data() + 2 * s;
    const auto node = [&](std::size_t k) {
      return weight[k] != 0.0 ? contact.node[2 * s + k] - space_.blocks[b].first_node : 0;
    };
    touches[next[b]++] = {{node(0), node(1)}, {i, {weight[0], weight[1]}}};
  });
  std::vector<std::vector<TermTouch>> term_touches(space_.terms.empty() ? 0 : space_.blocks.size());
  for (std::uint32_t i = 0; i < size() && !space_.terms.empty(); ++i)
    for (std::uint32_t t = space_.contacts[i].first_term; t < space_.contacts[i].end_term; ++t) {
      const NodeTerm& term = space_.terms[t];
      TermTouch& touch = term_touches[term.block].emplace_back();
      touch.contact = i, touch.node = term.node - space_.blocks[term.block].first_node;
      copy_rows(term.matrix, touch.matrix, 1);
    }
  parallel_for(space_.blocks.size(), [&](std::size_t b) {
    std::ranges::stable_sort(touches.begin() + first[b], touches.begin() + first[b + 1], {}, &Touch::node);
  });
  touches_.reserve(touches.size()), segments_.reserve(touches.size()), blocks_.reserve(space_.blocks.size());
  for (std::size_t b = 0; b < space_.blocks.size(); ++b) {
    const NodeBlock& block = space_.blocks[b];
    BlockRecord record{
        block.first_node, block.nodes, 0, std::uint32_t(segments_.size()), 0, std::uint32_t(term_touches_.size()), 0};
    for (std::uint32_t t = first[b]; t < first[b + 1];) {
      const std::array<std::uint32_t, 2> node = touches[t].node;
      SegmentRecord segment{{node[0], node[1]}, std::uint32_t(touches_.size()), 0};
      for (; t < first[b + 1] && touches[t].node == node; ++t) touches_.push_back(touches[t].record);
      segment.end_touch = std::uint32_t(touches_.size());
      segments_.push_back(segment);
    }
    if (!term_touches.empty())
      term_touches_.insert(term_touches_.end(), term_touches[b].begin(), term_touches[b].end());
    record.end_segment = std::uint32_t(segments_.size()), record.end_term_touch = std::uint32_t(term_touches_.size());
    blocks_.push_back(record);
  }
}

void NodeGradients::pair_matrices() {
  std::size_t size = 0;
  for (BlockRecord& block : blocks_) block.matrix = std::exchange(size, size + paired_size(block.nodes));
  matrices_.resize(size);
  parallel_for(blocks_.size(), [&](std::size_t b) {
    const NodeBlock& block = space_.blocks[b];
    double* to = matrices_.data() + blocks_[b].matrix;
    for (std::uint32_t first = 0; first < block.nodes; first += 2)
      for (std::uint32_t row = first; row < block.nodes; ++row)
        for (std::uint32_t column = first; column < std::min(first + 2, block.nodes); ++column)
          for (int axis = 0; axis < 3; ++axis, to += 4)
            std::copy_n(space_.column(block, block.first_node + column, axis) + 4 * std::size_t(row), 4, to);
  });
}

void NodeGradients::pack_matrices() {
  std::size_t size = 0;
  for (BlockRecord& block : blocks_) block.matrix = std::exchange(size, size + PackedRows::size(block.nodes));
  own_packed_.resize(size);
  parallel_for(blocks_.size(), [&](std::size_t b) {
    const NodeBlock& block = space_.blocks[b];
    for (std::uint32_t row = 0; row < block.nodes; ++row)
      for (int axis = 0; axis < 3; ++axis) {
        const std::size_t stride = PackedRows::stride(row);
        float* const to = own_packed_.data() + blocks_[b].matrix + PackedRows::begin(row) + std::size_t(axis) * stride;
        const double* const from = space_.column(block, block.first_node + row, axis);  // C is symmetric
        for (std::uint32_t c = 0; c < 3 * row + 3; ++c)
          to[c] = float(from[4 * (c / 3) + c % 3] * (c < 3 * row ? 1.0 : 0.5));
        std::fill(to + 3 * row + 3, to + stride, 0.0f);
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
          packed_ == nullptr ? matrices_.data() : nullptr,
          packed_,
          space_.free_velocity.data(),
          r_.data(),
          old_r_.data(),
          push_.data(),
          velocity_.data(),
          velocity_y_.data(),
          force_.data(),
          force_y_.data()};
}

BlockScratch NodeGradients::scratch() {
  auto& [numbers, packed] = scratch_[std::size_t(worker_index())];
  return {numbers.data(), numbers.data() + numbers.size() / 2, packed.data()};
}

// g_i^2 = 1/10 + |r_i| / (rho_i speed).
void NodeGradients::adapt_steps(double speed) {
  for (std::size_t i = 0; i < size(); ++i) {
    const double* const r = r_.data() + i / lanes_ * 3 * lanes_ + i % lanes_;
    const double length = std::sqrt(r[0] * r[0] + r[lanes_] * r[lanes_] + r[2 * lanes_] * r[2 * lanes_]);
    const double scale = space_.contacts[i].scale * speed;
    step_weights_[i] = std::sqrt(weight_at_rest + (scale > 0.0 ? length / scale : 0.0));
  }
  bounds_.find(step_weights_, steps_);
  for (std::size_t i = 0; i < size(); ++i)
    groups_[(i / lanes_ * GroupLayout::fields + GroupLayout::step) * lanes_ + i % lanes_] = steps_[i];
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
    kernels_.respond(all, first, end, next_momentum, scratch(), sums_[c]);
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
