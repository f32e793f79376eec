// Projections of trees of points onto links of given lengths (docs/theory/chain.md, Trees).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "support/chain_trees.hpp"

namespace tendril::testing {
namespace {

using chain::Status;

void expect_solved(const TreeCase& tree, const chain::TreeProjection& found, double tolerance) {
  EXPECT_EQ(chain::name(found.outcome.status), "ok") << found.outcome.residual;
  EXPECT_LE(found.outcome.residual, 1e-12);
  EXPECT_LT(violation(tree, found.positions), 1e-13);
  EXPECT_LT(imbalance(tree, found), tolerance);
}

TEST(ChainTree, ATreeThatIsAChainIsProjectedAsAChain) {
  std::vector<ChainCase> cases;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    for (const double noise : {0.01, 0.3, 3.0}) cases.push_back(noisy_chain(seed, 40, noise));
    for (const double by : {0.1, 10.0}) cases.push_back(dropped_chain(seed, 40, by));
    cases.push_back(compressed_chain(seed, 40, 0.05));
    for (const double mass : {1.0, 1e4}) cases.push_back(jerked_chain(seed, 40, 0.1, mass));
    cases.push_back(taut_rope(seed, 40, 1e2));
    cases.push_back(noisy_chain(seed, 40, 0.3)), cases.back().inverse_mass[0] = 1.0;  // free
  }
  for (std::size_t c = 0; c < cases.size(); ++c) {
    const chain::Projections expected = project(cases[c], exact_options());
    const TreeCase tree = tree_of_chain(cases[c]);
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    EXPECT_LT(apart(found.positions, expected.positions), 1e-10) << c;
    for (std::size_t i = 0; i < expected.multipliers.size(); ++i)
      EXPECT_NEAR(found.multipliers[i + 1], expected.multipliers[i], 1e-9 * (1.0 + std::abs(expected.multipliers[i])));
    EXPECT_EQ(found.outcome.certified, expected.chains[0].certified) << c;
    EXPECT_EQ(chain::name(found.outcome.status), chain::name(expected.chains[0].status)) << c;
  }
}

TEST(ChainTree, ReferenceChainsWithOneHeldPointOrNone) {
  int in_all = 0;
  const nlohmann::json data = chain_reference("cases");
  for (const nlohmann::json& from : data["cases"]) {
    SCOPED_TRACE(from["name"].get<std::string>());
    const ChainCase chain = chain_case(from);
    if (std::ranges::count(chain.inverse_mass, 0.0) > 1) continue;
    ++in_all;
    chain::Options options = exact_options();
    options.max_iterations = 400;
    const TreeCase tree = tree_of_chain(chain);
    const chain::TreeProjection found = chain::project_tree(tree.view(), options);
    EXPECT_LE(found.outcome.status, Status::round_off) << found.outcome.residual;
    EXPECT_LT(violation(tree, found.positions), 1e-12);
    const nlohmann::json& expected = from["expected"];
    const double best = expected["objective"];
    EXPECT_NEAR(objective(tree, found.positions), best, 1e-10 * best);
    if (!from["unique"].get<bool>()) continue;
    const std::vector<Vector3d> x = vectors(expected["x"]);
    EXPECT_LT(mass_norm(chain, found.positions, x),
              from["tol_x_rel"].get<double>() * mass_norm(chain, chain.prediction, x));
    EXPECT_EQ(found.outcome.certified, expected["certified_global"].get<bool>());
  }
  EXPECT_GT(in_all, 10);
}

TEST(ChainTree, ConvergesInFewIterations) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const TreeCase tree = random_tree(seed, 30, 0.3);
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    expect_solved(tree, found, 1e-11);
    EXPECT_LE(found.outcome.iterations, 10) << seed;
    EXPECT_EQ(found.positions[0], tree.prediction[0]);
    EXPECT_EQ(found.multipliers[0], 0.0);
  }
}

