// The last few contacts by themselves: sweeps over them, neighbourhoods, products in single precision, and what `auto`
// makes of both.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <ranges>
#include <set>

#include "contact/random_strands.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/contact/apgd.hpp"
#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/gradient_steps.hpp"
#include "tendril/contact/gradients_in_turns.hpp"
#include "tendril/contact/neighbourhood.hpp"
#include "tendril/contact/node_gradients.hpp"
#include "tendril/contact/node_islands.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/spot_sweeps.hpp"

namespace tendril::contact {
namespace {

NodeSpace space_of(const Problem& problem) {
  std::vector<std::uint32_t> all(problem.size());
  std::iota(all.begin(), all.end(), 0u);
  return {problem, BlockInverses(problem), all};
}

Impulses random_impulses(std::size_t count) {
  Random random(5);
  Impulses r(count);
  for (Vector3d& impulse : r) impulse = random_vector(random);
  return r;
}

// Every third contact has rows that are no frame, some are of a strand with itself.
NodeSpace mixed_space(int strands, int contacts) {
  Problem problem = random_strands({.strands = strands, .contacts = contacts, .self = true});
  for (std::size_t i = 0; i < problem.size(); i += 3) problem.entries[problem.contacts[i].a.first].coefficient *= 1.1;
  return space_of(problem);
}

Report solved_in_turns(const NodeSpace& space, const Options& options, Impulses& r) {
  NodeResponse response(space);
  return gradients_in_turns(space, options, 1.0, response, r);
}

// Of contacts that lie together.
Neighbourhood neighbourhood(const NodeSpace& space, std::span<const char> is_chosen, int rings, const Impulses& r,
                            std::span<const double> v) {
  std::vector<Neighbourhood> parts = neighbourhoods(space, is_chosen, rings, r, v);
  EXPECT_EQ(parts.size(), 1u);
  return std::move(parts.front());
}

TEST(Neighbourhood, HasTheChosenAndAllThatShareTheirBlocks) {
  const NodeSpace space = mixed_space(60, 100);
  std::vector<char> is_chosen(space.size(), 0);
  is_chosen[7] = 1;
  const Impulses r = random_impulses(space.size());
  NodeResponse response(space);
  response.error(r);
  const auto [part, blocks] = neighbourhood(space, is_chosen, 1, r, response.velocities());
  const auto shares_block = [&](const NodeContact& contact) {
    return std::ranges::any_of(contact.block, [&](std::int32_t b) {
      return b != Side::none && std::ranges::count(space.contacts[7].block, b) > 0;
    });
  };
  std::vector<std::uint32_t> expected;
  for (std::uint32_t i = 0; i < space.size(); ++i)
    if (shares_block(space.contacts[i])) expected.push_back(i);
  ASSERT_EQ(part.size(), expected.size());
  for (std::size_t i = 0; i < part.size(); ++i) EXPECT_EQ(part.contacts[i].name, expected[i]);
  EXPECT_LT(part.size(), space.size() / 2);
  EXPECT_LT(blocks.size(), space.blocks.size());
  // Two rings are the neighbours of all of them.
  std::ranges::fill(is_chosen, 0);
  for (const NodeContact& contact : part.contacts) is_chosen[contact.name] = 1;
  const Neighbourhood wider = neighbourhood(space, is_chosen, 1, r, response.velocities());
  std::ranges::fill(is_chosen, 0);
  is_chosen[7] = 1;
  const Neighbourhood rings = neighbourhood(space, is_chosen, 2, r, response.velocities());
  EXPECT_GT(rings.space.size(), part.size());
  EXPECT_EQ(rings.blocks, wider.blocks);
  ASSERT_EQ(rings.space.size(), wider.space.size());
  for (std::size_t i = 0; i < rings.space.size(); ++i)
    EXPECT_EQ(rings.space.contacts[i].name, wider.space.contacts[i].name);
}

// Whatever its impulses become, as long as the others stay.
TEST(Neighbourhood, MovesAsTheWholeDoes) {
  const NodeSpace space = mixed_space(60, 100);
  std::vector<char> is_chosen(space.size(), 0);
  is_chosen[3] = is_chosen[40] = 1;
  Impulses r = random_impulses(space.size()), u, whole;
  NodeResponse response(space);
  response.error(r);
  const std::vector<Neighbourhood> parts = neighbourhoods(space, is_chosen, 1, r, response.velocities());
  Random random(9);
  std::vector<Impulses> local(parts.size());
  std::vector<std::uint32_t> moved;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (const NodeContact& contact : parts[k].space.contacts)
      local[k].push_back(r[contact.name] = random.below(2) == 0 ? r[contact.name] : random_vector(random));
    moved.insert(moved.end(), parts[k].blocks.begin(), parts[k].blocks.end());
  }
  space.apply(r, whole);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const NodeSpace& part = parts[k].space;
    part.apply(local[k], u);
    for (std::size_t i = 0; i < part.size(); ++i) EXPECT_LT((u[i] - whole[part.contacts[i].name]).norm(), 1e-11);
  }
  // The blocks that they name are all that have changed.
  const double error = response.error(r, moved);
  EXPECT_EQ(error, NodeResponse(space).error(r));
}

