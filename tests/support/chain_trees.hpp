// Trees of points to be projected, that bring their own memory, and what their projections are judged by.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "support/chains.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/tree.hpp"

namespace tendril::testing {

using chain::no_parent;

// A tree with its own memory.
struct TreeCase {
  std::vector<Vector3d> prediction, start;
  std::vector<double> inverse_mass, length;
  std::vector<std::uint32_t> parents;

  std::size_t size() const { return parents.size(); }
  chain::Tree view() const { return {prediction, inverse_mass, length, parents, start}; }
  double mass(std::size_t i) const { return inverse_mass[i] > 0.0 ? 1.0 / inverse_mass[i] : 0.0; }
};

Vector3d normal_vector(Random& random);

// Every node hangs on one of those before it; unit masses and lengths, the root held. The start has its lengths, and
// the prediction is off it by `noise`.
TreeCase random_tree(std::uint64_t seed, std::size_t nodes, double noise);
// Masses and lengths over two decades and one.
TreeCase uneven_tree(std::uint64_t seed, std::size_t nodes, double noise);
TreeCase tree_of_chain(const ChainCase& chain);
chain::Options exact_options();
double objective(const TreeCase& tree, std::span<const Vector3d> x);
// The largest | |z| / l - 1 |.
double violation(const TreeCase& tree, std::span<const Vector3d> x);
// The largest |m (x - p) + sum lam z| of a node that is not held, the forces of links taken one by one.
double imbalance(const TreeCase& tree, const chain::TreeProjection& found);

}  // namespace tendril::testing