TEST(ChainTree, ConvergesQuadratically) {
  const TreeCase tree = random_tree(3, 30, 0.3);
  const chain::TreeProjection exact = chain::project_tree(tree.view(), exact_options());
  std::vector<double> errors;
  for (int k = 1; k < exact.outcome.iterations; ++k) {
    chain::Options options = exact_options();
    options.max_iterations = k, options.method = chain::Method::newton;
    const chain::TreeProjection found = chain::project_tree(tree.view(), options);
    EXPECT_LT(violation(tree, found.positions), 1e-13);  // wherever it ends
    errors.push_back(apart(found.positions, exact.positions));
  }
  int seen = 0;
  for (std::size_t k = 0; k + 1 < errors.size(); ++k) {
    if (errors[k] > 1e-2 || errors[k] < 1e-7) continue;
    EXPECT_GT(std::log(errors[k + 1]) / std::log(errors[k]), 1.7);
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

TEST(ChainTree, EveryMethodFindsTheSameTree) {
  const TreeCase tree = random_tree(5, 30, 0.1);
  const chain::TreeProjection exact = chain::project_tree(tree.view(), exact_options());
  for (const chain::Method method : {chain::Method::newton, chain::Method::two_stage}) {
    chain::Options options = exact_options();
    options.method = method, options.max_iterations = 400;
    const chain::TreeProjection found = chain::project_tree(tree.view(), options);
    EXPECT_LT(apart(found.positions, exact.positions), 1e-10);
  }
}

TEST(ChainTree, UnequalMassesAndLengthsConverge) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    TreeCase tree = uneven_tree(seed, 30, 0.3);
    if (seed % 2 == 1) tree.inverse_mass[0] = 0.5;
    expect_solved(tree, chain::project_tree(tree.view(), exact_options()), 1e-10);
  }
  for (const double load : {1e2, 1e4, 1e6}) {
    TreeCase tree = random_tree(9, 30, 0.1);
    tree.inverse_mass[29] = 1.0 / load;
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    EXPECT_LE(found.outcome.status, Status::round_off);
    EXPECT_LT(found.outcome.residual, 1e-11) << load;
    EXPECT_LT(imbalance(tree, found), 1e-11 * load);
  }
}

// No tree with these links is closer: neither near by, nor, as this solution is certified, anywhere.
TEST(ChainTree, NoOtherTreeIsCloser) {
  const TreeCase tree = random_tree(11, 30, 0.3);
  const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
  ASSERT_TRUE(found.outcome.certified);
  const double best = objective(tree, found.positions);
  Random random(4);
  std::vector<Vector3d> x(tree.size());
  const auto turn = [&](std::span<const Vector3d> by, double size) {
    x[0] = found.positions[0];
    for (std::size_t i = 1; i < x.size(); ++i) {
      const Vector3d link = found.positions[i] - found.positions[tree.parents[i]];
      x[i] = x[tree.parents[i]] + (link + size * by[i]).normalized();
    }
    return objective(tree, x);
  };
  for (int k = 0; k < 3000; ++k) {
    std::vector<Vector3d> by(tree.size());
    for (Vector3d& direction : by) direction = normal_vector(random);
    for (const double size : {1e-3, 0.1, 10.0}) EXPECT_GE(turn(by, size), best * (1.0 - 1e-14));
    if (k >= 20) continue;
    const double ahead = turn(by, 1e-5), behind = turn(by, -1e-5);
    EXPECT_LT(std::abs(ahead - behind) / 2e-5, 1e-6);
    EXPECT_GT(ahead + behind, 2.0 * best);
  }
}

TEST(ChainTree, AFreeTreeKeepsItsCentreOfMass) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    TreeCase tree = uneven_tree(seed, 30, 0.3);
    tree.inverse_mass[0] = 2.0;
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    expect_solved(tree, found, 1e-10);
    Vector3d moved = Vector3d::Zero();
    double mass = 0.0;
    for (std::size_t i = 0; i < tree.size(); ++i)
      moved += tree.mass(i) * (found.positions[i] - tree.prediction[i]), mass += tree.mass(i);
    EXPECT_LT(moved.norm() / mass, 1e-14);
  }
}