// Those far from each other share nothing, and together they are what one part would be.
TEST(Neighbourhood, FallsApartWhereNoBlockIsShared) {
  const NodeSpace space = mixed_space(400, 300);
  std::vector<char> is_chosen(space.size(), 0);
  for (std::size_t i = 0; i < space.size(); i += 30) is_chosen[i] = 1;
  const Impulses r = random_impulses(space.size());
  NodeResponse response(space);
  response.error(r);
  const std::vector<Neighbourhood> parts = neighbourhoods(space, is_chosen, 1, r, response.velocities());
  EXPECT_GT(parts.size(), 3u);
  std::vector<int> contacts(space.size(), 0), blocks(space.blocks.size(), 0);
  for (const Neighbourhood& part : parts) {
    for (const NodeContact& contact : part.space.contacts) ++contacts[contact.name];
    for (const std::uint32_t b : part.blocks) ++blocks[b];
  }
  EXPECT_EQ(std::ranges::max(contacts), 1);
  EXPECT_EQ(std::ranges::max(blocks), 1);
  for (std::size_t i = 0; i < space.size(); ++i) EXPECT_GE(contacts[i], int(is_chosen[i]));
}

// What is above the tolerance comes below it, and what nobody has disturbed keeps its bits.
TEST(SpotSweeps, MendWhatIsAboveTheToleranceAndNothingElse) {
  const NodeSpace space = mixed_space(400, 500);
  Options options;
  options.tolerance = 1e-5;
  Impulses r(space.size(), Vector3d::Zero());
  ASSERT_EQ(solved_in_turns(space, options, r).outcome, Outcome::converged);
  const Impulses solved = r;
  const auto pressed = std::ranges::find_if(r, [](const Vector3d& impulse) { return impulse[0] > 0.1; });
  ASSERT_NE(pressed, r.end());
  *pressed *= 0.5;
  NodeResponse response(space);
  ASSERT_GT(response.error(r), 100 * options.tolerance);
  options.tolerance = 1e-4;
  SpotSweeps sweeps(space, options, 1.0);
  sweeps.run(response, r);
  EXPECT_LE(response.worst(), options.tolerance);
  EXPECT_EQ(response.worst(), NodeResponse(space).error(r));
  EXPECT_LT(sweeps.sweeps(), 1.0);
  EXPECT_GT(std::ranges::count_if(std::views::iota(std::size_t{0}, space.size()),
                                  [&](std::size_t i) { return r[i] == solved[i]; }),
            std::ptrdiff_t(space.size() / 2));
}

// What they cost, and where the fail-safe had to help, is in the report of `auto`, whose gradients call for them.
TEST(SpotSweeps, CountTheirLocalSolves) {
  const Problem problem = random_strands({.strands = 300, .contacts = 800, .mu = 1.0, .reach = 2});
  for (const double tolerance : {1e-3, 1e-4, 1e-5}) {
    Options options;
    options.tolerance = tolerance;
    const Report closed_form = solve(problem, options).report;
    EXPECT_EQ(closed_form.outcome, Outcome::converged);
    EXPECT_EQ(closed_form.sweeps_by[std::size_t(Solver::gauss_seidel)], 0);
    EXPECT_GT(closed_form.local_solves, 0u);
    EXPECT_EQ(closed_form.rescued, 0u);
    options.local = LocalOptions{LocalMethod::duriez06};  // not exact where contacts slide
    const Report inexact = solve(problem, options).report;
    EXPECT_GT(inexact.rescued, 0u);
    EXPECT_LT(inexact.rescued, inexact.local_solves);
  }
}

