// The contact problem of a step, in general and on nodes, against W = J A^-1 Jᵀ as it is written, for blocks that enter
// by their points, by their unknowns and by their vertices.
#include "tendril/sim/contact/assembly.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "contact/random_problems.hpp"
#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/measure.hpp"
#include "tendril/contact/node_space.hpp"
#include "tendril/sim/contact/node_assembly.hpp"

namespace tendril {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// Blocks of vertices with three unknowns each, any compliance, and points between two of them.
class PlainSystem : public StepSystem {
 public:
  PlainSystem(std::size_t blocks, Index vertices, Random& random) {
    for (std::size_t b = 0; b < blocks; ++b) {
      MatrixXd spread(3 * vertices, 3 * vertices);
      for (double& entry : spread.reshaped()) entry = random.normal();
      inverse.push_back(spread * spread.transpose());
      VectorXd v(3 * vertices);
      for (double& entry : v) entry = random.normal();
      free.push_back(v);
    }
  }

  std::size_t block_count() const override { return inverse.size(); }
  std::size_t block_size(std::size_t b) const override { return std::size_t(free[b].size()); }
  double step() const override { return 0.01; }
  void start_velocity(std::size_t, std::span<double> out) const override { std::ranges::fill(out, 0.0); }
  void free_velocity(std::size_t b, std::span<double> out) const override { std::ranges::copy(free[b], out.begin()); }
  void apply_inverse(std::size_t b, std::size_t columns, std::span<double> out) const override {
    ++solves;
    Eigen::Map<MatrixXd> all(out.data(), free[b].size(), Index(columns));
    all = (inverse[b] * all).eval();
  }
  UnknownRange unknowns_of(const MaterialPoint& point) const override { return {3 * point.element, 6}; }
  bool is_driven(const MaterialPoint&) const override { return false; }
  bool points_follow_vertices() const override { return follows_vertices; }
  Vector3d point_velocity(const MaterialPoint& point, std::span<const double> v) const override {
    const Eigen::Map<const Vector3d> a(v.data() + 3 * point.element), b(v.data() + 3 * point.element + 3);
    return (1.0 - point.along) * a + point.along * b;
  }
  void add_point_impulse(const MaterialPoint& point, const Vector3d& impulse, std::span<double> out) const override {
    Eigen::Map<Vector3d>(out.data() + 3 * point.element) += (1.0 - point.along) * impulse;
    Eigen::Map<Vector3d>(out.data() + 3 * point.element + 3) += point.along * impulse;
  }
  void set_velocity(std::size_t, std::span<const double>) override {}

  std::vector<MatrixXd> inverse;
  std::vector<VectorXd> free;
  mutable int solves = 0;
  bool follows_vertices = true;
};

struct Step {
  Random random{11};
  PlainSystem system{4, 6, random};
  std::vector<BlockPlace> blocks;
  BlockVectors free;
  std::vector<ContactRow> rows;
  Touches touches;
  ContactAssembly assembly;
  contact::Problem problem;
  NodeAssembly node_assembly;
  contact::NodeProblem node_problem;

  Step() {
    StepSystem* one = &system;
    blocks = all_blocks(std::span(&one, 1));
    free.shape(blocks);
    for (std::size_t b = 0; b < blocks.size(); ++b) system.free_velocity(b, free[b]);
  }

  collide::StrandPoint somewhere(std::uint32_t strand) {
    return {strand, std::uint32_t(random.below(5)), random.uniform()};
  }
  void add_row(std::uint32_t a, std::uint32_t b) {
    ContactRow row{somewhere(a), b == collide::nobody ? collide::StrandPoint{} : somewhere(b),
                   contact::random_frame(random)};
    row.drift = contact::random_vector(random), row.mu = 0.3;
    rows.push_back(row);
  }
  void assemble() {
    touches.collect(blocks.size(), rows);
    assembly.assemble(blocks, free, rows, touches, problem);
  }
  contact::NodeSpace assemble_on_nodes() {
    touches.collect(blocks.size(), rows);
    EXPECT_TRUE(node_assembly.assemble(blocks, free, rows, touches, node_problem));
    contact::NodeSpace space;
    space.build(node_problem);
    return space;
  }