// Nodes of several trees in turn, as a forest, and each tree by itself.
TEST(ChainTree, SeveralTreesDoNotSeeEachOther) {
  std::vector<TreeCase> trees;
  for (std::uint64_t seed = 0; seed < 4; ++seed) trees.push_back(random_tree(seed, 12, 0.2 + 0.2 * double(seed)));
  trees[1].inverse_mass[0] = 1.0;
  TreeCase forest;
  for (std::uint32_t i = 0; i < 12; ++i)
    for (std::uint32_t t = 0; t < 4; ++t) {
      const std::uint32_t parent = trees[t].parents[i];
      forest.prediction.push_back(trees[t].prediction[i]), forest.start.push_back(trees[t].start[i]);
      forest.inverse_mass.push_back(trees[t].inverse_mass[i]), forest.length.push_back(trees[t].length[i]);
      forest.parents.push_back(parent == no_parent ? no_parent : 4 * parent + t);
    }
  // And nodes by themselves, one free and one held, whose lengths nobody looks at.
  for (const double w : {1.0, 0.0}) {
    forest.prediction.emplace_back(5.0, 6.0, 7.0), forest.start.emplace_back(0.0, 0.0, 0.0);
    forest.inverse_mass.push_back(w), forest.length.push_back(-1.0), forest.parents.push_back(no_parent);
  }
  const chain::TreeProjection all = chain::project_tree(forest.view(), exact_options());
  EXPECT_EQ(all.outcome.status, Status::ok);
  int iterations = 0;
  for (std::uint32_t t = 0; t < 4; ++t) {
    const chain::TreeProjection one = chain::project_tree(trees[t].view(), exact_options());
    iterations = std::max(iterations, one.outcome.iterations);
    for (std::uint32_t i = 0; i < 12; ++i) {
      EXPECT_EQ(all.positions[4 * i + t], one.positions[i]);
      EXPECT_EQ(all.multipliers[4 * i + t], one.multipliers[i]);
    }
  }
  EXPECT_EQ(all.outcome.iterations, iterations);
  EXPECT_EQ(all.positions[48], Vector3d(5.0, 6.0, 7.0));
  EXPECT_EQ(all.positions[49], Vector3d(5.0, 6.0, 7.0));
}

// The nodes of `tree` in another order: node i becomes to[i].
TreeCase reordered(const TreeCase& tree, std::span<const std::uint32_t> to) {
  TreeCase made = tree;
  for (std::size_t i = 0; i < tree.size(); ++i) {
    made.prediction[to[i]] = tree.prediction[i], made.start[to[i]] = tree.start[i];
    made.inverse_mass[to[i]] = tree.inverse_mass[i], made.length[to[i]] = tree.length[i];
    made.parents[to[i]] = tree.parents[i] == no_parent ? no_parent : to[tree.parents[i]];
  }
  return made;
}

TEST(ChainTree, TheOrderOfNodesDoesNotMatter) {
  const TreeCase tree = uneven_tree(21, 40, 0.3);
  const chain::TreeProjection expected = chain::project_tree(tree.view(), exact_options());
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Random random(seed);
    std::vector<std::uint32_t> to(tree.size());
    std::iota(to.begin(), to.end(), 0u);
    for (std::size_t i = to.size(); i-- > 1;) std::swap(to[i], to[random.below(i + 1)]);
    const TreeCase other = reordered(tree, to);
    const chain::TreeProjection found = chain::project_tree(other.view(), exact_options());
    expect_solved(other, found, 1e-10);
    for (std::size_t i = 0; i < tree.size(); ++i) {
      EXPECT_LT((found.positions[to[i]] - expected.positions[i]).norm(), 1e-11);
      EXPECT_NEAR(found.multipliers[to[i]], expected.multipliers[i], 1e-11);
    }
  }
}

// It does not matter which way links point, so any one node may be held.
TEST(ChainTree, AnyOneNodeMayBeHeld) {
  for (const std::uint32_t held : {1u, 7u, 29u}) {
    TreeCase tree = random_tree(13, 30, 0.3);
    tree.inverse_mass[0] = 1.0, tree.inverse_mass[held] = 0.0;
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    expect_solved(tree, found, 1e-11);
    EXPECT_EQ(found.positions[held], tree.prediction[held]);
    EXPECT_EQ(found.multipliers[0], 0.0);
  }
}

