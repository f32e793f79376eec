#include "support/chain_trees.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::testing {

Vector3d normal_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

TreeCase random_tree(std::uint64_t seed, std::size_t nodes, double noise) {
  Random random(seed);
  TreeCase made;
  made.start = {Vector3d::Zero()}, made.parents = {no_parent};
  for (std::size_t i = 1; i < nodes; ++i) {
    made.parents.push_back(std::uint32_t(random.below(i)));
    made.start.push_back(made.start[made.parents[i]] + normal_vector(random).normalized());
  }
  made.prediction = made.start;
  for (std::size_t i = 1; i < nodes; ++i) made.prediction[i] += noise * normal_vector(random);
  made.inverse_mass.assign(nodes, 1.0), made.inverse_mass[0] = 0.0;
  made.length.assign(nodes, 1.0);
  return made;
}

TreeCase uneven_tree(std::uint64_t seed, std::size_t nodes, double noise) {
  TreeCase made = random_tree(seed, nodes, 0.0);
  Random random(seed + 1000);
  for (std::size_t i = 1; i < nodes; ++i) {
    made.inverse_mass[i] = std::pow(10.0, random.uniform(-1.0, 1.0));
    made.length[i] = std::pow(10.0, random.uniform(-0.5, 0.5));
  }
  const std::vector<Vector3d> unit = made.start;
  for (std::size_t i = 1; i < nodes; ++i) {
    const std::uint32_t parent = made.parents[i];
    made.start[i] = made.start[parent] + made.length[i] * (unit[i] - unit[parent]);
    made.prediction[i] = made.start[i] + noise * made.length[i] * normal_vector(random);
  }
  return made;
}

TreeCase tree_of_chain(const ChainCase& chain) {
  TreeCase made{chain.prediction, chain.start, chain.inverse_mass, {1.0}, {no_parent}};
  made.length.insert(made.length.end(), chain.length.begin(), chain.length.end());
  for (std::uint32_t i = 0; i + 1 < chain.prediction.size(); ++i) made.parents.push_back(i);
  return made;
}

chain::Options exact_options() {
  chain::Options options;
  options.tolerance = 1e-12;
  return options;
}

double objective(const TreeCase& tree, std::span<const Vector3d> x) {
  double twice = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) twice += tree.mass(i) * (x[i] - tree.prediction[i]).squaredNorm();
  return 0.5 * twice;
}

double violation(const TreeCase& tree, std::span<const Vector3d> x) {
  double worst = 0.0;
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree.parents[i] != no_parent)
      worst = std::max(worst, std::abs((x[tree.parents[i]] - x[i]).norm() / tree.length[i] - 1.0));
  return worst;
}

double imbalance(const TreeCase& tree, const chain::TreeProjection& found) {
  std::vector<Vector3d> sum(tree.size());
  for (std::size_t i = 0; i < tree.size(); ++i) sum[i] = tree.mass(i) * (found.positions[i] - tree.prediction[i]);
  for (std::size_t i = 0; i < tree.size(); ++i) {
    if (tree.parents[i] == no_parent) continue;
    const Vector3d force = found.multipliers[i] * (found.positions[tree.parents[i]] - found.positions[i]);
    sum[tree.parents[i]] += force, sum[i] -= force;
  }
  double worst = 0.0;
  for (std::size_t i = 0; i < tree.size(); ++i)
    if (tree.inverse_mass[i] > 0.0) worst = std::max(worst, sum[i].norm());
  return worst;
}

}  // namespace tendril::testing
