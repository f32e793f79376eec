#include "tendril/rods/chain/project.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/chain/bent_kernels.hpp"
#include "tendril/rods/chain/general_chain.hpp"
#include "tendril/rods/chain/held_run.hpp"
#include "tendril/rods/chain/rival_kernels.hpp"

namespace tendril::chain {
namespace {

constexpr std::size_t most_lanes = 16;

bool is_not_negative(double x) { return x >= 0.0 && std::isfinite(x); }

bool has_usable_joint(const Joints& joints, std::uint32_t i) {
  return joints.stiffness.empty() || (is_not_negative(joints.stiffness[i]) && joints.rest[i].allFinite());
}

bool is_usable(const Chains& chains, std::size_t c) {
  for (std::uint32_t i = chains.offsets[c]; i < chains.offsets[c + 1]; ++i) {
    const double w = chains.inverse_mass[i];
    if (!chains.prediction[i].allFinite() || !is_not_negative(w) || (w > 0.0 && !std::isfinite(1.0 / w))) return false;
    if (!chains.start.empty() && !chains.start[i].allFinite()) return false;
    if (!has_usable_joint(chains.joints, i)) return false;
    if (i + 1 == chains.offsets[c + 1]) break;
    const double length = chains.length[i - c];
    if (!is_not_negative(length) || length == 0.0) return false;
    if (!chains.compliance.empty() && !is_not_negative(chains.compliance[i - c])) return false;
    if (!chains.joints.share.empty() && !is_not_negative(chains.joints.share[i - c])) return false;
  }
  return true;
}

// Whether links lead to points before theirs, and what is held hangs together.
bool is_usable_tree(const Chains& chains, std::size_t c) {
  const std::uint32_t first = chains.offsets[c];
  for (std::uint32_t i = 1; first + i < chains.offsets[c + 1]; ++i) {
    const std::uint32_t parent = chains.parents[first + i];
    if (parent >= i) return false;
    if (chains.inverse_mass[first + i] == 0.0 && chains.inverse_mass[first + parent] > 0.0) return false;
  }
  return true;
}

bool is_held_at_first_points_only(const Chains& chains, std::uint32_t c) {
  std::uint32_t i = chains.offsets[c];
  const std::uint32_t end = chains.offsets[c + 1];
  while (i < end && chains.inverse_mass[i] == 0.0) ++i;
  while (i < end && chains.inverse_mass[i] > 0.0) ++i;
  return i == end;
}

bool takes_held_points(Method method) {
  return method == Method::fast || method == Method::pbd || method == Method::xpbd || method == Method::shake;
}

// Whether it looks at joints, compliance and slack.
bool is_general(Method method) { return method == Method::hybrid || method == Method::newton || method == Method::kkt; }

Rival rival_of(Method method) {
  switch (method) {
    case Method::fast: return Rival::fast;
    case Method::pbd: return Rival::pbd;
    case Method::xpbd: return Rival::xpbd;
    case Method::shake: return Rival::shake;
    default: return Rival::banded;
  }
}

BlockMethod block_method(Method method) {
  return method == Method::two_stage ? BlockMethod::two_stage
         : method == Method::newton  ? BlockMethod::newton
                                     : BlockMethod::hybrid;
}

template <class T>
void run_kernel(const BlockView<T>& view, const Options& options, const T* compliance,
                AlignedVector<std::byte>& memory) {
  const bool is_ours = options.method <= Method::newton;
  const ProjectKernels& ours = project_kernels(options.isa);
  const RivalKernels& rivals = rival_kernels(options.isa);
  const BlockOptions how{options.tolerance, iteration_limit(options), block_method(options.method)};
  const RivalOptions rival{options.tolerance, iteration_limit(options), rival_of(options.method)};
  memory.resize(is_ours ? ours.bytes(view.points) : rivals.bytes(view.points));
  if constexpr (std::is_same_v<T, double>)
    is_ours ? ours.project(view, how, memory.data()) : rivals.project(view, rival, compliance, memory.data());
  else
    is_ours ? ours.project_single(view, how, memory.data())
            : rivals.project_single(view, rival, compliance, memory.data());
}

void run_bent_kernel(const BlockView<double>& view, const Options& options, const double* stiffness,
                     const double* share, const double* rest, AlignedVector<std::byte>& memory) {
  const BentKernels& kernels = bent_kernels(options.isa);
  memory.resize(kernels.bytes(view.points));
  kernels.project({view, stiffness, share, rest}, {options.tolerance, iteration_limit(options), BlockMethod::newton},
                  memory.data());
}

// As a power of two, so that nothing is rounded.
double largest_inverse_mass(const Chains& chains, const Run& run) {
  double largest = 0.0;
  for (std::uint32_t i = 0; i < run.points; ++i) largest = std::max(largest, chains.inverse_mass[run.point(i)]);
  return largest > 0.0 ? std::exp2(std::ilogb(largest)) : 1.0;
}

// The joints of a run in its lane, stiffness in units of its masses. The link before the run, if there is one, is held:
// what it is goes into the rest of the first joint.
template <class Numbers>
void fill_joints(const Chains& chains, const Run& run, std::size_t points, std::size_t lanes, std::size_t lane,
                 double unit, Numbers& stiffness, Numbers& share, Numbers& rest) {
  using T = typename Numbers::value_type;
  stiffness.resize(points * lanes), share.resize(points * lanes), rest.resize(3 * points * lanes);
  const Joints& joints = chains.joints;
  for (std::uint32_t i = 0; i < points; ++i) {
    const bool is_joint = i + 1 < run.points;  // the tip is none
    const std::uint32_t v = run.first + std::min(i, run.points - 1);
    Vector3d own = is_joint ? joints.rest[v] : Vector3d::Zero();
    if (i == 0 && run.first > chains.offsets[run.chain])
      own -= joints.share[run.link(0) - 1] * (chains.prediction[v - 1] - chains.prediction[v]);
    stiffness[i * lanes + lane] = is_joint ? T(joints.stiffness[v] * unit) : T(0);
    share[i * lanes + lane] = is_joint ? T(joints.share[run.link(i)]) : T(0);
    for (std::size_t axis = 0; axis < 3; ++axis) rest[(3 * i + axis) * lanes + lane] = T(own[Eigen::Index(axis)]);
  }
}

}  // namespace

// Into pieces that know nothing of each other.
void Projector::split(const Chains& chains, const Options& options, Projections& out) {
  for (auto* runs : {&open_, &bent_, &closed_}) runs->clear();
  general_.clear();
  const bool has_joints = is_general(options.method) && !chains.joints.stiffness.empty();
  const bool is_whole = is_general(options.method) && (chains.slack || !chains.compliance.empty());
  const bool branches = !chains.parents.empty();
  const bool takes_trees = options.method == Method::hybrid || options.method == Method::newton;
  for (std::uint32_t c = 0; c < chains.size(); ++c) {
    const std::uint32_t begin = chains.offsets[c], end = chains.offsets[c + 1];
    if (!is_usable(chains, c) || (branches && !(takes_trees && is_usable_tree(chains, c)))) {
      out.chains[c] = {Status::bad_input, 0, std::numeric_limits<double>::quiet_NaN(), false};
      continue;
    }
    if (branches) {
      general_.push_back(c);
      if (!chains.start.empty())
        std::copy(&chains.start[begin], &chains.start[begin] + (end - begin), &out.positions[begin]);
      continue;
    }
    if (takes_held_points(options.method)) {
      if (end - begin > 1) open_.push_back({c, begin, end - begin, false});
      continue;
    }
    const bool is_bent =
        has_joints && !is_whole && is_held_at_first_points_only(chains, c) && chains.joints.stiffness[end - 1] == 0.0;
    if (is_whole || (has_joints && !is_bent)) general_.push_back(c);
    split_chain(chains, c, is_bent);
  }
  // Long ones first; a sort that keeps the order of others would allocate.
  const auto comes_before = [](const Run& a, const Run& b) {
    return std::tuple(b.points, a.chain, a.first) < std::tuple(a.points, b.chain, b.first);
  };
  for (auto* runs : {&open_, &bent_}) std::ranges::sort(*runs, comes_before);
}

// At held points.
void Projector::split_chain(const Chains& chains, std::uint32_t c, bool is_bent) {
  const std::uint32_t begin = chains.offsets[c], end = chains.offsets[c + 1];
  std::uint32_t last = end;  // the last held point; `end`: none yet
  for (std::uint32_t i = begin; i < end; ++i) {
    if (chains.inverse_mass[i] != 0.0) continue;
    if (last == end && i > begin) open_.push_back({c, i, i - begin + 1, true});
    if (last != end) closed_.push_back({c, last, i - last + 1, false});
    last = i;
  }
  if (last == end) last = begin;
  if (last + 1 < end) (is_bent ? bent_ : open_).push_back({c, last, end - last, false});
}

template <class T>
void Projector::project_block(const Chains& chains, const Options& options, bool bent, std::span<const Run> runs,
                              std::size_t lanes, std::span<Outcome> outcomes, BlockArrays<T>& with, Worker& worker,
                              Projections& out) {
  // One point more than the longest has: the last real one then goes the same way in every chain.
  const std::size_t points = runs.front().points + 1;
  for (auto* vectors : {&with.prediction, &with.start, &with.positions}) vectors->assign(3 * points * lanes, T(0));
  for (auto* numbers : {&with.inverse_mass, &with.length, &with.compliance, &with.multipliers})
    numbers->assign(points * lanes, T(0));
  const std::span<const Vector3d> start = chains.start.empty() ? chains.prediction : chains.start;
  std::array<double, most_lanes>
      units;  // [1/kg], in which masses of each chain are counted: any will do for the points
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const Run& run = runs[std::min(lane, runs.size() - 1)];
    const Vector3d origin = chains.prediction[run.first];
    units[lane] = largest_inverse_mass(chains, run);
    for (std::uint32_t i = 0; i < run.points; ++i) {
      const std::uint32_t v = run.point(i);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto a = Eigen::Index(axis);
        with.prediction[(3 * i + axis) * lanes + lane] = T(chains.prediction[v][a] - origin[a]);
        with.start[(3 * i + axis) * lanes + lane] = T(start[v][a] - origin[a]);
      }
      with.inverse_mass[i * lanes + lane] = T(chains.inverse_mass[v] / units[lane]);
      if (i + 1 == run.points) break;
      with.length[i * lanes + lane] = T(chains.length[run.link(i)]);
      if (!chains.compliance.empty())
        with.compliance[i * lanes + lane] = T(chains.compliance[run.link(i)] / units[lane]);
    }
    if (bent) fill_joints(chains, run, points, lanes, lane, units[lane], with.stiffness, with.share, with.rest);
    for (std::size_t i = run.points; i < points; ++i)  // no direction: of no length
      for (std::size_t axis = 0; axis < 3; ++axis)
        with.start[(3 * i + axis) * lanes + lane] = with.start[(3 * (run.points - 1) + axis) * lanes + lane];
  }
  std::array<Status, most_lanes> status;
  std::array<std::int32_t, most_lanes> iterations;
  std::array<T, most_lanes> residual, tolerance;
  for (std::size_t lane = 0; lane < lanes; ++lane)
    tolerance[lane] = T(options_of(chains, runs[std::min(lane, runs.size() - 1)].chain, options).tolerance);
  std::array<bool, most_lanes> certified;
  const BlockView<T> view{points,
                          with.prediction.data(),
                          with.inverse_mass.data(),
                          with.length.data(),
                          with.start.data(),
                          with.positions.data(),
                          with.multipliers.data(),
                          status.data(),
                          iterations.data(),
                          residual.data(),
                          certified.data(),
                          tolerance.data()};
  if constexpr (std::is_same_v<T, double>) {
    if (bent)
      run_bent_kernel(view, options, with.stiffness.data(), with.share.data(), with.rest.data(), worker.memory);
    else
      run_kernel(view, options, with.compliance.data(), worker.memory);
  } else {
    run_kernel(view, options, with.compliance.data(), worker.memory);
  }
  for (std::size_t lane = 0; lane < runs.size(); ++lane) {
    const Run& run = runs[lane];
    const Vector3d origin = chains.prediction[run.first];
    for (std::uint32_t i = 0; i < run.points; ++i) {
      const auto number = [&](std::size_t axis) { return double(with.positions[(3 * i + axis) * lanes + lane]); };
      out.positions[run.point(i)] = origin + Vector3d(number(0), number(1), number(2));
      if (i + 1 < run.points) out.multipliers[run.link(i)] = double(with.multipliers[i * lanes + lane]) / units[lane];
    }
    outcomes[lane] = {status[lane], iterations[lane], double(residual[lane]), certified[lane]};
  }
}

