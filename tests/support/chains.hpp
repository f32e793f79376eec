// Chains for tests: reference cases, and random chains with predictions of many kinds.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tendril/rods/chain/project.hpp"

namespace tendril::testing {

using Eigen::Vector3d;

// One or more chains with their own memory.
struct ChainCase {
  std::vector<Vector3d> prediction, start;
  std::vector<double> inverse_mass, length;
  std::vector<std::uint32_t> offsets = {0};

  chain::Chains view() const { return {prediction, inverse_mass, length, offsets, start}; }
  void add(const ChainCase& other);
};

nlohmann::json chain_reference(const std::string& name);  // of "cases", "kkt", ...
std::vector<Vector3d> vectors(const nlohmann::json& rows);
ChainCase chain_case(const nlohmann::json& from);

// A chain of unit links that keeps its lengths, in random directions that turn by some `turn` radians an axis from link
// to link.
std::vector<Vector3d> random_chain(std::uint64_t seed, std::size_t points, double turn = 0.25);

// Root held, unit masses; each prediction from a feasible chain, which is the start.
ChainCase noisy_chain(std::uint64_t seed, std::size_t points, double noise);
ChainCase dropped_chain(std::uint64_t seed, std::size_t points, double by);
ChainCase compressed_chain(std::uint64_t seed, std::size_t points, double share);
ChainCase jerked_chain(std::uint64_t seed, std::size_t points, double by, double tip_mass);
// Straight down, directions off by 0.02, the root lifted by half a link.
ChainCase taut_rope(std::uint64_t seed, std::size_t points, double load);

chain::Projections project(const ChainCase& chains, const chain::Options& options);

// The largest | |z| / l - 1 |.
double violation(const ChainCase& chains, std::span<const Vector3d> x);
// sum m |x - y|^2 over free points, and the root of it.
double mass_norm(const ChainCase& chains, std::span<const Vector3d> x, std::span<const Vector3d> y);

}  // namespace tendril::testing
