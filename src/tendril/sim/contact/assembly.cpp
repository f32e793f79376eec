#include "tendril/sim/contact/assembly.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"

namespace tendril {
namespace {

using collide::StrandPoint;
using contact::Entry;
using contact::Problem;
using contact::Side;
using Eigen::Vector3d;

constexpr std::size_t most_columns = 64;  // that are solved for at once

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

bool ContactAssembly::Entrant::is_as(const Entrant& other) const {
  return by_points == other.by_points && std::ranges::equal(points, other.points, is_same_point);
}

void ContactAssembly::choose_form(const BlockPlace& block, std::span<const ContactRow> rows,
                                  std::span<const Touch> touches, Entrant& entrant) const {
  auto& [points, point_of, unknowns, by_points, is_new, matrix] = entrant;
  points.clear(), point_of.clear(), unknowns.clear();
  for (const Touch& touch : touches) points.push_back(touch.at(rows));
  std::ranges::sort(points, {}, &StrandPoint::arc);
  points.erase(std::ranges::unique(points, is_same_point).begin(), points.end());
  for (const Touch& touch : touches)
    point_of.push_back(
        std::uint32_t(std::ranges::lower_bound(points, touch.at(rows).arc(), {}, &StrandPoint::arc) - points.begin()));
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

const ContactAssembly::Entrant* ContactAssembly::entrant_before(std::uint32_t block) const {
  if (number_before_.empty() || number_before_[block] == Touches::none) return nullptr;
  return &entrants_before_[number_before_[block]];
}

// Compliances stay where they are, and new ones come behind. Sides get room for all they may see; what they do not see
// is skipped.
void ContactAssembly::lay_out(std::span<const BlockPlace> blocks, std::span<const ContactRow> rows,
                              const Touches& touches, Problem& problem) {
  std::size_t unknowns = 0;
  problem.blocks.clear();
  for (std::size_t k = 0; k < touches.size(); ++k) {
    const std::size_t size = entrants_[k].size();
    if (const Entrant* const before = entrant_before(touches.blocks()[k]);
        before != nullptr && entrants_[k].is_as(*before))
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

void ContactAssembly::fill_entries(const BlockPlace& block, std::span<const ContactRow> rows,
                                   std::span<const Touch> touches, const Entrant& entrant, Problem& problem) const {
  for (std::size_t t = 0; t < touches.size(); ++t) {
    const Touch& touch = touches[t];
    contact::Contact& contact = problem.contacts[touch.row];
    Side& side = touch.is_b ? contact.b : contact.a;
    const std::span<Entry> out = std::span(problem.entries).subspan(side.first);
    const Eigen::Matrix3d& frame = rows[touch.row].frame;
    if (entrant.by_points) {
      side.count = 3;
      for (std::uint32_t axis = 0; axis < 3; ++axis)
        out[axis] = {3 * entrant.point_of[t] + axis, touch.sign() * frame.col(Eigen::Index(axis))};
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
                               std::span<const ContactRow> rows, const Touches& touches, Problem& problem) {
  entrants_before_.swap(entrants_), number_before_.swap(number_);
  if (entrants_.size() < touches.size()) entrants_.resize(touches.size());
  number_.assign(blocks.size(), Touches::none);
  for (std::uint32_t k = 0; k < touches.size(); ++k) number_[touches.blocks()[k]] = k;
  const auto for_touched = [&](const auto& f) {
    parallel_for(touches.size(), [&](std::size_t k) { f(k, touches.blocks()[k]); });
  };
  for_touched([&](std::size_t k, std::uint32_t b) { choose_form(blocks[b], rows, touches.of(k), entrants_[k]); });
  lay_out(blocks, rows, touches, problem);
  for_touched([&](std::size_t k, std::uint32_t b) {
    fill_entries(blocks[b], rows, touches.of(k), entrants_[k], problem);
    fill_compliance(blocks[b], free_velocity[b], k, problem);
  });
}

}  // namespace tendril
