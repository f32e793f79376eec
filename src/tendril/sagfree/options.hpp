// How a rest state is sought under which a strand keeps its drawn shape (docs/theory/sag-free.md).
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "tendril/sagfree/sweep_kernels.hpp"

namespace tendril::sagfree {

enum class Mode : std::uint8_t {
  naive,       // the drawn shape is the rest shape: strands sag
  rest_shape,  // rest lengths, curvatures and twists alone, by least squares
  penalty,     // stiffness too, force balance as a penalty
  full,        // the same with multipliers (augmented Lagrangian): the balance is met where it can be
  sweep,       // the same optimum, element by element; for strands that are clamped at the root alone
};

// Where the general optimiser starts.
enum class Start : std::uint8_t {
  drawn,  // at the initial rest state
  sweep,  // at the sweep's, for strands that it covers
};

// Which elements have their factors on stiffness in common; there is one each for bending, twisting and stretching.
enum class Sharing : std::uint8_t {
  element,  // none
  strand,   // those of a strand
  group,    // those of all strands of a group
};

// Of the general optimiser, to compare with: how it stores its matrices, and which components of rest curvature are
// variables; with two, the others are turned after them.
enum class Storage : std::uint8_t { banded, sparse };
enum class CurvatureVariables : std::uint8_t { two, four };

std::string_view name(Mode mode);
std::optional<Mode> mode_named(std::string_view name);

struct Options {
  Mode mode = Mode::sweep;
  Eigen::Vector3d gravity = {0.0, -9.81, 0.0};  // [m/s2]
  std::optional<double> mu;   // largest change of rest curvature; nothing: the largest, of 1, 1/2, ..., that is stable
  double twist_share = 0.25;  // largest change of rest twist [rad], over mu
  CurvatureBound bound = CurvatureBound::disc;
  double shortest = 0.1, longest = 2.0;  // rest length over drawn length
  double floor = 1e-10;                  // smallest and largest factor on the stiffness of an element
  double cap = std::numeric_limits<double>::infinity();
  double stiffness_weight = 1e5, rest_weight = 1.0;  // of changes, stiffness over its mean
  Sharing sharing = Sharing::element;
  std::vector<int> groups;  // of strands, for Sharing::group; empty: all are one
  double smoothness = 0.0;  // weight of differences between changes of neighbouring stiffness, over stiffness_weight
  double tolerance = 1e-6;  // on the imbalance: net force over load
  bool check_stability = true;  // needed to choose mu
  Start start = Start::drawn;   // of the general optimiser; not of strands that a sweep hands on
  bool growth = false;          // of its penalty, where the balance improves too slowly
  int max_iterations = 300;     // of Newton's method in it
  Storage storage = Storage::banded;
  CurvatureVariables curvature_variables = CurvatureVariables::two;
  std::function<void(std::size_t strands, std::size_t of)> progress;  // called now and then, by one thread at a time

  // mu is lowered until the slowest vibration has this share of g/L, the square of a pendulum's frequency: a strand
  // that is barely stable would come back too slowly.
  static constexpr double margin = 0.25;
  static constexpr double largest_mu = 1.0;
  static constexpr int most_halvings = 12;  // of mu
  static constexpr int bisections = 2;      // between the last unstable mu and the first stable one
};

}  // namespace tendril::sagfree
