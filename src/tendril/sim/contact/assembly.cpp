#include "tendril/sim/contact/assembly.hpp"

#include <algorithm>
#include <limits>

#include "tendril/base/parallel.hpp"

namespace tendril {
namespace {

using contact::Entry;
using contact::Problem;
using contact::Side;
using Eigen::Vector3d;

constexpr std::size_t most_columns = 64;  // that are solved for at once
constexpr std::uint32_t untouched = std::numeric_limits<std::uint32_t>::max();

// The nonzero coefficients of one side of a row, with their unknowns of the block; gives their number.
std::uint32_t side_entries(const BlockPlace& block, const collide::StrandPoint& at, const Eigen::Matrix3d& frame,
                           double sign, std::span<Entry> out) {
  thread_local std::vector<double> column;
  const MaterialPoint point = block.point(at.edge, at.along);
  const UnknownRange range = block.system->unknowns_of(point);
  column.assign(block.system->block_size(block.block), 0.0);
  for (std::size_t k = 0; k < range.count; ++k) out[k] = {std::uint32_t(range.first + k), Vector3d::Zero()};
  for (int axis = 0; axis < 3; ++axis) {
    block.system->add_point_impulse(point, sign * frame.row(axis).transpose(), column);
    for (std::size_t k = 0; k < range.count; ++k)
      out[k].coefficient[axis] = std::exchange(column[range.first + k], 0.0);
  }
  const auto end = std::remove_if(out.begin(), out.begin() + std::ptrdiff_t(range.count),
                                  [](const Entry& entry) { return entry.coefficient.isZero(0.0); });
  return std::uint32_t(end - out.begin());
}

}  // namespace

void BlockVectors::shape(std::span<const BlockPlace> blocks) {
  first.assign(1, 0);
  for (const BlockPlace& block : blocks) first.push_back(first.back() + block.system->block_size(block.block));
  values.resize(first.back());
}

// Sides get room for all they may see; what they do not see is skipped.
void ContactAssembly::collect_entries(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows,
                                      Problem& problem) {
  std::uint32_t room = 0;
  const auto reserve = [&](const collide::StrandPoint& at) {
    Side side;
    if (at.strand == collide::nobody) return side;
    const BlockPlace& block = blocks[at.strand];
    side.block = std::int32_t(at.strand), side.first = room;
    room += std::uint32_t(block.system->unknowns_of(block.point(at.edge, at.along)).count);
    return side;
  };
  problem.contacts.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    problem.contacts[i] = {{}, {}, rows[i].drift, rows[i].mu, rows[i].law};
    problem.contacts[i].a = reserve(rows[i].a), problem.contacts[i].b = reserve(rows[i].b);
  }
  problem.entries.resize(room);
  parallel_for(rows.size(), [&](std::size_t i) {
    contact::Contact& contact = problem.contacts[i];
    const auto fill = [&](Side& side, const collide::StrandPoint& at, double sign) {
      if (side.block == Side::none) return;
      side.count =
          side_entries(blocks[at.strand], at, rows[i].frame, sign, std::span(problem.entries).subspan(side.first));
    };
    fill(contact.a, rows[i].a, 1.0), fill(contact.b, rows[i].b, -1.0);
  });
}

