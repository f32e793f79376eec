// Velocities, pushes and errors of contacts in lanes are those of one contact at a time, for every instruction set and
// for any number of them.
#include "tendril/contact/measure.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "contact/random_strands.hpp"
#include "tendril/contact/judge_kernels.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

// Contacts of strands of all kinds, and impulses and velocities that are far from the law.
struct Measured {
  NodeSpace space;
  Impulses r;
  AlignedVector<double> v;

  explicit Measured(int contacts, bool with_terms = false) {
    Problem problem = random_strands({.contacts = contacts, .self = true});
    problem.contacts[1].law = Law::bilateral, problem.contacts[2].mu = 0.0;
    problem.contacts[3].push = 0.4, problem.contacts[3].push_strength = 0.1;
    if (with_terms) problem.entries[problem.contacts[4].a.first].coefficient *= 1.1;
    std::vector<std::uint32_t> all(problem.size());
    std::iota(all.begin(), all.end(), 0u);
    space.build(problem, BlockInverses(problem), all);
    space.contacts[0].scale = 0.0;
    Random random(5);
    for (std::size_t i = 0; i < space.size(); ++i) r.push_back(random_vector(random));
    v.assign(space.free_velocity.size(), 0.0);
    for (std::size_t n = 1; n < space.node_count(); ++n) Eigen::Map<Vector3d>(v.data() + 4 * n) = random_vector(random);
  }
  JudgedContact judged(std::size_t i) const {
    const NodeContact& c = space.contacts[i];
    const double mu = c.law == Law::bilateral ? -1.0 : c.mu;
    return {c.frame.data(), c.drift.data(), c.weight.data(), c.node.data(), &c.push, r[i].data(), mu, c.scale};
  }
};

class JudgeKernelsOf : public testing::TestWithParam<Isa> {};
INSTANTIATE_TEST_SUITE_P(All, JudgeKernelsOf, testing::Values(Isa::reference, Isa::v2, Isa::avx2, Isa::avx512),
                         [](const auto& tested) { return std::string(isa_name(tested.param)); });

TEST_P(JudgeKernelsOf, AreThoseOfOneContact) {
  if (!machine_has(GetParam())) GTEST_SKIP() << "this machine has no " << isa_name(GetParam());
  const JudgeKernels& kernels = judge_kernels(GetParam());
  const Measured measured(101);
  const NodeSpace& space = measured.space;
  for (const std::size_t count : {std::size_t(1), std::size_t(3), std::size_t(8), std::size_t(101)}) {
    std::vector<JudgedContact> batch;
    AlignedVector<double> force(measured.v.size(), 0.0), expected_force(measured.v.size(), 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      batch.push_back(measured.judged(i));
      space.push(space.contacts[i], measured.r[i], expected_force.data());
    }
    std::vector<double> errors(count), u(3 * count);
    kernels.velocities(batch.data(), count, measured.v.data(), u.data());
    kernels.errors(batch.data(), count, measured.v.data(), errors.data());
    kernels.push(batch.data(), count, force.data());
    for (std::size_t i = 0; i < count; ++i) {
      const Vector3d expected = space.velocity(space.contacts[i], measured.v.data());
      EXPECT_LT((Eigen::Map<const Vector3d>(u.data() + 3 * i) - expected).norm(), 1e-12 * (1.0 + expected.norm()));
      EXPECT_NEAR(errors[i], error_of(space.contacts[i], measured.r[i], expected), 1e-12);
    }
    for (std::size_t k = 4; k < force.size(); ++k) EXPECT_NEAR(force[k], expected_force[k], 1e-12);
  }
}

// Bit by bit: what is measured again by itself must not differ.
TEST(MeasureErrors, DoNotDependOnWhoElseIsMeasured) {
  const Measured measured(700, true);
  const NodeSpace& space = measured.space;
  std::vector<double> all(space.size(), -1.0), some(space.size(), -1.0);
  measure_errors(space, measured.r, measured.v.data(), all);
  std::vector<std::uint32_t> which;
  for (std::uint32_t i = 0; i < space.size(); i += 3) which.push_back(i);
  measure_errors(space, which, measured.r, measured.v.data(), some);
  for (std::size_t i = 0; i < space.size(); ++i) EXPECT_EQ(some[i], i % 3 == 0 ? all[i] : -1.0) << i;
  Impulses u;
  measure_velocities(space, measured.v.data(), u);
  AlignedVector<double> force(measured.v.size(), 0.0), expected(measured.v.size(), 0.0);
  push_all(space, measured.r, force.data());
  for (std::size_t i = 0; i < space.size(); ++i) {
    EXPECT_LT((u[i] - space.velocity(space.contacts[i], measured.v.data())).norm(), 1e-12 * (1.0 + u[i].norm()));
    EXPECT_NEAR(all[i], error_of(space.contacts[i], measured.r[i], u[i]), 1e-12);
    space.push(space.contacts[i], measured.r[i], expected.data());
  }
  for (std::size_t k = 4; k < force.size(); ++k) EXPECT_NEAR(force[k], expected[k], 1e-12);
}

TEST(MeasureErrors, NoticeWhatIsNoNumber) {
  Measured measured(20);
  measured.r[7][1] = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> errors(measured.space.size());
  measure_errors(measured.space, measured.r, measured.v.data(), errors);
  for (std::size_t i = 0; i < errors.size(); ++i) EXPECT_EQ(std::isnan(errors[i]), i == 7) << i;
}

}  // namespace
}  // namespace tendril::contact
