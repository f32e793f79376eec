// A root of a function with derivative between two points where its signs differ: Newton's steps where they stay
// between and at least halve the last step, else halves (docs/theory/contact.md, "Real roots"). It always ends.
#pragma once

#include <cmath>
#include <limits>

namespace tendril::contact {

struct ValueAndSlope {
  double value, slope;
};

struct BracketedRoot {
  double at;
  int iterations;
};

// function(x) -> ValueAndSlope or the like, with values of different sign at low and high; `start` lies between them.
template <class Function>
BracketedRoot bracketed_newton(Function&& function, double low, double high, double start, bool rises) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  constexpr int limit = 200;  // halving alone needs fewer for any bracket from 1e-30 to 1e30 times the root
  double x = start, last_step = high - low;
  for (int iteration = 1; iteration <= limit; ++iteration) {
    const auto f = function(x);
    if (f.value == 0.0) return {x, iteration};
    ((f.value > 0.0) == rises ? high : low) = x;
    double next = x - f.value / f.slope;
    if (!(next > low && next < high) || 2.0 * std::abs(next - x) > std::abs(last_step)) next = 0.5 * (low + high);
    last_step = next - x;
    x = next;
    if (std::abs(last_step) <= 4.0 * epsilon * std::abs(x)) return {x, iteration};
  }
  return {x, limit};
}

}  // namespace tendril::contact