// The same contacts with compliances that come packed.
NodeProblem packed(const NodeSpace& space) {
  NodeProblem out;
  for (const NodeBlock& block : space.blocks) {
    out.blocks.push_back({block.first_node - 1, block.nodes, out.compliances.size()});
    for (std::uint32_t n = block.first_node; n < block.first_node + block.nodes; ++n)
      out.own_trace.push_back(float(space.coupling(block, n, n).trace()));
    for (std::uint32_t i = 0; i < block.nodes; ++i)
      for (int axis = 0; axis < 3; ++axis) {
        for (std::uint32_t j = 0; j <= i; ++j)
          for (int k = 0; k < 3; ++k)
            out.compliances.push_back(float(space.coupling(block, block.first_node + i, block.first_node + j)(axis, k) *
                                            (j < i ? 1.0 : 0.5)));
        out.compliances.resize(out.compliances.size() + PackedRows::stride(i) - 3 * i - 3, 0.0f);
      }
  }
  out.free_velocity.assign(space.free_velocity.begin() + 4, space.free_velocity.end());
  for (const NodeContact& contact : space.contacts) {
    NodeRow row;
    row.frame = contact.frame, row.drift = contact.drift, row.mu = contact.mu, row.law = contact.law;
    for (std::size_t s = 0; s < 2; ++s) {
      row.side[s].block = contact.block[s];
      for (std::size_t k = 0; k < 2; ++k) {
        row.side[s].weight[k] = contact.weight[2 * s + k];
        row.side[s].node[k] = contact.weight[2 * s + k] != 0.0 ? contact.node[2 * s + k] - 1 : 0;
      }
    }
    out.rows.push_back(row);
  }
  return out;
}

TEST(PackedRows, BeginWhereTheRowBeforeEnds) {
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(PackedRows::begin(i + 1), PackedRows::begin(i) + 3 * PackedRows::stride(i)) << i;
}

TEST(PackedSpace, IsTheSpaceToRoundOff) {
  const NodeSpace whole = space_of(random_strands({.strands = 60, .contacts = 200, .nodes = 5, .self = true}));
  const NodeProblem problem = packed(whole);
  NodeSpace space;
  space.build(problem);
  const Impulses r = random_impulses(space.size());
  Impulses expected, u;
  whole.apply(r, expected), space.apply(r, u);
  for (std::size_t i = 0; i < u.size(); ++i) {
    EXPECT_LT((u[i] - expected[i]).norm(), 1e-5 * (1.0 + expected[i].norm()));
    EXPECT_NEAR(space.contacts[i].scale, whole.contacts[i].scale, 1e-6 * whole.contacts[i].scale);
    const Eigen::Matrix3d w = whole.diagonal(whole.contacts[i]);
    EXPECT_LT((space.diagonal(space.contacts[i]) - w).norm(), 1e-6 * w.norm());
    EXPECT_NEAR(whole.contacts[i].trace(), w.trace(), 1e-12 * w.trace());
  }
  NodeGradients full(whole), single(space);
  full.start(r), single.start(r);
  EXPECT_NEAR(full.error(), single.error(), 1e-5 * full.error());
}

// Sweeps change velocities as the product does.
TEST(PackedSpace, RespondsToSweeps) {
  const NodeSpace whole = space_of(random_strands({.strands = 60, .contacts = 200, .nodes = 5, .self = true}));
  const NodeProblem problem = packed(whole);
  NodeSpace space;
  space.build(problem);
  Options options;
  NodeSweeps sweeps(space, options, 1.0, NodeSweeps::Few{});
  Impulses r(space.size(), Vector3d::Zero());
  NodeResponse response(space);
  sweeps.start(response.velocities(r));
  for (std::uint32_t i = 0; i < 100; ++i) sweeps.visit(sweeps.enter(i), r[i]);
  ASSERT_NE(r, Impulses(space.size(), Vector3d::Zero()));
  response.velocities(r);
  for (std::size_t n = 0; n < response.velocities().size(); ++n)
    EXPECT_NEAR(sweeps.velocities()[n], response.velocities()[n], 1e-5);
}

TEST(PackedSpace, IsSolvedToItsToleranceInDouble) {
  const NodeSpace whole = space_of(random_strands({.strands = 2000, .contacts = 3000, .nodes = 6}));
  const NodeProblem problem = packed(whole);
  for (const double tolerance : {1e-2, 1e-3, 1e-4}) {
    Options options;
    options.tolerance = tolerance;
    Workspace memory;
    const Solution solution = solve(problem, options, {}, memory);
    EXPECT_EQ(solution.report.outcome, Outcome::converged);
    EXPECT_LE(NodeResponse(whole).error(solution.r) / memory.coarse_speed, 1.001 * tolerance);
    NodeResponse response(memory.coarse);
    EXPECT_NEAR(error_with(memory, solution.r, response.velocities(solution.r)), solution.report.error, 1e-9);
  }
}

