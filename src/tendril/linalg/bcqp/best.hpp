// The point of lowest objective that a method has seen: what it gives back if it fails.
#pragma once

#include <limits>

#include "tendril/linalg/bcqp/matrix.hpp"

namespace tendril::bcqp {

struct Best {
  Vector x;
  double value = std::numeric_limits<double>::infinity();

  void begin(const Vector& start) {
    x = start;
    value = std::numeric_limits<double>::infinity();
  }
  void offer(const Vector& candidate, double its_value) {
    if (!(its_value < value)) return;
    x = candidate;
    value = its_value;
  }
};

}  // namespace tendril::bcqp
