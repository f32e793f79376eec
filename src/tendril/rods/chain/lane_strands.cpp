#include "tendril/rods/chain/lane_strands.hpp"

#include <algorithm>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/chain/one_step.hpp"

namespace tendril::chain {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

// Lanes take as many of Newton's steps as they need, with links that keep their lengths.
bool has_lanes(const Settings& settings) {
  const bool is_newton = settings.method == Method::hybrid || settings.method == Method::newton;
  return settings.keeps_lengths() && !settings.slack && is_newton && settings.max_iterations == 0;
}

// How many points a strand is held at, all of them its first ones, with joints at none but these and those in between.
// Nothing: it is held elsewhere too, or hangs together with others.
std::optional<std::size_t> held_at_root(const der::Strands& rods, const Strands& chains, std::size_t s) {
  const std::size_t first = chains.offset(s), n = chains.vertices(s);
  if (chains.trees().tree_of(s) != Trees::none) return std::nullopt;
  std::size_t held = 0;
  while (held < n && chains.is_held(first + held)) ++held;
  for (std::size_t i = held; i < n; ++i)
    if (chains.is_held(first + i)) return std::nullopt;
  if (held == n || rods.clamps(s).tip != der::Clamp::free) return std::nullopt;
  return held;
}

}  // namespace

LaneStrands::LaneStrands(const der::Strands& rods, const Strands& chains) {
  for (std::size_t s = 0; s < rods.size(); ++s) {
    const std::optional<std::size_t> held = has_lanes(chains.settings()) ? held_at_root(rods, chains, s) : std::nullopt;
    takes_.push_back(held ? 1 : 0), held_.push_back(held.value_or(0));
  }
  for (const der::Strands::Group& group : rods.groups()) {
    groups_.push_back({group.strands, group.first});
    constants_.append(std::size_t(group.vertices * LaneConstants::components * rods.lanes()), 0.0);
  }
  read(chains);
}

void LaneStrands::read(const Strands& chains) {
  using C = LaneConstants;
  const auto lengths = chains.lengths();
  mean_length_.resize(chains.size());
  for (std::size_t s = 0; s < chains.size(); ++s) mean_length_[s] = chains.mean_length(s);
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    const std::size_t lanes = group.strands.size();
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::size_t s = group.strands[lane], n = chains.vertices(s);
      for (std::size_t i = 0; i < n; ++i) {
        const std::size_t v = chains.offset(s) + i;
        const auto put = [&](int component, double value) {
          constants_[g][der::stream_at(group.first[lane] + int(i), C::components, component, int(lanes), lane)] = value;
        };
        const bool is_free = !chains.is_held(v);
        put(C::mass, is_free ? chains.mass(v) : 0.0), put(C::inverse_mass, is_free ? 1.0 / chains.mass(v) : 0.0);
        put(C::stiffness, chains.stiffness(v));
        for (int c = 0; c < 3; ++c) put(C::rest + c, chains.rest(v)[c]);
        if (i + 1 == n) continue;
        put(C::length, lengths[chains.link(s, i)]), put(C::share, chains.shares()[chains.link(s, i)]);
      }
    }
  });
}

int LaneStepper::step(const LaneStepInputs& in, const der::State& state, der::State& trial) {
  const auto lanes = std::size_t(in.rods.lanes()), groups = in.rods.groups().size();
  const LaneKernels& kernels = lane_kernels(in.rods.isa());
  int longest = 0;
  for (const der::Strands::Group& group : in.rods.groups()) longest = std::max(longest, group.vertices);
  threads_.resize(std::size_t(thread_count()));
  for (Scratch& scratch : threads_) {
    scratch.memory.resize(std::max(scratch.memory.size(), kernels.bytes(longest)));
    scratch.lanes.resize(std::size_t(LaneValues::components) * lanes);
  }
  refused_.resize(groups * lanes), iterations_.resize(groups * lanes);
  trial.current.shape_like(state.current);
  parallel_for(groups, [&](std::size_t g) {
    const FlushDenormals flush;
    step_group(in, state, g, trial);
  });
  left_.clear();
  int most = 0;
  for (std::size_t g = 0; g < groups; ++g)
    for (std::size_t lane = 0; lane < std::size_t(in.rods.groups()[g].owned); ++lane) {
      if (refused_[g * lanes + lane] != 0)
        left_.push_back(in.rods.groups()[g].strands[lane]);
      else
        most = std::max(most, int(iterations_[g * lanes + lane]));
    }
  std::ranges::sort(left_);
  return most;
}

