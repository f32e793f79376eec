// What links and joints of a set of chains do, and how points are brought to the lengths of their links.
#pragma once

#include <optional>
#include <string>

#include "tendril/rods/chain/method.hpp"

namespace tendril::chain {

struct Settings {
  double bending = 1.0;                    // share of the stiffness that the material has; 0: limp
  std::optional<double> compliance = 0.0;  // [m/N], of every link; 0: it keeps its length; nothing: its material's
  bool slack = false;                      // links may become shorter: a rope that pulls and never pushes
  // Methods that are there to compare know links alone, and some of them end elsewhere than where forces balance.
  Method method = Method::hybrid;
  std::optional<double> tolerance;  // as in Options; nothing: as the step needs (projection_tolerance)
  int max_iterations = 0;           // likewise; 0: as many as are usual

  bool keeps_lengths() const { return compliance == 0.0; }
};

// Why the method cannot do what is asked for, of strands that hang on each other too; nothing: it can.
std::optional<std::string> unfit_method(const Settings& settings, bool has_trees);

}  // namespace tendril::chain