// Contacts of islands of a space see the velocities that they see in the whole; no block is in two islands.
TEST(PackedSpace, FallsIntoIslandsThatSeeTheSame) {
  const NodeProblem problem =
      packed(space_of(random_strands({.strands = 300, .contacts = 200, .nodes = 5, .self = true})));
  NodeSpace whole;
  whole.build(problem);
  const Impulses r = random_impulses(whole.size());
  Impulses expected, u;
  whole.apply(r, expected);
  const std::vector<NodeSpace> islands = node_islands(whole);
  ASSERT_GT(islands.size(), 20u);
  std::size_t contacts = 0, largest = whole.size();
  std::set<std::size_t> matrices;
  for (const NodeSpace& island : islands) {
    contacts += island.size();
    EXPECT_LE(island.size(), largest);
    largest = island.size();
    for (const NodeBlock& block : island.blocks) EXPECT_TRUE(matrices.insert(block.matrix).second);
    Impulses own;
    for (const NodeContact& contact : island.contacts) own.push_back(r[contact.name]);
    island.apply(own, u);
    for (std::size_t i = 0; i < island.size(); ++i) EXPECT_EQ(u[i], expected[island.contacts[i].name]);
  }
  EXPECT_EQ(contacts, whole.size());
}

TEST(PackedSpace, IsSolvedIslandByIslandIfItIsSmall) {
  const NodeSpace whole = space_of(random_strands({.strands = 300, .contacts = 200, .nodes = 5}));
  const NodeProblem problem = packed(whole);
  Options options;
  options.tolerance = 1e-4;
  Impulses first;
  for (const int threads : {1, 2, 8}) {
    set_thread_count(threads);
    Workspace memory;
    const Solution solution = solve(problem, options, random_impulses(whole.size()), memory);
    EXPECT_EQ(solution.report.outcome, Outcome::converged);
    EXPECT_GT(solution.report.islands, 20u);
    EXPECT_LE(NodeResponse(whole).error(solution.r) / memory.coarse_speed, 1.001 * options.tolerance);
    if (first.empty()) first = solution.r;
    EXPECT_EQ(solution.r, first) << threads;
  }
  set_thread_count(0);
}

TEST(NodeGradients, MultiplyInSinglePrecisionToItsRoundOff) {
  const NodeSpace space = mixed_space(40, 300);
  for (const Isa isa : {Isa::reference, active_isa()}) {
    NodeGradients full(space, isa), single(space, isa, NodeGradients::Precision::single);
    const Impulses none(space.size(), Vector3d::Zero());
    full.start(none), single.start(none);
    full.adapt_steps(1.0), single.adapt_steps(1.0);
    for (int k = 0; k < 20; ++k) {
      full.step(0.3, 0.05), single.step(0.3, 0.05);
      EXPECT_NEAR(full.respond(0.3), single.respond(0.3), 1e-5);
    }
    EXPECT_NEAR(full.error(), single.error(), 1e-5);
    EXPECT_NE(full.error(), single.error());
  }
}

// The largest eigenvalue of D^1/2 W D^1/2.
double largest_eigenvalue(const NodeSpace& space, const std::vector<double>& steps) {
  Impulses r = random_impulses(space.size()), u, none(space.size(), Vector3d::Zero()), free;
  space.apply(none, free);
  double eigenvalue = 0.0;
  for (int k = 0; k < 100; ++k) {
    space.apply(r, u);
    double before = 0.0, after = 0.0;
    for (std::size_t i = 0; i < space.size(); ++i) {
      before += r[i].squaredNorm() / steps[i];
      r[i] = steps[i] * (u[i] - free[i]);
      after += r[i].squaredNorm() / steps[i];
    }
    eigenvalue = std::sqrt(after / before);
  }
  return eigenvalue;
}

GradientSteps steps_of(const NodeSpace& space) {
  return GradientSteps(space, [&space](std::size_t b, const double* force, double* out) {
    const NodeBlock& block = space.blocks[b];
    std::fill_n(out, block.rows(), 0.0);
    for (std::size_t c = 0; c < block.columns(); ++c)
      for (std::size_t row = 0; row < block.rows(); ++row)
        out[row] += force[c / 3 * 4 + c % 3] * space.column(block, block.first_node, 0)[c * block.rows() + row];
  });
}

