// Reference cases of chains.
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::testing {

using ChainCase = chain::Problem;
using chain::compressed_chain, chain::dropped_chain, chain::jerked_chain, chain::mass_norm, chain::noisy_chain,
    chain::project, chain::random_chain, chain::taut_rope, chain::violation;
using Eigen::Vector3d;

nlohmann::json chain_reference(const std::string& name);  // of "cases", "kkt", ...
std::vector<Vector3d> vectors(const nlohmann::json& rows);
ChainCase chain_case(const nlohmann::json& from);
// To 1e-12, as far as tests ask.
chain::Options tight();
// The largest distance; infinite if there are not as many.
double apart(std::span<const Vector3d> a, std::span<const Vector3d> b);

}  // namespace tendril::testing