TEST(ChainTree, AStarOfManyChildren) {
  constexpr std::size_t rays = 5000;
  for (const double centre : {0.0, 1.0}) {
    Random random(17);
    TreeCase tree{{Vector3d(0.3, 0.2, 0.1)}, {}, {centre}, {1.0}, {no_parent}};
    for (std::size_t i = 0; i < rays; ++i) {
      tree.prediction.push_back(tree.prediction[0] + random.uniform(0.5, 1.5) * normal_vector(random).normalized());
      tree.inverse_mass.push_back(1.0), tree.length.push_back(1.0), tree.parents.push_back(0);
    }
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    expect_solved(tree, found, 1e-9);
    EXPECT_LE(found.outcome.iterations, 10);
    if (centre > 0.0) continue;
    for (std::size_t i = 1; i <= rays; ++i) {  // each ray by itself
      const Vector3d ray = tree.prediction[i] - tree.prediction[0];
      ASSERT_LT((found.positions[i] - tree.prediction[0] - ray.normalized()).norm(), 1e-12);
      ASSERT_NEAR(found.multipliers[i], ray.norm() - 1.0, 1e-12);
    }
  }
}

TEST(HeavyChainTree, ALongChainIsNotTooDeep) {
  const TreeCase tree = tree_of_chain(noisy_chain(1, 200000, 0.01));
  chain::Options options;
  options.tolerance = 1e-9;
  const chain::TreeProjection found = chain::project_tree(tree.view(), options);
  EXPECT_EQ(chain::name(found.outcome.status), "ok") << found.outcome.residual;
  EXPECT_LE(found.outcome.iterations, 20);
  EXPECT_LT(violation(tree, found.positions), 1e-11);
  EXPECT_LT(imbalance(tree, found), 1e-5);
}

// The other way around its nodes come before their parents.
TEST(HeavyChainTree, ALongChainIsTheSameFromItsTip) {
  TreeCase tree = tree_of_chain(noisy_chain(2, 50000, 0.01));
  chain::Options options;
  options.tolerance = 1e-9;
  const chain::TreeProjection expected = chain::project_tree(tree.view(), options);
  std::vector<std::uint32_t> to(tree.size());
  for (std::uint32_t i = 0; i < to.size(); ++i) to[i] = std::uint32_t(to.size() - 1 - i);
  const chain::TreeProjection found = chain::project_tree(reordered(tree, to).view(), options);
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(found.positions[to[i]], expected.positions[i]);
  // And where it is held, though its root is at the other end.
  for (std::uint32_t i = 0; i < to.size(); ++i) tree.parents[i] = i + 1 < to.size() ? i + 1 : no_parent;
  std::rotate(tree.length.begin(), tree.length.begin() + 1, tree.length.end());
  const chain::TreeProjection turned = chain::project_tree(tree.view(), options);
  for (std::size_t i = 0; i < to.size(); ++i) ASSERT_EQ(turned.positions[i], expected.positions[i]);
}

// Predictions that leave no direction, or are a maximum at first.
TEST(ChainTree, LeavesSaddlesAndNodesThatCoincide) {
  const auto with = [](std::vector<Vector3d> prediction) {
    TreeCase tree;
    tree.prediction = std::move(prediction);
    tree.parents = {no_parent, 0, 1, 1};
    tree.inverse_mass = {0.0, 1.0, 1.0, 1.0};
    tree.length.assign(4, 1.0);
    return tree;
  };
  TreeCase tree = with({{0, 0, 0}, {1.2, 0, 0}, {2.1, 0.5, 0}, {2.1, -0.5, 0}});
  const chain::TreeProjection expected = chain::project_tree(tree.view(), exact_options());
  ASSERT_TRUE(expected.outcome.certified);
  tree.start = tree.prediction;
  for (Vector3d& x : tree.start) x = -x;  // mirrored: a maximum nearby
  const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
  EXPECT_LT(apart(found.positions, expected.positions), 1e-10);

  // Both branches on the line and too short: on the line is a saddle, to fold is better.
  tree = with({{0, 0, 0}, {0.6, 0, 0}, {1.2, 0, 0}, {1.2, 0, 0}});
  const chain::TreeProjection folded = chain::project_tree(tree.view(), exact_options());
  EXPECT_LE(folded.outcome.status, Status::round_off);
  EXPECT_LT(objective(tree, folded.positions),
            0.99 * objective(tree, std::vector<Vector3d>{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {2, 0, 0}}));

  tree = with(std::vector<Vector3d>(4, Vector3d(1.0, 2.0, 3.0)));
  const chain::TreeProjection apart = chain::project_tree(tree.view(), chain::Options{});
  EXPECT_LE(apart.outcome.status, Status::stalled);
  EXPECT_LT(violation(tree, apart.positions), 1e-13);
}

