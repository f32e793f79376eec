// Chains to be projected, and a run: the points of a chain from one held point, or its end, to the next.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <string_view>

#include "tendril/linalg/isa.hpp"
#include "tendril/rods/chain/method.hpp"
#include "tendril/rods/chain/project_kernels.hpp"

namespace tendril::chain {

using Eigen::Vector3d;

std::string_view name(Status status);
std::string_view meaning(Status status);  // in a sentence, for users

// Of a tree: parents[i] < i is the point that the link of point i leads to, and link i - 1 is that link. Empty: it is a
// chain, whose point i has its link from point i - 1.
using Parents = std::span<const std::uint32_t>;
// Where link i begins; it ends at point i + 1.
inline std::size_t upper_end(Parents parents, std::size_t link) { return parents.empty() ? link : parents[link + 1]; }
// Whether the link that ends at point i + 1 begins at point i.
inline bool goes_on(Parents parents, std::size_t i) { return upper_end(parents, i) == i; }

// What resists bending (docs/theory/chain.md, Eq. 24): joint i by half of its stiffness times the square of
// share_{i-1} z_{i-1} - share_i z_i - rest_i. Rivals do not look at it. Empty: nothing does.
struct Joints {
  std::span<const double> stiffness = {};  // [kg m²] with shares 1/length, [kg] with shares 1; of points
  std::span<const double> share = {};      // [1/m] or 1, of links
  // Of points. That of a first point is the direction its link is to have, that of a last one the opposite of it.
  std::span<const Vector3d> rest = {};
  Parents parents = {};  // as of Chains. Where links branch only one of them may have a joint, that to the next point
};

// Chains one after the other: chain c has the points offsets[c] .. offsets[c + 1] - 1, and one link less.
struct Chains {
  std::span<const Vector3d> prediction;     // [m]
  std::span<const double> inverse_mass;     // [1/kg]; 0: held at its prediction
  std::span<const double> length;           // [m], of links
  std::span<const std::uint32_t> offsets;   // begins with 0
  std::span<const Vector3d> start = {};     // [m]; empty: the prediction
  std::span<const double> compliance = {};  // [1/kg], of links, over dt^2; empty: none. Of rivals xpbd looks at it
  Joints joints = {};
  bool slack = false;  // links may be shorter than their lengths. Rivals do not look at it
  // Chains that branch: of points, counted from the first of their chain. What is held hangs together at the first
  // point. By the methods hybrid and newton only, in doubles.
  Parents parents = {};
  std::span<const double> tolerance = {};  // of chains, as in Options; empty: that of the options

  std::size_t size() const { return offsets.empty() ? 0 : offsets.size() - 1; }
};

struct Options {
  Method method = Method::hybrid;
  // Of the residual: how far points would still go, over the mean link; single precision reaches 1e-5. Of fast, pbd,
  // xpbd and shake: of the lengths.
  double tolerance = 1e-6;
  // 0: 1000, of which hair takes 2 to 11; smooth chains that are pushed together may buckle in many ways and take
  // hundreds (docs/experiments/chain.md, e2). pbd and xpbd: 10000.
  int max_iterations = 0;
  bool single_precision = false;
  Isa isa = active_isa();
};

struct Outcome {
  Status status = Status::ok;
  int iterations = 0;
  double residual = 0.0;  // as in the tolerance
  bool certified = true;  // no other chain is closer
};

// Those of chain c.
Options options_of(const Chains& chains, std::uint32_t c, Options options);

// What is worse of two pieces is what they are together; without a residual if one has none (it is NaN).
void add(const Outcome& piece, Outcome& whole);

// Whether a chain in double precision has come near enough to a solution for a certificate to mean something.
bool is_stationary(Status status, double residual, const Options& options);

// As the options say, or as many as are usual.
int iteration_limit(const Options& options);

// Its point i is the point first ± i of all chains, its first one held unless none is.
struct Run {
  std::uint32_t chain = 0, first = 0, points = 0;
  bool backwards = false;

  std::uint32_t point(std::uint32_t i) const { return backwards ? first - i : first + i; }
  // The link from point i to i + 1, numbered through all chains.
  std::uint32_t link(std::uint32_t i) const { return (backwards ? first - i - 1 : first + i) - chain; }
};

}  // namespace tendril::chain
