#include "tendril/sim/contact/node_assembly.hpp"

#include <algorithm>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/linalg/packed_rows.hpp"

namespace tendril {
namespace {

using collide::StrandPoint;
using contact::NodeProblem;

constexpr std::size_t most_numbers = std::size_t{1} << 28;  // 1 GB

bool is_same_place(const StrandPoint& x, const StrandPoint& y) { return x.arc() == y.arc(); }

// A place along a strand, and who asked for it.
struct Place {
  double arc;
  std::uint32_t touch;

  bool is_before(const Place& other) const { return arc > other.arc; }  // nearer to the tip
};

// From the tip to the root. Mostly they are few, and half of them come in order.
void put_in_order(std::vector<Place>& places) {
  constexpr std::size_t few = 64;
  if (places.size() > few) {
    std::ranges::stable_sort(places, std::ranges::greater{}, &Place::arc);
    return;
  }
  for (std::size_t i = 1; i < places.size(); ++i) {
    const Place moved = places[i];
    std::size_t to = i;
    for (; to > 0 && moved.is_before(places[to - 1]); --to) places[to] = places[to - 1];
    places[to] = moved;
  }
}

// Of the edges that points in order lie on.
std::size_t vertex_count(const std::vector<StrandPoint>& nodes) {
  std::size_t count = 0;
  std::uint32_t last = collide::nobody;
  for (const StrandPoint& node : nodes)
    if (node.edge != last) count += node.edge + 1 == last ? 1 : 2, last = node.edge;
  return count;
}

// Of the diagonal of packed rows, in which it is halved.
void set_own_trace(const float* rows, std::size_t count, std::vector<float>& trace) {
  trace.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const float* const own = rows + PackedRows::begin(i) + 3 * i;
    const std::size_t next = PackedRows::stride(i) + 1;
    trace[i] = 2.0f * (own[0] + own[next] + own[2 * next]);
  }
}

void set_points(const BlockPlace& block, std::span<const StrandPoint> nodes, std::vector<MaterialPoint>& points) {
  points.clear();
  for (const StrandPoint& node : nodes) points.push_back(block.point(node.edge, node.along));
}

// Behind each far end of an edge its near end, where that is not the far end of the next one.
void add_near_ends(std::vector<StrandPoint>& nodes, std::vector<std::uint32_t>& node_of) {
  thread_local std::vector<StrandPoint> far_ends;
  thread_local std::vector<std::uint32_t> place;
  far_ends.assign(nodes.begin(), nodes.end());
  nodes.clear(), place.clear();
  for (std::size_t k = 0; k < far_ends.size(); ++k) {
    place.push_back(std::uint32_t(nodes.size()));
    nodes.push_back(far_ends[k]);
    if (k + 1 == far_ends.size() || far_ends[k + 1].edge + 1 != far_ends[k].edge)
      nodes.push_back({far_ends[k].strand, far_ends[k].edge, 0.0});
  }
  for (std::uint32_t& node : node_of) node = place[node];
}

}  // namespace

void NodeAssembly::choose_nodes(const BlockPlace& block, std::span<const ContactRow> rows,
                                std::span<const Touch> touches, Entrant& entrant) const {
  auto& [nodes, node_of, by_vertices, is_new, compliance, own_trace] = entrant;
  thread_local std::vector<Place> places;
  const auto place_all = [&](const auto& at) {  // at: the point that is wanted for a touch
    places.clear(), nodes.clear();
    for (std::uint32_t t = 0; t < touches.size(); ++t) places.push_back({at(touches[t]).arc(), t});
    put_in_order(places);
    for (const Place& place : places) {
      const StrandPoint point = at(touches[place.touch]);
      if (nodes.empty() || !is_same_place(nodes.back(), point)) nodes.push_back(point);
      node_of[place.touch] = std::uint32_t(nodes.size() - 1);
    }
  };
  node_of.resize(touches.size());
  by_vertices = false;
  place_all([&](const Touch& touch) { return touch.at(rows); });
  if (!block.system->points_follow_vertices() || nodes.size() <= vertex_count(nodes)) return;
  // The far end of each edge that is touched, then the near ones that are not a far end themselves.
  by_vertices = true;
  place_all([&](const Touch& touch) {
    const StrandPoint& point = touch.at(rows);
    return StrandPoint{point.strand, point.edge, 1.0};
  });
  add_near_ends(nodes, node_of);
}

