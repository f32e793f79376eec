// From refinements to a verdict.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tendril/sim/validation.hpp"

namespace tendril::validation {

// What a quantity should be, and how well it must be met.
struct Expectation {
  std::string quantity, unit;
  double exact = 0.0;
  double tolerance = 0.0;            // relative, or absolute if exact is 0
  std::optional<double> order = {};  // of the error in 1/n; none: the finest value alone counts
  bool or_better = false;            // a higher order will do as well
  double round_off = 1e-11;          // errors below it (as `tolerance`) have no order
};

constexpr double order_slack = 0.3;

// Passes if the finest error is within the tolerance and the order between the two finest is the expected one.
CaseResult judge(const Expectation& expectation, std::span<const std::pair<int, double>> values);

// A single value at refinement n, where nothing converges.
CaseResult judge(const Expectation& expectation, int n, double value);

// The usual three: n, 2n, 4n.
constexpr std::array<int, 3> doubled(int n) { return {n, 2 * n, 4 * n}; }

// measure(n) for every n, judged.
template <class Measure>
CaseResult study(const Expectation& expectation, std::span<const int> refinements, Measure&& measure) {
  std::vector<std::pair<int, double>> values;
  for (const int n : refinements) values.emplace_back(n, measure(n));
  return judge(expectation, values);
}

// Several quantities from one set-up: measure(n) gives one value per expectation.
template <class Measure>
void study(const std::vector<Expectation>& expectations, std::span<const int> refinements, Measure&& measure,
           std::vector<CaseResult>& results) {
  std::vector<std::vector<std::pair<int, double>>> values(expectations.size());
  for (const int n : refinements) {
    const auto measured = measure(n);
    for (std::size_t q = 0; q < expectations.size(); ++q) values[q].emplace_back(n, measured[q]);
  }
  for (std::size_t q = 0; q < expectations.size(); ++q) results.push_back(judge(expectations[q], values[q]));
}

}  // namespace tendril::validation
