#include "tendril/contact/node_sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "tendril/contact/chunks.hpp"
#include "tendril/contact/error_measure.hpp"

namespace tendril::contact {
namespace {

using Eigen::Map;
using Eigen::Vector3d;

constexpr std::uint16_t sleep_sweeps = 10;
constexpr std::size_t task_chunk = 8;  // small enough that threads share a colour evenly

}  // namespace

NodeSweeps::NodeSweeps(const NodeSpace& space, const Options& options, double speed, Few, Isa isa)
    : space_(space),
      kernels_(sweep_kernels(isa)),
      others_{options, 1e-3 * options.tolerance * speed},
      sleepy_(options.freezing ? 1e-2 * options.tolerance * speed : 0.0),
      velocity_(space.free_velocity) {
  if (!space.terms.empty()) term_starts_.assign(1, 0);
}

NodeSweeps::NodeSweeps(const NodeSpace& space, const Options& options, double speed, StrandPairs pairs, Isa isa)
    : NodeSweeps(space, options, speed, Few{}, isa) {
  force_.assign(space.free_velocity.size(), 0.0);
  contacts_.reserve(space.size());
  for (const std::uint32_t from : pairs.order) enter(from);
  pairs_ = std::move(pairs);
  errors_.resize(space.size());
  best_.assign(space.size(), Vector3d::Zero());
}

std::size_t NodeSweeps::enter(std::uint32_t contact) {
  add_contact(contact);
  pairs_.order.push_back(contact);
  scales_.push_back(space_.contacts[contact].scale);
  pushes_.push_back(space_.contacts[contact].push);
  has_pushes_ = has_pushes_ || pushes_.back().speed != 0.0;
  least_change_.push_back(sleepy_ * scales_.back());
  return contacts_.size() - 1;
}

void NodeSweeps::add_contact(std::uint32_t index) {
  const NodeContact& from = space_.contacts[index];
  SweepContact& to = contacts_.emplace_back();
  Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(to.frame) = from.frame;
  Map<Vector3d>(to.drift) = from.drift;
  const Eigen::Matrix3d& diagonal = diagonals_.emplace_back(space_.diagonal(from));
  const bool regular = factorise(diagonal, from.mu, to.local) && from.law == Law::coulomb;
  to.kind = from.scale == 0.0                   ? SweepContact::immovable
            : regular && !others_.options.local ? SweepContact::closed_form
                                                : SweepContact::other;
  for (std::size_t k = 0; k < 4; ++k) {
    to.weight[k] = from.weight[k], to.node[k] = from.node[k];
    if (from.weight[k] == 0.0) continue;
    const NodeBlock& block = space_.blocks[std::size_t(from.block[k / 2])];
    to.column[k] =
        space_.is_packed() ? block.matrix : std::size_t(space_.column(block, from.node[k], 0) - space_.matrices.data());
    to.first[k / 2] = 4 * block.first_node, to.quads[k / 2] = std::uint16_t(block.nodes);
  }
  for (std::size_t side = 0; side < 2; ++side)  // one node: the other one acts with weight 0, through the same columns
    for (std::size_t k = 0; k < 2; ++k)
      if (from.weight[2 * side + k] == 0.0) to.column[2 * side + k] = to.column[2 * side + 1 - k];
  to.has_terms = from.has_terms(), to.is_joint = from.law == Law::bilateral;
  for (std::uint32_t t = from.first_term; t < from.end_term; ++t) {
    const NodeTerm& term = space_.terms[t];
    const NodeBlock& block = space_.blocks[term.block];
    SweepTerm& record = terms_.emplace_back();
    Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(record.matrix) = term.matrix;
    record.column = std::size_t(space_.column(block, term.node, 0) - space_.matrices.data());
    record.node = term.node, record.first = 4 * block.first_node, record.quads = block.nodes;
  }
  if (!term_starts_.empty()) term_starts_.push_back(std::uint32_t(terms_.size()));
}

SweepView NodeSweeps::view() {
  return {contacts_.data(),
          has_pushes_ ? pushes_.data() : nullptr,
          term_starts_.empty() ? nullptr : term_starts_.data(),
          terms_.data(),
          space_.is_packed() ? nullptr : space_.matrices.data(),
          space_.packed_matrices.data(),
          velocity_.data(),
          least_change_.data(),
          sleep_sweeps,
          &NodeSweeps::solve_otherwise,
          this};
}

void NodeSweeps::solve_otherwise(void* self, std::size_t contact, const double* b, double* r) {
  auto& sweeps = *static_cast<NodeSweeps*>(self);
  const NodeContact& from = sweeps.space_.contacts[sweeps.pairs_.order[contact]];
  Map<Vector3d> impulse(r);
  impulse = sweeps.others_.solve(sweeps.diagonals_[contact], from.law, from.mu, Map<const Vector3d>(b), impulse);
}

void NodeSweeps::start(const Impulses& r) {
  for (std::size_t i = 0; i < size(); ++i) Map<Vector3d>(contacts_[i].r) = r[pairs_.order[i]], contacts_[i].asleep = 0;
}

std::size_t NodeSweeps::sweep() {
  const SweepView all = view();
  std::size_t solved = 0;
  for (std::size_t colour = 0; colour + 1 < pairs_.colour_start.size(); ++colour) {
    const std::size_t first_task = pairs_.colour_start[colour], tasks = pairs_.colour_start[colour + 1] - first_task;
    const std::uint32_t* const starts = pairs_.task_start.data() + first_task;
    const bool wakes_threads = starts[tasks] - starts[0] >= 256;
    solved_.assign(chunk_count(tasks, task_chunk), 0);
    for_chunks(tasks, task_chunk, wakes_threads, [&](std::size_t c, std::size_t first, std::size_t end) {
      solved_[c] = kernels_.visit(all, starts[first], starts[end]);
    });
    for (const std::size_t count : solved_) solved += count;
  }
  return solved;
}

void NodeSweeps::visit(std::size_t place, Vector3d& r) {
  Map<Vector3d> impulse(contacts_[place].r);
  impulse = r;
  kernels_.visit_one(view(), place);
  r = impulse;
}

double NodeSweeps::error() {
  constexpr std::size_t chunk = 512;
  const SweepView all = view();
  std::ranges::fill(force_, 0.0);
  kernels_.push(all, 0, size(), force_.data());
  parallel_for(space_.blocks.size(),
               [&](std::size_t b) { space_.respond(space_.blocks[b], force_.data(), velocity_.data()); });
  for_chunks(size(), chunk, true, [&](std::size_t, std::size_t first, std::size_t end) {
    kernels_.errors(all, first, end, scales_.data(), errors_.data());
  });
  return largest(errors_);
}

Impulses NodeSweeps::impulses() const {
  Impulses r(size());
  for (std::size_t i = 0; i < size(); ++i) r[pairs_.order[i]] = Map<const Vector3d>(contacts_[i].r);
  return r;
}

}  // namespace tendril::contact
