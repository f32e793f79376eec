#include "tendril/sagfree/optimise.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/sagfree/general.hpp"
#include "tendril/sagfree/imbalance.hpp"
#include "tendril/sagfree/progress.hpp"
#include "tendril/sagfree/shared_stiffness.hpp"
#include "tendril/sagfree/sweep.hpp"

namespace tendril::sagfree {
namespace {

StrandStatus judge(const Options& options, const der::Strands& strands, std::size_t s, const StrandOutcome& outcome) {
  if (outcome.imbalance <= options.tolerance)
    return outcome.negative_modes > 0 ? StrandStatus::unstable : StrandStatus::balanced;
  if (!is_held(strands, s)) return StrandStatus::not_held;
  if (options.mode == Mode::naive) return StrandStatus::sagging;
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

// Counts the negative modes of strands that are in balance as they come: they may be unstable all the same.
void count_negative_modes(const Options& options, const der::Strands& strands, const der::State& state,
                          const std::vector<double>& imbalance, std::vector<StrandOutcome>& outcomes) {
  const der::Targets targets = strands.make_targets();
  parallel_for(strands.size(), [&](std::size_t s) {
    if (imbalance[s] > options.tolerance) return;
    const der::Rod rod = der::extract(strands, targets, state, s);
    outcomes[s].negative_modes = der::StaticPotential(rod, options.gravity).negative_modes();
  });
}

// Sets with strands that a sweep did not bring into balance, or in other modes that are out of balance or unstable.
std::vector<std::vector<std::size_t>> left_over(const Options& options, const der::Strands& strands,
                                                const std::vector<StrandOutcome>& outcomes) {
  const auto is_done = [&](std::size_t s) {
    const StrandOutcome& outcome = outcomes[s];
    const bool is_swept = options.mode == Mode::sweep && is_determinate(strands, s);
    return is_swept ? outcome.status != StrandStatus::bounded
                    : outcome.imbalance_before <= options.tolerance && outcome.negative_modes == 0;
  };
  std::vector<std::vector<std::size_t>> sets = strand_sets(options, strands);
  std::erase_if(sets, [&](const auto& set) { return std::ranges::all_of(set, is_done); });
  return sets;
}

std::size_t count_of(const std::vector<std::vector<std::size_t>>& sets) {
  std::size_t count = 0;
  for (const auto& set : sets) count += set.size();
  return count;
}

// The sweep itself; for other modes only its mu, if none is given, for strands that it covers: to look for a stable one
// there would take an optimisation for every try.
Status begin(const Options& options, const der::State& state, der::Strands& strands,
             std::vector<StrandOutcome>& outcomes) {
  if (options.mode == Mode::sweep)
    return couples(options) ? sweep_in_common(options, state, strands, outcomes)
                            : sweep(options, MuChoice::by_options, state, strands, outcomes);
  if (options.mu) return ok();
  Options within_boxes = options;
  within_boxes.bound = CurvatureBound::box;  // as in the optimiser
  der::Strands copy = strands;
  std::vector<StrandOutcome> swept = outcomes;
  if (Status status = sweep(within_boxes, MuChoice::by_options, state, copy, swept); !status) return status;
  for (std::size_t s = 0; s < strands.size(); ++s) outcomes[s].mu = swept[s].mu;
  return ok();
}

Status seek(const Options& options, const der::State& state, const der::RestState& initial_rest, der::Strands& strands,
            std::vector<StrandOutcome>& outcomes) {
  if (options.mode == Mode::naive) return ok();
  if (Status status = begin(options, state, strands, outcomes); !status) return status;
  const std::vector<std::vector<std::size_t>> sets = left_over(options, strands, outcomes);
  Progress progress(options.progress);
  progress.expect(strands.size());
  progress.add(strands.size() - count_of(sets));
  if (sets.empty()) return ok();
  der::RestState rest = strands.rest_state();
  der::Strands initial = strands;
  if (Status status = initial.set_rest(initial_rest); !status) return status;
  optimise_generally(options, state, initial, sets, progress, rest, outcomes);
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
  if (options.check_stability) count_negative_modes(options, strands, state, before, outcome.strands);
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