TEST(ChainTree, BadInputGivesThePrediction) {
  const TreeCase good = random_tree(1, 6, 0.1);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  const auto is_refused = [&](auto&& spoil) {
    TreeCase tree = good;
    spoil(tree);
    const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
    EXPECT_EQ(found.positions.size(), tree.prediction.size());
    EXPECT_EQ(found.multipliers, std::vector<double>(tree.prediction.size(), 0.0));
    for (std::size_t i = 0; i < tree.prediction.size(); ++i)
      EXPECT_TRUE(!tree.prediction[i].allFinite() || found.positions[i] == tree.prediction[i]);
    EXPECT_FALSE(found.outcome.certified);
    return found.outcome.status == Status::bad_input;
  };
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.prediction[2].y() = nan; }));
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.start[2].y() = infinity; }));
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.inverse_mass[2] = -1.0; }));
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.inverse_mass[2] = nan; }));
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.inverse_mass[2] = 1e-320; }));
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.inverse_mass[2] = 0.0; }));  // a second one that is held
  EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.inverse_mass = {1.0, 0.0, 0.0, 0.0, 1.0, 1.0}; }));
  for (const double length : {0.0, -1.0, nan, infinity})
    EXPECT_TRUE(is_refused([&](TreeCase& tree) { tree.length[3] = length; }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.parents[3] = 3; }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.parents[3] = 6; }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.parents[3] = no_parent - 1; }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.parents = {no_parent, 3, 1, 2, 0, 0}; }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.parents = {1, 2, 3, 4, 5, 0}; }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.parents.pop_back(); }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.length.pop_back(); }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.inverse_mass.push_back(1.0); }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.start.pop_back(); }));
  EXPECT_TRUE(is_refused([](TreeCase& tree) { tree.prediction.clear(); }));

  chain::Options options = exact_options();
  options.method = chain::Method::pbd;  // is for chains only
  EXPECT_EQ(chain::project_tree(good.view(), options).outcome.status, Status::bad_input);
}

TEST(ChainTree, NothingAndNumbersTooLargeDoNoHarm) {
  const chain::TreeProjection none = chain::project_tree({}, exact_options());
  EXPECT_EQ(none.outcome.status, Status::ok);
  EXPECT_TRUE(none.positions.empty());

  TreeCase tree = random_tree(2, 8, 0.1);
  tree.prediction[3] *= 1e200;
  const chain::TreeProjection found = chain::project_tree(tree.view(), exact_options());
  EXPECT_EQ(found.outcome.status, Status::stalled);
  EXPECT_FALSE(found.outcome.certified);
  for (const Vector3d& x : found.positions) EXPECT_TRUE(x.allFinite());
}

TEST(ChainTree, ALimitOfIterationsIsReportedAndLinksKeepTheirLengths) {
  const TreeCase tree = random_tree(3, 30, 1.0);
  chain::Options options = exact_options();
  options.max_iterations = 1;
  const chain::TreeProjection found = chain::project_tree(tree.view(), options);
  EXPECT_EQ(found.outcome.status, Status::not_converged);
  EXPECT_EQ(found.outcome.iterations, 1);
  EXPECT_FALSE(found.outcome.certified);
  EXPECT_LT(violation(tree, found.positions), 1e-13);
}

}  // namespace
}  // namespace tendril::testing
