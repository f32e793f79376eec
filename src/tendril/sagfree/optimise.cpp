#include "tendril/sagfree/optimise.hpp"

#include <algorithm>

#include "tendril/base/timer.hpp"
#include "tendril/sagfree/imbalance.hpp"
#include "tendril/sagfree/sweep.hpp"

namespace tendril::sagfree {
namespace {

StrandStatus judge(const Options& options, const der::Strands& strands, std::size_t s, const StrandOutcome& outcome) {
  if (outcome.imbalance <= options.tolerance)
    return outcome.negative_modes > 0 ? StrandStatus::unstable : StrandStatus::balanced;
  const der::Clamps& clamps = strands.clamps(s);
  if (clamps.root == der::Clamp::free && clamps.tip == der::Clamp::free && strands.holds_of(s).empty())
    return StrandStatus::not_held;
  if (!is_determinate(strands, s)) return StrandStatus::overheld;
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

}  // namespace

Result<Outcome> optimise(const Options& options, const der::State& state, der::Strands& strands) {
  if (options.mode != Mode::sweep && options.mode != Mode::naive)
    return Error{"mode", "the general optimiser is not built yet; there are sweep and naive"};
  const Timer timer;
  Outcome outcome{std::vector<StrandOutcome>(strands.size()), {}, 0.0};
  const der::RestState rest = strands.rest_state();
  const std::vector<double> before = imbalances(strands, options.gravity, state);
  if (options.mode == Mode::sweep)
    if (Status status = sweep(options, state, strands, outcome.strands); !status) return status.error();
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
