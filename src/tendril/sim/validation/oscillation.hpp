// The zeros of a quantity that is seen once per step.
#pragma once

#include <vector>

namespace tendril::validation {

struct ZeroCrossings {
  std::vector<double> steps;  // where the quantity changed its sign, in steps from the start, between them by a line

  void see(double value) {
    ++seen_;
    if (seen_ > 1 && (value > 0.0) != (before_ > 0.0)) steps.push_back(seen_ - value / (value - before_));
    before_ = value;
  }

 private:
  int seen_ = 0;
  double before_ = 0.0;
};

}  // namespace tendril::validation
