#include "tendril/sim/contact/assembly.hpp"

#include <algorithm>
#include <limits>

#include "tendril/base/parallel.hpp"

namespace tendril {
namespace {

using collide::StrandPoint;
using contact::Entry;
using contact::Problem;
using contact::Side;
using Eigen::Vector3d;

constexpr std::size_t most_columns = 64;  // that are solved for at once
constexpr std::uint32_t untouched = std::numeric_limits<std::uint32_t>::max();

bool is_same_point(const StrandPoint& x, const StrandPoint& y) { return x.arc() == y.arc(); }

// Memory for one column of any block, all zero: who writes in it leaves it as it was.
std::span<double> zero_column(std::size_t size) {
  thread_local std::vector<double> column;
  if (column.size() < size) column.resize(size, 0.0);
  return std::span(column).first(size);
}

// The coefficients of one side of a row for the unknowns of the block that its point sees; gives their number. Those
// that are zero are left out.
std::uint32_t side_entries(const BlockPlace& block, const StrandPoint& at, const Eigen::Matrix3d& frame, double sign,
                           std::span<Entry> out) {
  const MaterialPoint point = block.point(at.edge, at.along);
  const UnknownRange range = block.system->unknowns_of(point);
  const std::span<double> column = zero_column(block.system->block_size(block.block));
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

void ContactAssembly::clear() { touched_.clear(), number_.clear(), number_before_.clear(), numbers_ = 0; }

bool ContactAssembly::Entrant::is_as(const Entrant& other) const {
  return by_points == other.by_points && std::ranges::equal(points, other.points, is_same_point);
}

// Touched blocks get numbers of their own, in their order.
void ContactAssembly::collect_touches(std::size_t block_count, std::span<const ContactRow> rows) {
  number_.assign(block_count, untouched);
  const auto for_sides = [&](const auto& f) {
    for (std::uint32_t i = 0; i < rows.size(); ++i)
      for (const bool is_b : {false, true})
        if (const Touch touch{i, 0, is_b}; touch.at(rows).strand != collide::nobody) f(touch);
  };
  for_sides([&](const Touch& touch) { number_[touch.at(rows).strand] = 0; });
  touched_.clear();
  for (std::uint32_t b = 0; b < block_count; ++b)
    if (number_[b] != untouched) number_[b] = std::uint32_t(touched_.size()), touched_.push_back(b);
  if (entrants_.size() < touched_.size()) entrants_.resize(touched_.size());
  for (std::size_t k = 0; k < touched_.size(); ++k) entrants_[k].touches.clear();
  for_sides([&](const Touch& touch) { entrants_[number_[touch.at(rows).strand]].touches.push_back(touch); });
}

void ContactAssembly::choose_form(const BlockPlace& block, std::span<const ContactRow> rows, Entrant& entrant) const {
  auto& [touches, points, unknowns, by_points, is_new, matrix] = entrant;
  points.clear(), unknowns.clear();
  for (const Touch& touch : touches) points.push_back(touch.at(rows));
  std::ranges::sort(points, {}, &StrandPoint::arc);
  points.erase(std::ranges::unique(points, is_same_point).begin(), points.end());
  for (Touch& touch : touches)
    touch.point =
        std::uint32_t(std::ranges::lower_bound(points, touch.at(rows).arc(), {}, &StrandPoint::arc) - points.begin());
  thread_local std::vector<Entry> seen;
  for (const StrandPoint& point : points) {
    seen.resize(block.system->unknowns_of(block.point(point.edge, point.along)).count);
    const std::uint32_t count = side_entries(block, point, Eigen::Matrix3d::Identity(), 1.0, seen);
    for (std::uint32_t k = 0; k < count; ++k) unknowns.push_back(seen[k].unknown);
  }
  std::ranges::sort(unknowns);
  unknowns.erase(std::ranges::unique(unknowns).begin(), unknowns.end());
  by_points = 3 * points.size() < unknowns.size();
}

const ContactAssembly::Entrant* ContactAssembly::entrant_before(std::size_t index) const {
  if (number_before_.empty() || number_before_[touched_[index]] == untouched) return nullptr;
  return &entrants_before_[number_before_[touched_[index]]];
}

// Compliances stay where they are, and new ones come behind. Sides get room for all they may see; what they do not see
// is skipped.
void ContactAssembly::lay_out(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows, Problem& problem) {
  std::size_t unknowns = 0;
  for (std::size_t k = 0; k < touched_.size(); ++k) {
    const std::size_t size = entrants_[k].size();
    if (const Entrant* const before = entrant_before(k); before != nullptr && entrants_[k].is_as(*before))
      entrants_[k].matrix = before->matrix, entrants_[k].is_new = false;
    else
      entrants_[k].matrix = std::exchange(numbers_, numbers_ + size * size), entrants_[k].is_new = true;
    problem.blocks.push_back({unknowns, size, entrants_[k].matrix, contact::Given::inverse});
    unknowns += size;
  }
  if (problem.matrices.size() < numbers_) problem.matrices.resize(numbers_);
  problem.f.resize(unknowns);
  std::uint32_t room = 0;
  const auto reserve = [&](const StrandPoint& at) {
    Side side;
    if (at.strand == collide::nobody) return side;
    const BlockPlace& block = blocks[at.strand];
    side.block = std::int32_t(number_[at.strand]), side.first = room;
    room += entrants_[number_[at.strand]].by_points
                ? 3
                : std::uint32_t(block.system->unknowns_of(block.point(at.edge, at.along)).count);
    return side;
  };
  problem.contacts.resize(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    problem.contacts[i] = {{}, {}, rows[i].drift, rows[i].mu, rows[i].law, rows[i].push, rows[i].push_strength};
    problem.contacts[i].a = reserve(rows[i].a), problem.contacts[i].b = reserve(rows[i].b);
  }
  problem.entries.resize(room);
}

void ContactAssembly::fill_entries(const BlockPlace& block, std::span<const ContactRow> rows, const Entrant& entrant,
                                   Problem& problem) const {
  for (const Touch& touch : entrant.touches) {
    contact::Contact& contact = problem.contacts[touch.row];
    Side& side = touch.is_b ? contact.b : contact.a;
    const std::span<Entry> out = std::span(problem.entries).subspan(side.first);
    const Eigen::Matrix3d& frame = rows[touch.row].frame;
    if (entrant.by_points) {
      side.count = 3;
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        out[axis] = {3 * touch.point + axis, touch.sign() * frame.col(Eigen::Index(axis))};
      continue;
    }
    side.count = side_entries(block, touch.at(rows), frame, touch.sign(), out);
    for (Entry& entry : out.first(side.count))
      entry.unknown =
          std::uint32_t(std::ranges::lower_bound(entrant.unknowns, entry.unknown) - entrant.unknowns.begin());
  }
}

void ContactAssembly::fill_compliance(const BlockPlace& block, std::span<const double> free, std::size_t index,
                                      Problem& problem) const {
  const Entrant& entrant = entrants_[index];
  const auto point = [&](std::size_t k) { return block.point(entrant.points[k].edge, entrant.points[k].along); };
  // What a vector of the block is on the unknowns that enter.
  const auto restrict_to = [&](std::span<const double> v, double* out) {
    if (entrant.by_points)
      for (std::size_t k = 0; k < entrant.points.size(); ++k)
        Eigen::Map<Vector3d>(out + 3 * k) = block.system->point_velocity(point(k), v);
    else
      for (std::size_t k = 0; k < entrant.unknowns.size(); ++k) out[k] = v[entrant.unknowns[k]];
  };
  restrict_to(free, problem.f.data() + problem.blocks[index].first);
  if (!entrant.is_new) return;
  Problem::Matrix compliance = problem.matrix(problem.blocks[index]);
  thread_local std::vector<double> columns;
  const std::size_t all = block.system->block_size(block.block), size = entrant.size();
  for (std::size_t begin = 0; begin < size; begin += most_columns) {
    const std::size_t count = std::min(most_columns, size - begin);
    columns.assign(all * count, 0.0);
    for (std::size_t c = 0; c < count; ++c) {
      const std::span<double> column = std::span(columns).subspan(c * all, all);
      if (entrant.by_points)
        block.system->add_point_impulse(point((begin + c) / 3), Vector3d::Unit(Eigen::Index((begin + c) % 3)), column);
      else
        column[entrant.unknowns[begin + c]] = 1.0;
    }
    block.system->apply_inverse_downwards(block.block, count, columns);
    for (std::size_t c = 0; c < count; ++c)
      restrict_to(std::span(columns).subspan(c * all, all), compliance.col(Eigen::Index(begin + c)).data());
  }
  compliance.triangularView<Eigen::StrictlyUpper>() = compliance.transpose();
}

void ContactAssembly::assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity,
                               std::span<const ContactRow> rows, Problem& problem) {
  entrants_before_.swap(entrants_), number_before_.swap(number_);
  problem.blocks.clear();
  collect_touches(blocks.size(), rows);
  const auto for_touched = [&](const auto& f) {
    parallel_for(touched_.size(), [&](std::size_t k) { f(k, blocks[touched_[k]]); });
  };
  for_touched([&](std::size_t k, const BlockPlace& block) { choose_form(block, rows, entrants_[k]); });
  lay_out(blocks, rows, problem);
  for_touched([&](std::size_t k, const BlockPlace& block) {
    fill_entries(block, rows, entrants_[k], problem);
    fill_compliance(block, free_velocity[touched_[k]], k, problem);
  });
}

void ContactAssembly::add_response(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows,
                                   const contact::Impulses& r, BlockVectors& velocity) const {
  parallel_for(touched_.size(), [&](std::size_t k) {
    const BlockPlace& block = blocks[touched_[k]];
    thread_local std::vector<double> push;
    push.assign(block.system->block_size(block.block), 0.0);
    for (const Touch& touch : entrants_[k].touches) {
      const StrandPoint& at = touch.at(rows);
      const Vector3d impulse = touch.sign() * (rows[touch.row].frame.transpose() * r[touch.row]);
      block.system->add_point_impulse(block.point(at.edge, at.along), impulse, push);
    }
    block.system->apply_inverse(block.block, 1, push);
    const std::span<double> v = velocity[touched_[k]];
    for (std::size_t u = 0; u < v.size(); ++u) v[u] += push[u];
  });
}

}  // namespace tendril
