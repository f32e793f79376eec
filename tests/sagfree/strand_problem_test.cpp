// The net force as a function of rest state and stiffness: reference values for force, Jacobian and Gauss-Newton
// matrix, central differences on strands of every kind, and the way to and from the rest state.
#include "tendril/sagfree/strand_problem.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "support/reference_rod.hpp"
#include "support/rods.hpp"
#include "support/test_data.hpp"
#include "tendril/sagfree/imbalance.hpp"

namespace tendril::sagfree {
namespace {

using namespace der::support;
using Eigen::VectorXd;
using nlohmann::json;

VectorXd vector_of(const json& list) {
  VectorXd v(Eigen::Index(list.size()));
  for (std::size_t i = 0; i < list.size(); ++i) v[Eigen::Index(i)] = list[i];
  return v;
}

class ReferenceJacobian : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Cases, ReferenceJacobian, testing::Range(0, 5));

TEST_P(ReferenceJacobian, ForceJacobianAndMatrix) {
  const json data = json::parse(std::ifstream(test_data("der-sagfree_jacobian.json")));
  const json& test = data["cases"][std::size_t(GetParam())];
  const ReferenceRod rod = reference_rod(data["rod"], der::Curvature::four, Isa::reference);
  const std::string vars = test["vars"];
  const Freedom freedom = vars == "full" ? Freedom::full : vars == "rest" ? Freedom::rest_shape : Freedom::rest_shape4;
  const Dependent dependent = test["sync"] == "rot" ? Dependent::turned : Dependent::copied;
  const StrandProblem problem(rod.strands, rod.strands.make_targets(), rod.state, 0, rod.options.gravity, freedom,
                              dependent);
  // The reference counts stiffness in another s: that of its own initial moduli.
  const double scale = problem.mean_modulus() / double(data["rod"]["s"]);
  VectorXd p = vector_of(test["p"]), units = VectorXd::Ones(p.size());
  ASSERT_EQ(problem.size(), std::size_t(p.size()));
  for (Eigen::Index i = 0; i < p.size(); ++i) {
    const Variable v = problem.variable(std::size_t(i));
    if (v == Variable::bend || v == Variable::twist || v == Variable::stretch) units[i] = scale, p[i] /= scale;
  }
  VectorXd force;
  problem.force(p, force);
  const VectorXd expected = vector_of(test["force"]);
  for (Eigen::Index r = 0; r < expected.size(); ++r)
    EXPECT_NEAR(force[7 + r], expected[r], 1e-12 * expected.cwiseAbs().maxCoeff());

  std::vector<ForceColumn> columns;
  problem.jacobian(p, columns);
  double largest = 0.0;
  for (const json& row : test["jac"]) largest = std::max(largest, vector_of(row).cwiseAbs().maxCoeff());
  for (Eigen::Index r = 0; r < expected.size(); ++r)
    for (std::size_t c = 0; c < columns.size(); ++c) {
      const auto u = std::size_t(7 + r);
      const ForceColumn& column = columns[c];
      const double ours = u >= column.first && u < column.first + column.count ? column.values[u - column.first] : 0.0;
      EXPECT_NEAR(ours / units[Eigen::Index(c)], test["jac"][std::size_t(r)][c], 1e-12 * largest) << r << " " << c;
    }

  EXPECT_EQ(problem.half_bandwidth(), std::size_t(test["half_bandwidth"]));
  Band<double> matrix(problem.size(), problem.half_bandwidth());
  problem.add_gauss_newton(columns, test["rho"], matrix);
  const json& band = test["hess_band_lower"];
  double peak = 0.0;
  for (const json& row : band) peak = std::max(peak, vector_of(row).cwiseAbs().maxCoeff());
  for (std::size_t r = 0; r < band.size(); ++r)
    for (std::size_t c = 0; c + r < problem.size(); ++c) {
      const Variable v = problem.variable(c);
      const bool stiffness = v == Variable::bend || v == Variable::twist || v == Variable::stretch;
      const double weight = r > 0 ? 0.0 : stiffness ? double(test["wstiff"]) : double(test["wrest"]);
      const double unit = units[Eigen::Index(c)] * units[Eigen::Index(c + r)];
      EXPECT_NEAR(matrix.at(c + r, c) / unit + weight, band[r][c], 1e-11 * peak) << r << " " << c;
    }
}

TEST(StrandProblem, JacobianIsTheForcesDerivative) {
  Random random(41);
  for (const der::Clamps clamps :
       {der::Clamps{}, der::Clamps{der::Clamp::point, der::Clamp::free},
        der::Clamps{der::Clamp::edge, der::Clamp::edge}, der::Clamps{der::Clamp::point, der::Clamp::point}})
    for (const der::Curvature curvature : {der::Curvature::four, der::Curvature::averaged, der::Curvature::slerped}) {
      der::Material material = rope();
      material.aspect = 0.6, material.tip_radius = 0.5 * material.radius;
      der::Description d = der::describe(one(smooth_strand(random, 8, 0.3, 0.3)), material, clamps);
      d.curvature = curvature;
      Simulation s(d);
      shake(random, s);
      const StrandProblem problem(s.strands, s.targets, s.state, 0, {0.0, -9.81, 0.0}, Freedom::full);
      VectorXd p = problem.initial();
      for (Eigen::Index i = 0; i < p.size(); ++i) p[i] += (0.05 + 0.1 * std::abs(p[i])) * random.uniform(0.1, 0.9);
      std::vector<ForceColumn> columns;
      problem.jacobian(p, columns);
      for (Eigen::Index c = 0; c < p.size(); ++c) {
        const double h = 1e-5 * std::max(0.01, std::abs(p[c]));
        VectorXd above, below;
        problem.force(p + h * VectorXd::Unit(p.size(), c), above);
        problem.force(p - h * VectorXd::Unit(p.size(), c), below);
        const VectorXd expected = (above - below) / (2.0 * h);
        const ForceColumn& column = columns[std::size_t(c)];
        VectorXd ours = VectorXd::Zero(expected.size());
        for (std::size_t r = 0; r < column.count; ++r) ours[Eigen::Index(column.first + r)] = column.values[r];
        const double rounding = 1e-14 * above.norm() / h;
        EXPECT_LT((ours - expected).norm(), 1e-7 * expected.norm() + rounding) << "parameter " << c;
      }
    }
}

TEST(StrandProblem, ForceIsThatOfTheStrandWithThisRestState) {
  Random random(42);
  der::Description d = der::describe(one(smooth_strand(random, 9, 0.3, 0.3)), hair(), {});
  const der::Strands strands = der::Strands::create(d).value();
  const der::State state = strands.start();
  const StrandProblem problem(strands, strands.make_targets(), state, 0, {0.0, -9.81, 0.0}, Freedom::full);
  VectorXd p = problem.initial();
  for (Eigen::Index i = 0; i < p.size(); ++i) p[i] *= 1.0 + 1e-4 * random.uniform(-1.0, 1.0);
  der::RestState rest = strands.rest_state();
  problem.store(p, strands, rest);
  EXPECT_LT((problem.read(strands, rest) - p).cwiseAbs().maxCoeff(), 1e-15);
  der::Strands changed = strands;
  ASSERT_TRUE(changed.set_rest(rest));
  const der::Rod rod = der::extract(changed, changed.make_targets(), state, 0);
  der::Rod applied = der::extract(strands, strands.make_targets(), state, 0);
  problem.apply(p, applied);
  const VectorXd expected = der::net_force(rod, {0.0, -9.81, 0.0}), again = der::net_force(applied, {0.0, -9.81, 0.0});
  VectorXd ours;
  problem.force(p, ours);
  for (Eigen::Index u = 0; u < ours.size(); ++u) {
    if (!rod.is_free(std::size_t(u))) continue;
    EXPECT_NEAR(ours[u], expected[u], 1e-9 * expected.cwiseAbs().maxCoeff());
    EXPECT_NEAR(again[u], expected[u], 1e-9 * expected.cwiseAbs().maxCoeff());
  }
}

}  // namespace
}  // namespace tendril::sagfree