// Compliances stay where they are, and new ones come behind.
bool NodeAssembly::lay_out(const Touches& touches, NodeProblem& problem) {
  const auto is_as_before = [&](std::uint32_t block, const Entrant& entrant) -> Entrant* {
    if (number_before_.empty() || number_before_[block] == Touches::none) return nullptr;
    Entrant& before = before_[number_before_[block]];
    const bool same =
        before.by_vertices == entrant.by_vertices && std::ranges::equal(before.nodes, entrant.nodes, is_same_place);
    return same ? &before : nullptr;
  };
  std::uint32_t nodes = 0;
  problem.blocks.clear();
  for (std::size_t k = 0; k < touches.size(); ++k) {
    Entrant& entrant = entrants_[k];
    Entrant* const before = is_as_before(touches.blocks()[k], entrant);
    entrant.is_new = before == nullptr;
    if (before != nullptr) entrant.own_trace.swap(before->own_trace);
    entrant.compliance = before != nullptr ? before->compliance
                                           : std::exchange(numbers_, numbers_ + PackedRows::size(entrant.nodes.size()));
    const auto count = std::uint32_t(entrant.nodes.size());
    problem.blocks.push_back({nodes, count, entrant.compliance});
    nodes += count;
  }
  if (numbers_ > most_numbers) return false;
  if (problem.compliances.size() < numbers_) problem.compliances.resize(numbers_);
  problem.free_velocity.resize(4 * std::size_t(nodes)), problem.own_trace.resize(nodes);
  return true;
}

void NodeAssembly::fill_rows(std::span<const ContactRow> rows, std::span<const Touch> touches, std::size_t number,
                             NodeProblem& problem) const {
  const Entrant& entrant = entrants_[number];
  const std::uint32_t first = problem.blocks[number].first_node;
  for (std::size_t t = 0; t < touches.size(); ++t) {
    const Touch& touch = touches[t];
    const std::uint32_t node = first + entrant.node_of[t];
    contact::NodeSide& side = problem.rows[touch.row].side[touch.is_b ? 1 : 0];
    side.block = std::int32_t(number);
    side.node = {node, 0}, side.weight = {touch.sign(), 0.0};
    if (!entrant.by_vertices) continue;
    const double along = touch.at(rows).along;
    side.node[1] = node + 1;  // nearer to the root
    side.weight = {touch.sign() * along, touch.sign() * (1.0 - along)};
  }
}

void NodeAssembly::fill_block(const BlockPlace& block, std::span<const double> free, std::size_t number,
                              NodeProblem& problem) {
  Entrant& entrant = entrants_[number];
  const std::uint32_t first = problem.blocks[number].first_node;
  thread_local std::vector<MaterialPoint> points;
  set_points(block, entrant.nodes, points);
  block.system->point_velocities(points, free, problem.free_velocity.data() + 4 * std::size_t(first));
  if (entrant.is_new) {
    float* const rows = problem.compliances.data() + entrant.compliance;
    block.system->point_compliance(block.block, points, rows);
    set_own_trace(rows, points.size(), entrant.own_trace);
  }
  std::ranges::copy(entrant.own_trace, problem.own_trace.begin() + first);
}

void NodeAssembly::node_velocities(std::span<const BlockPlace> blocks, const Touches& touches,
                                   const BlockVectors& velocity, const NodeProblem& problem,
                                   std::span<double> out) const {
  parallel_for(touches.size(), [&](std::size_t k) {
    const std::uint32_t b = touches.blocks()[k];
    thread_local std::vector<MaterialPoint> points;
    set_points(blocks[b], entrants_[k].nodes, points);
    blocks[b].system->point_velocities(points, velocity[b], out.data() + 4 * std::size_t(problem.blocks[k].first_node));
  });
}

bool NodeAssembly::assemble(std::span<const BlockPlace> blocks, const BlockVectors& free_velocity,
                            std::span<const ContactRow> rows, const Touches& touches, NodeProblem& problem) {
  before_.swap(entrants_), number_before_.swap(number_);
  if (entrants_.size() < touches.size()) entrants_.resize(touches.size());
  number_.assign(blocks.size(), Touches::none);
  for (std::uint32_t k = 0; k < touches.size(); ++k) number_[touches.blocks()[k]] = k;
  parallel_for(touches.size(),
               [&](std::size_t k) { choose_nodes(blocks[touches.blocks()[k]], rows, touches.of(k), entrants_[k]); });
  if (!lay_out(touches, problem)) return false;
  problem.rows.resize(rows.size());
  parallel_for(rows.size(), [&](std::size_t i) {
    problem.rows[i] = {{}, rows[i].frame, rows[i].drift, rows[i].mu, rows[i].law, rows[i].push, rows[i].push_strength};
  });
  parallel_for(touches.size(), [&](std::size_t k) {
    const std::uint32_t b = touches.blocks()[k];
    fill_rows(rows, touches.of(k), k, problem);
    fill_block(blocks[b], free_velocity[b], k, problem);
  });
  return true;
}

}  // namespace tendril
