#include "tendril/sagfree/optimise.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/timer.hpp"
#include "tendril/sagfree/general.hpp"
#include "tendril/sagfree/imbalance.hpp"
#include "tendril/sagfree/progress.hpp"
#include "tendril/sagfree/shared_stiffness.hpp"
#include "tendril/sagfree/sweep.hpp"

namespace tendril::sagfree {
namespace {

bool is_held(const der::Strands& strands, std::size_t s) {
  const der::Clamps& clamps = strands.clamps(s);
  return clamps.root != der::Clamp::free || clamps.tip != der::Clamp::free || !strands.holds_of(s).empty();
}

StrandStatus judge(const Options& options, const der::Strands& strands, std::size_t s, const StrandOutcome& outcome) {
  if (outcome.imbalance <= options.tolerance)
    return outcome.negative_modes > 0 ? StrandStatus::unstable : StrandStatus::balanced;
  if (!is_held(strands, s)) return StrandStatus::not_held;
  return outcome.status == StrandStatus::balanced ? StrandStatus::stopped : outcome.status;
}

// By how much each element became stiffer, at its vertex.
std::vector<double> stiffness_factors(const der::RestState& before, const der::RestState& after) {
  const auto factor = [](double now, double then) { return then > 0.0 ? now / then : 1.0; };
  std::vector<double> out;
  for (std::size_t v = 0; v < before.bend_modulus.size(); ++v)
    out.push_back(std::max({factor(after.stretch_modulus[v], before.stretch_modulus[v]),
                            factor(after.bend_modulus[v], before.bend_modulus[v]),
                            factor(after.twist_modulus[v], before.twist_modulus[v])}));
  return out;
}

bool is_loaded(const Options& options, const der::Strands& strands, std::size_t s) {
  return options.gravity != Eigen::Vector3d::Zero() || !strands.groups()[strands.place(s).group].loads.empty();
}

// Sets with strands that a sweep did not bring into balance, or in other modes all; without strands that nothing holds,
// and those that are in balance because nothing pulls.
std::vector<std::vector<std::size_t>> left_over(const Options& options, const der::Strands& strands,
                                                const std::vector<StrandOutcome>& outcomes) {
  const auto is_swept = [&](std::size_t s) {
    return options.mode == Mode::sweep && is_determinate(strands, s) && outcomes[s].status != StrandStatus::bounded;
  };
  std::vector<std::vector<std::size_t>> sets = strand_sets(options, strands.size());
  for (std::vector<std::size_t>& set : sets) {
    std::erase_if(set, [&](std::size_t s) {
      const bool is_at_rest = !is_loaded(options, strands, s) && outcomes[s].imbalance_before <= options.tolerance;
      return !is_held(strands, s) || is_at_rest;
    });
    if (std::ranges::all_of(set, is_swept)) set.clear();
  }
  std::erase_if(sets, [](const auto& set) { return set.empty(); });
  return sets;
}

std::size_t count_of(const std::vector<std::vector<std::size_t>>& sets) {
  std::size_t count = 0;
  for (const auto& set : sets) count += set.size();
  return count;
}

Status seek(const Options& options, const der::State& state, const der::RestState& initial_rest, der::Strands& strands,
            std::vector<StrandOutcome>& outcomes) {
  if (options.mode == Mode::naive) return ok();
  const bool sweep_first = options.mode == Mode::sweep || options.start == Start::sweep;
  if (sweep_first) {
    Options first = options;
    if (options.mode != Mode::sweep) first.bound = CurvatureBound::box;  // as in the optimiser that starts there
    Status status = couples(options) ? sweep_in_common(first, state, strands, outcomes)
                                     : sweep(first, MuChoice::by_options, state, strands, outcomes);
    if (!status) return status;
  }
  const std::vector<std::vector<std::size_t>> sets = left_over(options, strands, outcomes);
  Progress progress(options.progress);
  progress.expect(strands.size());
  progress.add(strands.size() - count_of(sets));
  if (sets.empty()) return ok();
  der::RestState rest = strands.rest_state();
  der::Strands initial = strands;
  if (Status status = initial.set_rest(initial_rest); !status) return status;
  optimise_generally(options, state, initial, sets, sweep_first, progress, rest, outcomes);
  return strands.set_rest(std::move(rest));
}

Status check(const Options& options, std::size_t strands) {
  if (options.smoothness > 0.0 && options.sharing != Sharing::element)
    return Error{"smoothness", "stiffness that elements share has nothing to smooth; choose one of both"};
  if (!options.groups.empty() && options.groups.size() != strands)
    return Error{"groups", fmt::format("must have one entry per strand, {}, not {}", strands, options.groups.size())};
  return ok();
}

}  // namespace

Result<Outcome> optimise(const Options& options, const der::State& state, der::Strands& strands) {
  if (Status status = check(options, strands.size()); !status) return status.error();
  const Timer timer;
  Outcome outcome{std::vector<StrandOutcome>(strands.size()), {}, 0.0};
  const der::RestState rest = strands.rest_state();
  const std::vector<double> before = imbalances(strands, options.gravity, state);
  for (std::size_t s = 0; s < strands.size(); ++s) outcome.strands[s].imbalance_before = before[s];
  if (Status status = seek(options, state, rest, strands, outcome.strands); !status) return status.error();
  const std::vector<double> after = imbalances(strands, options.gravity, state);
  outcome.stiffness_factor = stiffness_factors(rest, strands.rest_state());
  for (std::size_t s = 0; s < strands.size(); ++s) {
    StrandOutcome& strand = outcome.strands[s];
    strand.imbalance = after[s];
    strand.status = judge(options, strands, s, strand);
    for (std::size_t i = 0; i < strands.vertices(s); ++i)
      strand.stiffness_factor = std::max(strand.stiffness_factor, outcome.stiffness_factor[strands.offset(s) + i]);
  }
  outcome.seconds = timer.seconds();
  return outcome;
}

}  // namespace tendril::sagfree
