#include "tendril/sagfree/optimise.hpp"

#include <algorithm>

#include "tendril/base/timer.hpp"
#include "tendril/sagfree/general.hpp"
#include "tendril/sagfree/imbalance.hpp"
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

// Strands that are held somewhere, all or those that a sweep did not bring into balance.
std::vector<std::size_t> left_over(const Options& options, const der::Strands& strands,
                                   const std::vector<StrandOutcome>& outcomes) {
  std::vector<std::size_t> which;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const bool swept = is_determinate(strands, s) && outcomes[s].status != StrandStatus::bounded;
    if (is_held(strands, s) && !(options.mode == Mode::sweep && swept)) which.push_back(s);
  }
  return which;
}

Status seek(const Options& options, const der::State& state, const der::RestState& initial_rest, der::Strands& strands,
            std::vector<StrandOutcome>& outcomes) {
  if (options.mode == Mode::naive) return ok();
  const bool sweep_first = options.mode == Mode::sweep || options.start == Start::sweep;
  if (sweep_first)
    if (Status status = sweep(options, state, strands, outcomes); !status) return status;
  const std::vector<std::size_t> which = left_over(options, strands, outcomes);
  if (which.empty()) return ok();
  der::RestState rest = strands.rest_state();
  der::Strands initial = strands;
  if (Status status = initial.set_rest(initial_rest); !status) return status;
  optimise_generally(options, state, initial, which, sweep_first, rest, outcomes);
  return strands.set_rest(std::move(rest));
}

}  // namespace

Result<Outcome> optimise(const Options& options, const der::State& state, der::Strands& strands) {
  const Timer timer;
  Outcome outcome{std::vector<StrandOutcome>(strands.size()), {}, 0.0};
  const der::RestState rest = strands.rest_state();
  const std::vector<double> before = imbalances(strands, options.gravity, state);
  if (Status status = seek(options, state, rest, strands, outcome.strands); !status) return status.error();
  const std::vector<double> after = imbalances(strands, options.gravity, state);
  for (std::size_t s = 0; s < strands.size(); ++s) {
    StrandOutcome& strand = outcome.strands[s];
    strand.imbalance_before = before[s], strand.imbalance = after[s];
    strand.status = judge(options, strands, s, strand);
  }
  outcome.stiffness_factor = stiffness_factors(rest, strands.rest_state());
  outcome.seconds = timer.seconds();
  return outcome;
}

}  // namespace tendril::sagfree