  MatrixXd jacobian(const ContactRow& row) const {
    MatrixXd j = MatrixXd::Zero(3, Index(free.values.size()));
    for (const auto& [at, sign] : {std::pair(row.a, 1.0), std::pair(row.b, -1.0)}) {
      if (at.strand == collide::nobody) continue;
      const auto first = Index(free.first[at.strand] + 3 * at.edge);
      j.middleCols<3>(first) += sign * (1.0 - at.along) * row.frame;
      j.middleCols<3>(first + 3) += sign * at.along * row.frame;
    }
    return j;
  }

  void expect_delassus() const {
    ASSERT_TRUE(contact::check(problem));
    const contact::ExplicitDelassus delassus(problem);
    const MatrixXd w(delassus.matrix());
    MatrixXd inverse = MatrixXd::Zero(Index(free.values.size()), Index(free.values.size()));
    for (std::size_t b = 0; b < blocks.size(); ++b)
      inverse.block(Index(free.first[b]), Index(free.first[b]), system.free[b].size(), system.free[b].size()) =
          system.inverse[b];
    const Eigen::Map<const VectorXd> v(free.values.data(), Index(free.values.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const MatrixXd ji = jacobian(rows[i]);
      EXPECT_LT((delassus.free_velocity().segment<3>(Index(3 * i)) - (ji * v + rows[i].drift)).norm(), 1e-11);
      for (std::size_t j = 0; j < rows.size(); ++j)
        EXPECT_LT((w.block<3, 3>(Index(3 * i), Index(3 * j)) - ji * inverse * jacobian(rows[j]).transpose()).norm(),
                  1e-10);
    }
  }
};

TEST(ContactAssembly, IsTheDelassusOperatorInEitherForm) {
  Step step;
  step.add_row(0, 1), step.add_row(0, collide::nobody), step.add_row(2, 2);
  for (int k = 0; k < 12; ++k) step.add_row(1, 2);
  step.assemble();
  EXPECT_EQ(step.problem.blocks[0].size, 6u);   // two points of four vertices at most
  EXPECT_EQ(step.problem.blocks[1].size, 18u);  // thirteen points: all six vertices
  EXPECT_EQ(step.problem.blocks.size(), 3u);    // nothing touches the fourth
  step.expect_delassus();
}

TEST(ContactAssembly, CountsAPointOnce) {
  Step step;
  step.add_row(0, collide::nobody);
  step.rows.push_back(step.rows.front());
  step.rows[0].a = {0, 2, 1.0}, step.rows[1].a = {0, 3, 0.0};  // one vertex, by either of its edges
  step.assemble();
  EXPECT_EQ(step.problem.blocks[0].size, 3u);
  step.expect_delassus();
}

TEST(ContactAssembly, KeepsWhatIsTouchedAsBefore) {
  Step step;
  for (int k = 0; k < 3; ++k) step.add_row(0, 1), step.add_row(2, 3);
  step.assemble();
  const int first = step.system.solves;
  step.add_row(2, collide::nobody);
  step.assemble();
  EXPECT_EQ(step.system.solves - first, 1);  // the third block alone
  step.expect_delassus();
  // Another step: nothing is taken over.
  step.assembly.clear(), step.problem.clear();
  for (MatrixXd& inverse : step.system.inverse) inverse *= 2.0;
  step.assemble();
  step.expect_delassus();
}

TEST(ContactAssembly, RespondsAsItsProblem) {
  Step step;
  step.add_row(0, 1), step.add_row(3, 3);
  for (int k = 0; k < 9; ++k) step.add_row(1, 2);
  step.assemble();
  contact::Impulses r, u;
  for (std::size_t i = 0; i < step.rows.size(); ++i) r.push_back(contact::random_vector(step.random));
  contact::ExplicitDelassus(step.problem).apply(r, u);
  BlockVectors v = step.free;
  step.touches.add_response(step.blocks, step.rows, r, v);
  const Eigen::Map<const VectorXd> all(v.values.data(), Index(v.values.size()));
  for (std::size_t i = 0; i < step.rows.size(); ++i)
    EXPECT_LT((step.jacobian(step.rows[i]) * all + step.rows[i].drift - u[i]).norm(), 1e-10);
}

// In single precision; u as the general problem has it.
void expect_same_on_nodes(Step& step) {
  step.assemble();
  const contact::NodeSpace space = step.assemble_on_nodes();
  const contact::ExplicitDelassus delassus(step.problem);
  contact::Impulses r, u, on_nodes;
  for (std::size_t i = 0; i < step.rows.size(); ++i) r.push_back(contact::random_vector(step.random));
  delassus.apply(r, u);
  space.apply(r, on_nodes);
  double largest = 0.0, largest_diagonal = 0.0;
  for (const Vector3d& velocity : u) largest = std::max(largest, velocity.norm());
  for (std::size_t i = 0; i < u.size(); ++i) largest_diagonal = std::max(largest_diagonal, delassus.diagonal(i).norm());
  for (std::size_t i = 0; i < u.size(); ++i) {
    EXPECT_LT((u[i] - on_nodes[i]).norm(), 1e-6 * largest);
    EXPECT_LT((space.diagonal(space.contacts[i]) - delassus.diagonal(i)).norm(), 1e-6 * largest_diagonal);
    EXPECT_NEAR(space.contacts[i].share[0] + space.contacts[i].share[1], delassus.diagonal(i).trace() / 3.0,
                1e-6 * largest_diagonal);
  }
  // What the models make of the impulses, in double, at the nodes.
  BlockVectors velocity = step.free;
  step.touches.add_response(step.blocks, step.rows, r, velocity);
  AlignedVector<double> nodes(space.free_velocity.size(), 0.0);
  step.node_assembly.node_velocities(step.blocks, step.touches, velocity, step.node_problem,
                                     std::span(nodes).subspan(4));
  contact::measure_velocities(space, nodes.data(), on_nodes);
  for (std::size_t i = 0; i < u.size(); ++i) EXPECT_LT((u[i] - on_nodes[i]).norm(), 1e-12 * largest);
}

TEST(NodeAssembly, IsTheSameProblemByPointsAndByVertices) {
  for (const bool follows_vertices : {true, false}) {
    Step step;
    step.system.follows_vertices = follows_vertices;
    step.add_row(0, 1), step.add_row(0, collide::nobody), step.add_row(2, 2);
    step.rows.push_back(step.rows.front());
    step.rows.back().a = {0, 2, 1.0}, step.rows[1].a = {0, 3, 0.0};  // one vertex, by either of its edges
    for (int k = 0; k < 12; ++k) step.add_row(1, 2);
    expect_same_on_nodes(step);
    EXPECT_EQ(step.node_problem.blocks[0].nodes, 2u);
    EXPECT_EQ(step.node_problem.blocks[1].nodes, follows_vertices ? 6u : 13u);  // of six vertices
  }
}

TEST(NodeAssembly, KeepsWhatIsTouchedAsBefore) {
  Step step;
  for (int k = 0; k < 3; ++k) step.add_row(0, 1), step.add_row(2, 3);
  step.assemble_on_nodes();
  const int first = step.system.solves;
  step.add_row(2, collide::nobody);
  step.assemble_on_nodes();
  EXPECT_EQ(step.system.solves - first, 1);  // the third block alone
  expect_same_on_nodes(step);
  // Another step: nothing is taken over.
  step.assembly.clear(), step.problem.clear(), step.node_assembly.clear();
  for (MatrixXd& inverse : step.system.inverse) inverse *= 2.0;
  expect_same_on_nodes(step);
}

}  // namespace
}  // namespace tendril
