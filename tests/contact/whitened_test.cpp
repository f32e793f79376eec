#include "tendril/contact/whitened.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <numeric>

#include "contact/random_strands.hpp"
#include "tendril/contact/dense_delassus.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

NodeSpace space_of(const Problem& problem, const BlockInverses& inverses) {
  std::vector<std::uint32_t> all(problem.size());
  std::iota(all.begin(), all.end(), 0u);
  return {problem, inverses, all};
}

// W by columns.
MatrixXd product(const Whitened& whitened, std::size_t contacts) {
  MatrixXd w(3 * Index(contacts), 3 * Index(contacts));
  AlignedVector<double> gathered(whitened.unknowns(), 0.0);
  for (Index j = 0; j < w.cols(); ++j) {
    Impulses r(contacts, Vector3d::Zero());
    r[std::size_t(j / 3)] = Vector3d::Unit(j % 3);
    whitened.gather(r, gathered);
    for (std::size_t i = 0; i < contacts; ++i) w.block<3, 1>(3 * Index(i), j) = whitened.velocity(i, gathered);
  }
  return w;
}

TEST(Whitened, HasTheDelassusOperatorAsProduct) {
  const Problem problem = random_strands({.strands = 6, .contacts = 30, .self = true});
  const BlockInverses inverses(problem);
  const NodeSpace space = space_of(problem, inverses);
  const MatrixXd w = dense_delassus(space);
  EXPECT_LT((product(Whitened(space), space.size()) - w).norm(), 1e-12 * w.norm());
}

// 1 - G (1 + Gᵀ D G)^-1 Gᵀ D is (1 + W D)^-1.
TEST(Whitened, SolvesInBothWays) {
  const Problem problem = random_strands({.strands = 6, .contacts = 30, .self = true});
  const BlockInverses inverses(problem);
  const NodeSpace space = space_of(problem, inverses);
  Random random(3);
  std::vector<Matrix3d> d(space.size());
  MatrixXd stiff = MatrixXd::Zero(3 * Index(space.size()), 3 * Index(space.size()));
  for (std::size_t i = 0; i < d.size(); ++i)
    stiff.block<3, 3>(3 * Index(i), 3 * Index(i)) = d[i] =
        space.contacts[i].scale * (Matrix3d::Random() + 2.0 * Matrix3d::Identity());
  Impulses r(space.size());
  for (Vector3d& impulse : r) impulse = random_vector(random);
  const MatrixXd w = dense_delassus(space);
  const Eigen::VectorXd flat = Eigen::Map<const Eigen::VectorXd>(r[0].data(), w.rows());
  const MatrixXd matrix = MatrixXd::Identity(w.rows(), w.rows()) + w * stiff;
  const Eigen::VectorXd expected = matrix.partialPivLu().solve(w * flat);
  Whitened whitened(space);
  for (const bool densely : {false, true}) {
    ASSERT_TRUE(densely ? whitened.factorise_densely(d) : whitened.factorise(d));
    EXPECT_EQ(whitened.determinant_sign(), matrix.determinant() > 0.0 ? 1 : -1);
    AlignedVector<double> v(whitened.unknowns(), 0.0);
    whitened.gather(r, v);
    whitened.solve(v);
    for (std::size_t i = 0; i < space.size(); ++i)
      EXPECT_LT((whitened.velocity(i, v) - expected.segment<3>(3 * Index(i))).norm(), 1e-10 * expected.norm());
  }
}

}  // namespace
}  // namespace tendril::contact
