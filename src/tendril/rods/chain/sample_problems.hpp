// Chains to be projected that bring their own memory, and samples of many kinds: for tests, benchmarks and experiments.
// Samples have unit links and unit masses, the root is held, and the start is a chain that has its lengths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/rods/chain/project.hpp"

namespace tendril::chain {

// One or more chains.
struct Problem {
  std::vector<Vector3d> prediction, start;
  std::vector<double> inverse_mass, length;
  std::vector<std::uint32_t> offsets = {0};

  Chains view() const { return {prediction, inverse_mass, length, offsets, start}; }
  void add(const Problem& other);
};

Projections project(const Problem& problem, const Options& options);

// The largest | |z| / l - 1 |.
double violation(const Problem& problem, std::span<const Vector3d> x);
// sqrt(sum m |x - y|^2) over the points that are not held.
double mass_norm(const Problem& problem, std::span<const Vector3d> x, std::span<const Vector3d> y);

// In directions that turn by some `turn` radians an axis from link to link.
std::vector<Vector3d> random_chain(std::uint64_t seed, std::size_t points, double turn = 0.25);

// Every point astray by `noise` an axis.
Problem noisy_chain(std::uint64_t seed, std::size_t points, double noise);
// All but the root fallen by so much.
Problem dropped_chain(std::uint64_t seed, std::size_t points, double by);
// Drawn together to the root by a share; smoother with less turn, and then nearer to buckling in many ways.
Problem compressed_chain(std::uint64_t seed, std::size_t points, double share, double turn = 0.25);
// Every third point 10⁶ times as heavy.
Problem with_heavy_points(std::uint64_t seed, Problem problem);
// The root alone pulled back along the first link.
Problem jerked_chain(std::uint64_t seed, std::size_t points, double by, double tip_mass);
// Straight down, directions off by 0.02, the root lifted by half a link.
Problem taut_rope(std::uint64_t seed, std::size_t points, double load);

}  // namespace tendril::chain
