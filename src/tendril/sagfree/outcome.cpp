#include "tendril/sagfree/outcome.hpp"

#include <algorithm>

namespace tendril::sagfree {
namespace {

bool is_converged(const StrandOutcome& outcome) {
  return outcome.status == StrandStatus::balanced || outcome.status == StrandStatus::unstable;
}

double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  const auto middle = values.begin() + std::ptrdiff_t(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

std::string_view name(StrandStatus status) {
  switch (status) {
    case StrandStatus::balanced: return "balanced";
    case StrandStatus::unstable: return "unstable";
    case StrandStatus::bounded: return "bounded";
    case StrandStatus::stopped: return "stopped";
    case StrandStatus::not_held: return "not-held";
    case StrandStatus::sagging: return "sagging";
  }
  return "";
}

std::string_view meaning(StrandStatus status) {
  switch (status) {
    case StrandStatus::balanced: return "in stable equilibrium as drawn";
    case StrandStatus::unstable: return "in equilibrium as drawn, but a slight push makes it leave";
    case StrandStatus::bounded: return "the bounds on rest shape and stiffness leave a net force";
    case StrandStatus::stopped: return "the optimiser ended before the forces were balanced";
    case StrandStatus::sagging: return "out of balance as drawn, and left so";
    case StrandStatus::not_held: return "nothing holds it, so no rest shape can carry its weight";
  }
  return "";
}

Summary summarise(const std::vector<StrandOutcome>& strands) {
  Summary sum;
  sum.strands = strands.size();
  std::vector<double> before, after, factor, mu;
  for (const StrandOutcome& outcome : strands) {
    sum.unstable += outcome.status == StrandStatus::unstable;
    sum.newton_mean += outcome.newton_iterations / double(strands.size());
    sum.qp_iterations_mean += outcome.qp_iterations / double(strands.size());
    if (!is_converged(outcome)) continue;
    before.push_back(outcome.imbalance_before), after.push_back(outcome.imbalance);
    factor.push_back(outcome.stiffness_factor), mu.push_back(outcome.mu);
  }
  sum.converged = after.size(), sum.failed = strands.size() - after.size();
  if (after.empty()) return sum;
  sum.imbalance_max = std::ranges::max(after), sum.stiffness_factor_max = std::ranges::max(factor);
  sum.mu_min = std::ranges::min(mu), sum.mu_median = median(std::move(mu));
  sum.imbalance_before_median = median(std::move(before)), sum.imbalance_median = median(std::move(after));
  sum.stiffness_factor_median = median(std::move(factor));
  return sum;
}

}  // namespace tendril::sagfree
