#include "tendril/sim/contact/rows.hpp"

#include <numeric>

#include "tendril/base/parallel.hpp"

namespace tendril {

using Eigen::Vector3d;

void BlockVectors::shape(std::span<const BlockPlace> blocks) {
  first.assign(1, 0);
  for (const BlockPlace& block : blocks) first.push_back(first.back() + block.system->block_size(block.block));
  values.resize(first.back());
}

// Touched blocks get numbers of their own, in their order.
void Touches::collect(std::size_t block_count, std::span<const ContactRow> rows) {
  const auto for_sides = [&](const auto& f) {
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (rows[i].a.strand != collide::nobody) f(rows[i].a.strand, Touch{i, false});
      if (rows[i].b.strand != collide::nobody) f(rows[i].b.strand, Touch{i, true});
    }
  };
  number_.assign(block_count, none);
  for_sides([&](std::uint32_t strand, const Touch&) { number_[strand] = 0; });
  blocks_.clear();
  for (std::uint32_t b = 0; b < block_count; ++b)
    if (number_[b] != none) number_[b] = std::uint32_t(blocks_.size()), blocks_.push_back(b);
  first_.assign(blocks_.size() + 1, 0);
  for_sides([&](std::uint32_t strand, const Touch&) { ++first_[number_[strand] + 1]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  touches_.resize(first_.back());
  next_.assign(first_.begin(), first_.end() - 1);
  for_sides([&](std::uint32_t strand, const Touch& touch) { touches_[next_[number_[strand]]++] = touch; });
}

void Touches::add_response(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows,
                           std::span<const Vector3d> r, BlockVectors& velocity) const {
  parallel_for(size(), [&](std::size_t k) {
    const BlockPlace& block = blocks[blocks_[k]];
    thread_local std::vector<double> push;
    push.assign(block.system->block_size(block.block), 0.0);
    for (const Touch& touch : of(k)) {
      const collide::StrandPoint& at = touch.at(rows);
      const Vector3d impulse = touch.sign() * (rows[touch.row].frame.transpose() * r[touch.row]);
      block.system->add_point_impulse(block.point(at.edge, at.along), impulse, push);
    }
    block.system->apply_inverse(block.block, 1, push);
    const std::span<double> v = velocity[blocks_[k]];
    for (std::size_t u = 0; u < v.size(); ++u) v[u] += push[u];
  });
}

}  // namespace tendril