void LaneStepper::step_group(const LaneStepInputs& in, const der::State& state, std::size_t g, der::State& trial) {
  const der::Strands::Group& group = in.rods.groups()[g];
  const std::size_t lanes = group.strands.size();
  char* const refused = &refused_[g * lanes];
  if (std::ranges::none_of(group.strands, [&](std::size_t s) { return in.lanes.takes(s); })) {
    std::ranges::copy(state.current[g], trial.current[g].begin());
    std::fill_n(refused, lanes, char(1));
    return;
  }
  const der::EffectiveStep effective = der::effective_step(in.options, state);
  Scratch& scratch = threads_[std::size_t(worker_index())];
  fill_lanes(in, g, effective.h, scratch.lanes);
  LaneStepView view;
  view.vertices = group.vertices;
  view.constants = in.lanes.constants(g).data(), view.lanes = scratch.lanes.data();
  view.hold_of = group.hold_of.data(), view.holds = in.targets.holds[g].data();
  view.loads = group.loads.empty() ? nullptr : group.loads.data();
  view.state = state.current[g].data(), view.out = trial.current[g].data();
  view.previous = effective.ratio == 0.0 ? nullptr : state.previous[g].data();
  view.step = effective.h, view.share = effective.ratio * effective.ratio / (1.0 + 2.0 * effective.ratio);
  for (int c = 0; c < 3; ++c) view.gravity[c] = in.options.gravity[c];
  for (const std::size_t s : group.strands) {
    view.damped = view.damped || in.chains.damping(s) > 0.0;
    view.free_roots = view.free_roots || in.lanes.held(s) == 0;
  }
  view.refused = refused, view.iterations = &iterations_[g * lanes];
  lane_kernels(in.rods.isa()).step(view, scratch.memory.data());
}

void LaneStepper::fill_lanes(const LaneStepInputs& in, std::size_t g, double step, std::span<double> values) {
  using L = LaneValues;
  const der::Strands::Group& group = in.rods.groups()[g];
  const std::size_t lanes = group.strands.size();
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t s = group.strands[lane];
    const auto put = [&](int component, double value) { values[std::size_t(component) * lanes + lane] = value; };
    const auto put_vector = [&](int component, const Vector3d& v) {
      for (int c = 0; c < 3; ++c) put(component + c, v[c]);
    };
    const auto put_matrix = [&](int component, const Matrix3d& m) {
      for (int r = 0; r < 3; ++r) put_vector(component + 3 * r, m.row(r));
    };
    put(L::skipped, in.lanes.takes(s) ? 0.0 : 1.0);
    put(L::first, group.first[lane]), put(L::held_end, group.first[lane] + double(in.lanes.held(s)));
    const double mean = in.lanes.mean_length(s);
    const double tolerance = projection_tolerance(in.chains.settings(), mean, step, in.options.gravity);
    put(L::mean_length, mean), put(L::reach, mean * tolerance);
    put(L::damping, in.chains.damping(s) / step);
    put_matrix(L::turn, in.ends.turn[s].toRotationMatrix());
    if (in.chains.damping(s) > 0.0) {
      put_matrix(L::turned, (in.ends.turn[s] * in.before.turn[s].conjugate()).toRotationMatrix());
      put_vector(L::tangent_before, in.chains.root_tangent(s, in.before));
    }
    put_vector(L::tangent, in.chains.root_tangent(s, in.ends));
    put_vector(L::director, in.chains.root_director(s, in.ends));
  }
}

}  // namespace tendril::chain
