// Ticks of an axis at values that people like to read: 1, 2 or 5 times a power of ten apart; on logarithmic axes at
// powers of ten, with smaller ticks between them. Labels are made from whole numbers, never from rounded sums of steps.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tendril/plot/scale.hpp"

namespace tendril::plot {

struct Tick {
  long double value = 0.0L;
  std::string label;  // empty: a small tick
};

struct Ticks {
  Ends ends;                // of the axis, rounded outwards if that was asked for
  std::vector<Tick> ticks;  // within the ends, ascending
  std::string offset;       // not empty: labels count from this value, which would be too long to repeat at every tick

  std::size_t longest_label() const;  // in characters
};

enum class AxisEnds { exact, on_ticks };

// About `wanted` labelled ticks (at least 2), seldom more than half as many again.
// Of `whole` numbers linear ticks are at least 1 apart.
Ticks make_ticks(AxisKind kind, const Ends& ends, int wanted, AxisEnds where, bool whole = false);

}  // namespace tendril::plot
