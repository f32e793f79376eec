// Runs the rivals of the projection on chains in blocks, as their kernels take them.
#pragma once

#include <cstddef>
#include <vector>

#include "support/chains.hpp"
#include "tendril/rods/chain/rival_kernels.hpp"

namespace tendril::testing {

struct Found {
  std::vector<Vector3d> positions;
  std::vector<double> multipliers;
  chain::Status status = chain::Status::bad_input;
  int iterations = 0;
  double residual = 0.0;
  bool certified = false;
};

// Chains in blocks, as many as there are lanes, the last one repeated in lanes that are left; all filled up to the
// longest of the block and `more` points. `compliance` [1/kg] is that of all links.
template <class T>
std::vector<Found> run_as(Isa isa, const chain::RivalOptions& options, const std::vector<ChainCase>& chains,
                          double compliance = 0.0, std::size_t more = 0);
// In doubles.
std::vector<Found> run(Isa isa, const chain::RivalOptions& options, const std::vector<ChainCase>& chains,
                       double compliance = 0.0, std::size_t more = 0);
// Of one chain by the plain code.
Found run(const chain::RivalOptions& options, const ChainCase& chain, double compliance = 0.0);

}  // namespace tendril::testing