void Projector::project_blocks(const Chains& chains, const Options& options, bool bent, std::span<const Run> all,
                               std::size_t lanes, Projections& out) {
  outcomes_.resize(all.size());
  parallel_for((all.size() + lanes - 1) / lanes, [&](std::size_t block) {
    const std::size_t first = block * lanes, count = std::min(lanes, all.size() - first);
    const auto runs = all.subspan(first, count);
    const auto outcomes = std::span(outcomes_).subspan(first, count);
    Worker& worker = workers_[std::size_t(worker_index())];
    if (options.single_precision && !bent)
      project_block(chains, options, bent, runs, lanes, outcomes, worker.singles, worker, out);
    else
      project_block(chains, options, bent, runs, lanes, outcomes, worker.doubles, worker, out);
  });
  for (std::size_t r = 0; r < all.size(); ++r) add(outcomes_[r], out.chains[all[r].chain]);
}

void Projector::project(const Chains& chains, const Options& options, Projections& out) {
  out.positions.assign(chains.prediction.begin(), chains.prediction.end());
  out.multipliers.assign(chains.length.size(), 0.0);
  out.chains.assign(chains.size(), {});
  split(chains, options, out);
  workers_.resize(std::size_t(thread_count()));
  const ProjectKernels& kernels = project_kernels(options.isa);
  project_blocks(chains, options, false, open_, options.single_precision ? kernels.single_lanes : kernels.lanes, out);
  project_blocks(chains, options, true, bent_, kernels.lanes, out);
  closed_outcomes_.resize(closed_.size());
  parallel_for(closed_.size(), [&](std::size_t r) {
    closed_outcomes_[r] = project_between(chains, closed_[r], options_of(chains, closed_[r].chain, options),
                                          out.positions, out.multipliers);
  });
  for (std::size_t r = 0; r < closed_.size(); ++r) add(closed_outcomes_[r], out.chains[closed_[r].chain]);
  parallel_for(general_.size(), [&](std::size_t k) {
    out.chains[general_[k]] =
        project_general(chains, general_[k], options_of(chains, general_[k], options), out.positions, out.multipliers);
  });
}

}  // namespace tendril::chain