// D^1/2 W D^1/2 has no eigenvalue beyond 1 but for what few powers leave, and steps are not far too short either.
TEST(GradientSteps, BoundTheOperator) {
  const NodeSpace space = mixed_space(20, 101);
  std::vector<double> weights(space.size(), 1.0), steps(space.size());
  steps_of(space).find(weights, steps);
  for (const double step : steps) ASSERT_GT(step, 0.0);
  EXPECT_LT(largest_eigenvalue(space, steps), 1.2);
  EXPECT_GT(largest_eigenvalue(space, steps), 0.3);
}

TEST(GradientSteps, AreLongWhereWeightsAreLarge) {
  const NodeSpace space = mixed_space(20, 101);
  GradientSteps bounds = steps_of(space);
  std::vector<double> weights(space.size(), 1.0), even(space.size()), steps(space.size());
  bounds.find(weights, even);
  for (std::size_t i = 0; i < space.size(); i += 10) weights[i] = 30.0;
  bounds.find(weights, steps);
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (weights[i] > 1.0)
      EXPECT_GT(steps[i], 2.0 * even[i]);
    else
      EXPECT_LE(steps[i], 1.1 * even[i]);
  }
  EXPECT_LT(largest_eigenvalue(space, steps), 1.2);
}

TEST(NodeGradients, CountWhatIsAboveALimit) {
  const NodeSpace space = mixed_space(20, 101);
  NodeGradients gradients(space);
  gradients.start(Impulses(space.size(), Vector3d::Zero()));
  NodeResponse response(space);
  response.error(gradients.impulses());
  for (const double limit : {1e-6, 0.5, 1.0, 2.0})
    EXPECT_EQ(gradients.errors(limit).above,
              double(std::ranges::count_if(response.errors(), [&](double e) { return e > limit; })));
}

// Asked for more than single precision has, gradients stop where what a step changes is round-off, long before they
// look whether they stall; in full precision they go on.
TEST(Gradients, StopWhereTheyFeelRoundOffInSinglePrecision) {
  const NodeSpace space = space_of(random_strands({.strands = 200, .contacts = 400, .nodes = 6}));
  Options options;
  options.tolerance = 1e-15;
  Impulses r(space.size(), Vector3d::Zero()), full_r = r;
  NodeGradients single(space, active_isa(), NodeGradients::Precision::single), full(space);
  const Report report = gradients_until_few(single, options, 1.0, 0.0, r);
  EXPECT_EQ(report.outcome, Outcome::stalled);
  EXPECT_LT(report.sweeps, 1000);
  EXPECT_LT(report.error, 1e-4);
  const Report on = gradients_until_few(full, options, 1.0, 0.0, full_r);
  EXPECT_GT(on.sweeps, report.sweeps);
  EXPECT_LT(on.error, report.error);
}

// Large enough for single precision, and with few contacts beside each other.
TEST(GradientsInTurns, ReachTheToleranceOnTheWholeProblem) {
  const Problem problem = random_strands({.strands = 2000, .contacts = 3000, .nodes = 6});
  const NodeSpace space = space_of(problem);
  ASSERT_GT(space.matrices.size(), std::size_t{1} << 18);
  for (const double tolerance : {1e-2, 1e-3, 1e-4, 1e-6}) {
    Options options;
    options.tolerance = tolerance;
    Impulses r(space.size(), Vector3d::Zero());
    const Report report = solved_in_turns(space, options, r);
    EXPECT_EQ(report.outcome, Outcome::converged);
    EXPECT_LE(NodeResponse(space).error(r), tolerance);
    EXPECT_DOUBLE_EQ(NodeResponse(space).error(r), report.error);
    EXPECT_GT(report.sweeps, 0);
  }
}

// A change at one contact does not set all others going again.
TEST(GradientsInTurns, TakeFewSweepsAfterALocalChange) {
  const NodeSpace space = space_of(random_strands({.strands = 2000, .contacts = 3000, .nodes = 6}));
  Options options;
  options.tolerance = 1e-4;
  Impulses r(space.size(), Vector3d::Zero());
  const int first = solved_in_turns(space, options, r).sweeps;
  r[100].setZero();
  const Report again = solved_in_turns(space, options, r);
  EXPECT_EQ(again.outcome, Outcome::converged);
  EXPECT_LE(NodeResponse(space).error(r), options.tolerance);
  EXPECT_LT(8 * again.sweeps, first);
}

}  // namespace
}  // namespace tendril::contact