// Touched blocks and unknowns get numbers of their own, in their order.
void ContactAssembly::number_unknowns(const BlockVectors& all, Problem& problem) {
  number_.assign(all.values.size(), untouched);
  std::vector<std::uint32_t> block_number(all.first.size() - 1, untouched);
  for (contact::Contact& contact : problem.contacts)
    for (const Side* side : {&contact.a, &contact.b}) {
      if (side->block == Side::none) continue;
      block_number[std::size_t(side->block)] = 0;
      for (const Entry& entry : problem.entries_of(*side))
        number_[all.first[std::size_t(side->block)] + entry.unknown] = 0;
    }
  touched_.clear(), unknowns_.clear(), unknown_begin_.assign(1, 0);
  for (std::uint32_t b = 0; b < block_number.size(); ++b) {
    if (block_number[b] == untouched) continue;
    block_number[b] = std::uint32_t(touched_.size());
    touched_.push_back(b);
    for (std::size_t u = all.first[b]; u < all.first[b + 1]; ++u)
      if (number_[u] != untouched) {
        number_[u] = std::uint32_t(unknowns_.size()) - unknown_begin_.back();
        unknowns_.push_back(std::uint32_t(u - all.first[b]));
      }
    unknown_begin_.push_back(std::uint32_t(unknowns_.size()));
  }
  touch_begin_.assign(touched_.size() + 1, 0);
  for (contact::Contact& contact : problem.contacts)
    for (Side* side : {&contact.a, &contact.b}) {
      if (side->block == Side::none) continue;
      const std::size_t base = all.first[std::size_t(side->block)];
      for (std::uint32_t k = 0; k < side->count; ++k) {
        Entry& entry = problem.entries[side->first + k];
        entry.unknown = number_[base + entry.unknown];
      }
      side->block = std::int32_t(block_number[std::size_t(side->block)]);
      ++touch_begin_[std::size_t(side->block) + 1];
    }
  for (std::size_t b = 1; b < touch_begin_.size(); ++b) touch_begin_[b] += touch_begin_[b - 1];
  touches_.resize(touch_begin_.back());
  std::vector<std::uint32_t> next(touch_begin_.begin(), touch_begin_.end() - 1);
  for (std::uint32_t i = 0; i < problem.contacts.size(); ++i)
    for (const bool is_b : {false, true}) {
      const Side& side = is_b ? problem.contacts[i].b : problem.contacts[i].a;
      if (side.block != Side::none) touches_[next[std::size_t(side.block)]++] = {i, is_b};
    }
}

void ContactAssembly::fill_compliances(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity,
                                       Problem& problem) const {
  std::size_t numbers = 0;
  for (std::size_t b = 0; b < touched_.size(); ++b) {
    const std::size_t size = unknown_begin_[b + 1] - unknown_begin_[b];
    problem.blocks.push_back({unknown_begin_[b], size, numbers, contact::Given::inverse});
    numbers += size * size;
  }
  problem.matrices.resize(numbers), problem.f.resize(unknowns_.size());
  parallel_for(touched_.size(), [&](std::size_t b) {
    thread_local std::vector<double> columns;
    const BlockPlace& block = blocks[touched_[b]];
    const std::size_t all = block.system->block_size(block.block), size = problem.blocks[b].size;
    const std::span<const std::uint32_t> unknowns = std::span(unknowns_).subspan(unknown_begin_[b], size);
    Problem::Matrix compliance = problem.matrix(problem.blocks[b]);
    for (std::size_t begin = 0; begin < size; begin += most_columns) {
      const std::size_t count = std::min(most_columns, size - begin);
      columns.assign(all * count, 0.0);
      for (std::size_t c = 0; c < count; ++c) columns[c * all + unknowns[begin + c]] = 1.0;
      block.system->apply_inverse(block.block, count, columns);
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t r = 0; r < size; ++r)
          compliance(Eigen::Index(r), Eigen::Index(begin + c)) = columns[c * all + unknowns[r]];
    }
    compliance = (0.5 * (compliance + compliance.transpose())).eval();
    const std::span<const double> free = free_velocity[touched_[b]];
    for (std::size_t r = 0; r < size; ++r) problem.f[unknown_begin_[b] + r] = free[unknowns[r]];
  });
}

void ContactAssembly::assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity,
                               std::span<const ContactRow> rows, Problem& problem) {
  problem.clear();
  collect_entries(blocks, rows, problem);
  number_unknowns(free_velocity, problem);
  fill_compliances(blocks, free_velocity, problem);
}

void ContactAssembly::add_response(std::span<const BlockPlace> blocks, const Problem& problem,
                                   const contact::Impulses& r, BlockVectors& velocity) const {
  parallel_for(touched_.size(), [&](std::size_t b) {
    thread_local std::vector<double> push;
    const BlockPlace& block = blocks[touched_[b]];
    push.assign(block.system->block_size(block.block), 0.0);
    for (std::uint32_t t = touch_begin_[b]; t < touch_begin_[b + 1]; ++t) {
      const contact::Contact& contact = problem.contacts[touches_[t].row];
      for (const Entry& entry : problem.entries_of(touches_[t].is_b ? contact.b : contact.a))
        push[unknowns_[unknown_begin_[b] + entry.unknown]] += entry.coefficient.dot(r[touches_[t].row]);
    }
    block.system->apply_inverse(block.block, 1, push);
    const std::span<double> v = velocity[touched_[b]];
    for (std::size_t k = 0; k < v.size(); ++k) v[k] += push[k];
  });
}

}  // namespace tendril
