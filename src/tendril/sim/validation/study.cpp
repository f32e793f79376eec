#include "tendril/sim/validation/study.hpp"

#include <cmath>

namespace tendril::validation {

CaseResult judge(const Expectation& expectation, std::span<const std::pair<int, double>> values) {
  CaseResult result;
  result.quantity = expectation.quantity, result.unit = expectation.unit;
  result.exact = expectation.exact, result.tolerance = expectation.tolerance;
  result.expected_order = expectation.order;
  for (const auto& [n, value] : values) result.refinements.push_back({n, value, std::abs(value - expectation.exact)});
  const Refinement& finest = result.refinements.back();
  const auto relative = [&](double error) {
    return expectation.exact == 0.0 ? error : error / std::abs(expectation.exact);
  };
  result.ours = finest.value, result.error = finest.error, result.error_relative = relative(finest.error);
  result.pass = result.error_relative <= expectation.tolerance;  // a NaN is not
  if (!expectation.order || result.refinements.size() < 2) return result;
  if (result.error_relative <= expectation.round_off) return result;
  const Refinement& coarser = result.refinements[result.refinements.size() - 2];
  result.order = std::log(coarser.error / finest.error) / std::log(double(finest.n) / double(coarser.n));
  const double beyond = *result.order - *expectation.order;
  result.pass = result.pass && beyond >= -order_slack && (expectation.or_better || beyond <= order_slack);
  return result;
}

CaseResult judge(const Expectation& expectation, int n, double value) {
  const std::pair<int, double> single{n, value};
  return judge(expectation, {&single, 1});
}

}  // namespace tendril::validation
