// Shape and inertia of super-helices: against the reference file of the friction spec, whose order of components
// (twist, bend, bend) and of frame columns (tangent first) is converted here, and against differences.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "support/rods.hpp"
#include "support/test_data.hpp"
#include "tendril/rods/superhelix/dynamics.hpp"
#include "tendril/rods/superhelix/fit.hpp"

namespace tendril::superhelix {
namespace {

using der::support::random_vector;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;
using nlohmann::json;

const json& reference() {
  static const json data = json::parse(std::ifstream(test_data("coulomb-contact_local.json")))["superhelix"];
  return data;
}
std::vector<double> list(const json& values) { return values.get<std::vector<double>>(); }
MatrixXd matrix(const json& rows) {
  MatrixXd out(Eigen::Index(rows.size()), Eigen::Index(rows[0].size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < rows[i].size(); ++j) out(Eigen::Index(i), Eigen::Index(j)) = rows[i][j];
  return out;
}
Vector3d vector(const json& values) { return {double(values[0]), double(values[1]), double(values[2])}; }

// The reference's root frame is the identity with the tangent first.
Matrix3d reference_root() {
  Matrix3d root;
  root << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return root;
}

// Entry and sign of the reference's unknowns behind each of ours.
struct Match {
  std::vector<std::size_t> entry;
  std::vector<double> sign;

  VectorXd ours(const std::vector<double>& theirs) const {
    VectorXd out(Eigen::Index(entry.size()));
    for (std::size_t u = 0; u < entry.size(); ++u) out[Eigen::Index(u)] = sign[u] * theirs[entry[u]];
    return out;
  }
  MatrixXd columns(const MatrixXd& theirs) const {
    MatrixXd out(theirs.rows(), Eigen::Index(entry.size()));
    for (std::size_t u = 0; u < entry.size(); ++u)
      out.col(Eigen::Index(u)) = sign[u] * theirs.col(Eigen::Index(entry[u]));
    return out;
  }
  MatrixXd both(const MatrixXd& theirs) const { return columns(columns(theirs).transpose()).transpose(); }
};
Match five_elements() {  // (twist, k1, k2) element by element
  Match m;
  for (const auto& [component, sign] : {std::pair(2u, 1.0), std::pair(1u, -1.0), std::pair(0u, 1.0)})
    for (std::size_t j = 0; j < 5; ++j) m.entry.push_back(3 * j + component), m.sign.push_back(sign);
  return m;
}
Match sixteen_unknowns() {  // 4 twists, 6 k1, 6 k2
  Match m;
  for (std::size_t i = 0; i < 6; ++i) m.entry.push_back(10 + i), m.sign.push_back(1.0);
  for (std::size_t i = 0; i < 6; ++i) m.entry.push_back(4 + i), m.sign.push_back(-1.0);
  for (std::size_t i = 0; i < 4; ++i) m.entry.push_back(i), m.sign.push_back(1.0);
  return m;
}

std::span<const double> span(const VectorXd& v) { return {v.data(), std::size_t(v.size())}; }

// A strand of uniform mass per length.
struct Sample {
  Partition partition;
  double length;
  Matrix3d root;
  std::vector<Piece> pieces;
  std::vector<double> masses;

  Sample(const Counts& counts, double l, const Matrix3d& r, const VectorXd& q, double density)
      : partition(counts), length(l), root(r), pieces(partition.pieces()) {
    lay_out(partition, span(q), length, root, pieces);
    for (std::size_t j = 0; j < partition.pieces(); ++j)
      for (const double w : gauss_weight)
        masses.push_back(density * w * length * (partition.end(j) - partition.begin(j)));
  }
  MatrixXd jacobian(double share) const {
    MatrixXd out = MatrixXd::Zero(Eigen::Index(partition.unknowns()), 3);
    const ShapePoint point = point_at(partition, pieces, length, share);
    for (int c = 0; c < 3; ++c)
      add_force(partition, pieces, point, Vector3d::Unit(c), {out.col(c).data(), partition.unknowns()});
    return out.transpose();
  }
  Quadrature quadrature() const {
    Quadrature out;
    lay_quadrature(partition, pieces, length, masses, out);
    return out;
  }
  Quadrature quadrature(const VectorXd& rate, const VectorXd& acceleration, const RootMotion& motion) const {
    Quadrature out = quadrature();
    accelerate(partition, pieces, length, span(rate), span(acceleration), motion, out);
    return out;
  }
  MatrixXd mass() const {
    MatrixXd out(partition.unknowns(), partition.unknowns());
    mass_matrix(partition, pieces, quadrature(), {out.data(), std::size_t(out.size())});
    return out;
  }
  VectorXd body_force(const Quadrature& points, const Vector3d& gravity) const {
    VectorXd out = VectorXd::Zero(Eigen::Index(partition.unknowns()));
    add_body_force(partition, pieces, points, gravity, {out.data(), std::size_t(out.size())});
    return out;
  }
};

double relative(const MatrixXd& a, const MatrixXd& b) { return (a - b).norm() / b.norm(); }

Sample reference_sample() {
  return {{5, 5, 5}, 0.2, reference_root(), five_elements().ours(list(reference()["q"])), 1e-4};
}

TEST(SuperHelixReference, PositionsAndFrames) {
  const Sample sample = reference_sample();
  for (std::size_t i = 0; i < 4; ++i) {
    const double share = double(reference()["s"][i]) / 0.2;
    EXPECT_LT((position_at(sample.partition, sample.pieces, 0.2, share) - vector(reference()["r"][i])).norm(), 1e-14);
    const Matrix3d theirs = matrix(reference()["R"][i]), ours = frame_at(sample.partition, sample.pieces, 0.2, share);
    EXPECT_LT((ours.col(2) - theirs.col(0)).norm(), 1e-13);
    EXPECT_LT((ours.col(0) - theirs.col(1)).norm(), 1e-13);
    EXPECT_LT((ours.col(1) - theirs.col(2)).norm(), 1e-13);
  }
}

TEST(SuperHelixReference, JacobianMassAndForces) {
  const Sample sample = reference_sample();
  const Match match = five_elements();
  EXPECT_LT(relative(sample.jacobian(0.171 / 0.2), match.columns(matrix(reference()["J_at_0p171"]))), 1e-12);
  EXPECT_LT(relative(sample.mass(), match.both(matrix(reference()["M"]))), 1e-12);
  const VectorXd q = match.ours(list(reference()["q"])), rate = match.ours(list(reference()["qd"]));
  const VectorXd stiffness = match.both(matrix(reference()["K"])).diagonal();
  const Vector3d gravity(0, 0, -9.81);
  const VectorXd elastic = -stiffness.cwiseProduct(q);
  EXPECT_LT(relative(sample.body_force(sample.quadrature(), gravity) + elastic,
                     match.ours(list(reference()["force_static"]))),
            1e-12);
  EXPECT_LT(relative(sample.body_force(sample.quadrature(rate, {}, {}), gravity) + elastic,
                     match.ours(list(reference()["force_full"]))),
            1e-11);
}

TEST(SuperHelixReference, SixteenUnknowns) {
  const json& given = reference()["dof16"];
  const Match match = sixteen_unknowns();
  const Sample sample({}, 0.2, reference_root(), match.ours(list(given["q"])), 1e-4);
  ASSERT_EQ(sample.partition.unknowns(), 16u);
  ASSERT_EQ(sample.partition.pieces(), 8u);
  for (std::size_t j = 0; j < 8; ++j)
    EXPECT_NEAR(0.2 * (sample.partition.end(j) - sample.partition.begin(j)), double(given["lengths"][j]), 1e-16);
  EXPECT_LT((position_at(sample.partition, sample.pieces, 0.2, 1.0) - vector(given["r_end"])).norm(), 1e-14);
  EXPECT_LT(relative(sample.jacobian(1.0), match.columns(matrix(given["J_end"]))), 1e-12);
  EXPECT_LT(relative(sample.mass(), match.both(matrix(given["M"]))), 1e-12);
}

VectorXd random_values(Random& random, std::size_t n, double scale) {
  return VectorXd::NullaryExpr(Eigen::Index(n), [&] { return random.uniform(-scale, scale); });
}
Matrix3d random_frame(Random& random) {
  return Eigen::Quaterniond(Eigen::Vector4d::NullaryExpr([&] { return random.uniform(-1, 1); })).normalized().matrix();
}

// The series for small turns and the sines for large ones are one function, and so are their derivatives.
TEST(HelixSeries, IsSmoothAndHasItsDerivatives) {
  const HelixSeries below(4.0 - 1e-12), above(4.0);
  for (std::size_t n = 0; n < 7; ++n) EXPECT_NEAR(below.s[n], above.s[n], 1e-12 * above.s[n]) << n;
  for (const double y : {0.0, 1e-8, 0.3, 3.0, 5.0, 40.0}) {
    const HelixSeries at(y), more(y + 1e-4), less(std::max(0.0, y - 1e-4));
    for (const std::size_t n : {1u, 2u}) {
      const double width = y > 1e-4 ? 2e-4 : 1e-4 + std::min(y, 1e-4);
      EXPECT_NEAR(at.derivative(n), (more.s[n] - less.s[n]) / width, 2e-6) << y << " " << n;
      EXPECT_NEAR(at.second_derivative(n), (more.derivative(n) - less.derivative(n)) / width, 2e-6) << y << " " << n;
    }
  }
}

TEST(SuperHelix, JacobianIsTheDerivativeOfPositions) {
  Random random(11);
  for (const double curl : {0.0, 5.0, 80.0}) {
    const Counts counts{4, 5, 3};
    const Matrix3d root = random_frame(random);
    const std::size_t n = Partition(counts).unknowns();
    const VectorXd q = random_values(random, n, curl), rate = random_values(random, n, 1.0);
    const double h = 1e-4;
    const Sample sample(counts, 0.25, root, q, 1.0), after(counts, 0.25, root, q + h * rate, 1.0),
        before(counts, 0.25, root, q - h * rate, 1.0);
    for (const double share : {0.0, 0.1, 0.2, 0.55, 1.0}) {
      const auto place = [&](const Sample& s) { return position_at(s.partition, s.pieces, s.length, share); };
      const ShapePoint point = point_at(sample.partition, sample.pieces, 0.25, share);
      const Vector3d v = velocity_of(sample.partition, sample.pieces, point, span(rate));
      EXPECT_LT((v - (place(after) - place(before)) / (2 * h)).norm(), 1e-10);
      EXPECT_LT((v - sample.jacobian(share) * rate).norm(), 1e-15);
    }
  }
}

// The mass matrix is the integral of JᵀJ: here summed point by point, without the moments of what lies beyond.
TEST(SuperHelix, MassMatrixIsTheIntegralOfTheJacobian) {
  Random random(12);
  for (const double curl : {0.0, 10.0}) {
    const Sample sample({}, 0.3, random_frame(random), random_values(random, 16, curl), 2e-4);
    MatrixXd expected = MatrixXd::Zero(16, 16);
    for (std::size_t j = 0; j < sample.partition.pieces(); ++j)
      for (std::size_t g = 0; g < gauss_points; ++g) {
        const double width = sample.partition.end(j) - sample.partition.begin(j);
        const MatrixXd jacobian = sample.jacobian(sample.partition.begin(j) + gauss_place[g] * width);
        expected += sample.masses[j * gauss_points + g] * jacobian.transpose() * jacobian;
      }
    EXPECT_LT(relative(sample.mass(), expected), 1e-13);
    const double mass = std::accumulate(sample.masses.begin(), sample.masses.end(), 0.0);
    EXPECT_NEAR(mass, 2e-4 * 0.3, 1e-18);
  }
}

// Six points per piece are as good as many more: the same strand in twice as many pieces.
TEST(SuperHelix, QuadratureIsAccurate) {
  Random random(13);
  const VectorXd coarse = random_values(random, 9, 10.0);  // turns by up to 1 rad per piece
  VectorXd fine(18);
  for (Eigen::Index i = 0; i < 18; ++i) fine[i] = coarse[i / 2];
  const Sample a({3, 3, 3}, 0.3, Matrix3d::Identity(), coarse, 1e-4),
      b({6, 6, 6}, 0.3, Matrix3d::Identity(), fine, 1e-4);
  MatrixXd gather = MatrixXd::Zero(18, 9);
  for (Eigen::Index i = 0; i < 18; ++i) gather(i, i / 2) = 1.0;
  EXPECT_LT(relative(a.mass(), gather.transpose() * b.mass() * gather), 1e-11);
}

// Accelerations at constant rates, with a root that moves in every way: second differences along that motion.
TEST(SuperHelix, AccelerationsAreSecondDifferences) {
  Random random(14);
  const Matrix3d root = random_frame(random);
  const VectorXd q = random_values(random, 16, 8.0), rate = random_values(random, 16, 30.0),
                 faster = random_values(random, 16, 100.0);
  RootMotion motion{random_vector(random), random_vector(random), random_vector(random), random_vector(random)};
  motion.spin *= 5.0, motion.spin_acceleration *= 20.0;
  const double h = 1e-4;
  // Turned by w t + a t^2 / 2, whose second derivative at 0 is the spin a: higher terms vanish there.
  const auto at = [&](double t) {
    const Vector3d turn = motion.spin * t + 0.5 * motion.spin_acceleration * t * t;
    const Matrix3d turned = Eigen::AngleAxisd(turn.norm(), turn.normalized()).matrix() * root;
    return Sample({}, 0.2, t == 0.0 ? root : turned, q + rate * t + 0.5 * faster * t * t, 1e-4);
  };
  const Quadrature quadrature = at(0.0).quadrature(rate, faster, motion);
  const Quadrature before = at(-h).quadrature(), after = at(h).quadrature();
  for (std::size_t i = 0; i < quadrature.points.size(); ++i) {
    const auto& p = quadrature.points[i];
    const Vector3d expected =
        motion.acceleration + (before.points[i].position + after.points[i].position - 2.0 * p.position) / (h * h);
    EXPECT_LT((p.acceleration - expected).norm(), 1e-5 * expected.norm()) << i;
  }
}

// Generalised forces do the work of the forces: J^T against the power of gravity and inertia.
TEST(SuperHelix, BodyForceDoesTheWorkOfItsPoints) {
  Random random(15);
  const Sample sample({}, 0.3, random_frame(random), random_values(random, 16, 10.0), 1e-4);
  const VectorXd rate = random_values(random, 16, 20.0);
  const Vector3d gravity = random_vector(random);
  double power = 0.0;
  const Quadrature quadrature = sample.quadrature(rate, {}, {});
  std::vector<PointMotion> motions(quadrature.points.size());
  point_motions(sample.partition, sample.pieces, sample.length, span(rate), motions);
  for (std::size_t j = 0; j < sample.partition.pieces(); ++j)
    for (std::size_t g = 0; g < gauss_points; ++g) {
      const auto& p = quadrature.points[j * gauss_points + g];
      const Vector3d v = velocity_of(sample.partition, sample.pieces, {j, p.position, p.by_curvature}, span(rate));
      EXPECT_LT((v - motions[j * gauss_points + g].velocity).norm(), 1e-13);
      EXPECT_LT((p.position - motions[j * gauss_points + g].position).norm(), 1e-15);
      power += p.mass * (gravity - p.acceleration).dot(v);
    }
  EXPECT_NEAR(sample.body_force(quadrature, gravity).dot(rate), power, 1e-12 * std::abs(power));
}

// A polyline that lies on a super-helix is found again; one that does not is met closely, and the error is reported.
TEST(SuperHelixFit, FindsAHelixAgain) {
  Random random(16);
  for (int repeat = 0; repeat < 20; ++repeat) {
    const double curl = repeat % 4 == 0 ? 0.0 : repeat % 4 == 1 ? 5.0 : 12.0;
    const VectorXd q = random_values(random, 16, curl);
    const Sample sample({}, 0.2, random_frame(random), q, 1.0);
    std::vector<Vector3d> points;
    std::vector<double> lengths;
    for (int i = 0; i <= 40; ++i) {
      lengths.push_back(0.2 * i / 40.0);
      points.push_back(Vector3d(1, 2, 3) + position_at(sample.partition, sample.pieces, 0.2, i / 40.0));
    }
    Matrix3d drawn;
    drawn.col(2) = (points[1] - points[0]).normalized();
    drawn.col(0) = drawn.col(2).unitOrthogonal(), drawn.col(1) = drawn.col(2).cross(drawn.col(0));
    const Fit fit = fit_polyline(sample.partition, points, lengths, drawn);
    EXPECT_LT(fit.largest, 1e-9) << repeat;
    EXPECT_LE(fit.mean, fit.largest);
  }
}

TEST(SuperHelixFit, FollowsCurlsOfManyTurns) {
  // A coil of 6 turns: radius 4 mm, pitch 12 mm.
  std::vector<Vector3d> points;
  for (int i = 0; i <= 120; ++i) {
    const double a = 2.0 * std::numbers::pi * 6.0 * i / 120.0;
    points.push_back({4e-3 * std::cos(a), -12e-3 * a / (2.0 * std::numbers::pi), 4e-3 * std::sin(a)});
  }
  Matrix3d drawn;
  drawn.col(2) = (points[1] - points[0]).normalized();
  drawn.col(0) = drawn.col(2).unitOrthogonal(), drawn.col(1) = drawn.col(2).cross(drawn.col(0));
  const std::vector<double> lengths = smooth_arc_lengths(points);
  const double turn = std::hypot(2.0 * std::numbers::pi * 4e-3, 12e-3);
  EXPECT_NEAR(lengths.back(), 6.0 * turn, 1e-3 * 6.0 * turn);
  const Fit fit = fit_polyline(Partition({}), points, lengths, drawn);
  EXPECT_LT(fit.largest, 1e-4);
}

// Between two vertices nobody sees how often a piece turns: it must not wind up there to meet vertices that no
// super-helix meets.
TEST(SuperHelixFit, TurnsNoMoreThanWhatIsDrawn) {
  Random random(17);
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::vector<Vector3d> points;
    for (int i = 0; i < 20; ++i) {
      const double a = 2.0 * std::numbers::pi * 2.5 * i / 19.0;
      const Vector3d curl(1e-2 * std::cos(a), -0.12 * i / 19.0, 1e-2 * std::sin(a));
      points.push_back(curl + Vector3d(random_values(random, 3, 2e-3)));
    }
    Matrix3d drawn;
    drawn.col(2) = (points[1] - points[0]).normalized();
    drawn.col(0) = drawn.col(2).unitOrthogonal(), drawn.col(1) = drawn.col(2).cross(drawn.col(0));
    const Fit fit = fit_polyline(Partition({}), points, smooth_arc_lengths(points), drawn);
    EXPECT_LT(fit.mean, 4e-3) << repeat;
    for (const double q : fit.q) EXPECT_LT(std::abs(q), 150.0) << repeat;
  }
}

}  // namespace
}  // namespace tendril::superhelix
