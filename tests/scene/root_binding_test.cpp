#include "tendril/scene/root_binding.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "rods/allocation_counter.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using Points = std::vector<Vector3d>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

constexpr double fps = 32.0;  // a power of two: the times of frames are exact

std::shared_ptr<MeshSequence> skin_of(Triangles triangles, const std::vector<Points>& frames, double start = 0.0) {
  auto skin = std::make_shared<MeshSequence>();
  skin->name = "skin_##.obj";
  skin->triangles = std::move(triangles);
  skin->fps = fps, skin->start = start;
  for (const Points& frame : frames) {
    skin->frames.emplace_back();
    for (const Vector3d& p : frame) skin->frames.back().push_back(p.cast<float>());
  }
  return skin;
}

RootBinding bound(const std::shared_ptr<MeshSequence>& skin, const Points& roots) {
  auto binding = RootBinding::bind(skin, roots);
  if (!binding) throw std::runtime_error(binding.error().message());
  return std::move(binding.value());
}

std::string refusal(const std::shared_ptr<MeshSequence>& skin, const Points& roots) {
  const auto binding = RootBinding::bind(skin, roots);
  return binding ? "accepted" : binding.error().message();
}

bool is_bitwise_identity(const Pose& pose) {
  const Pose identity;
  return std::memcmp(pose.rotation.coeffs().data(), identity.rotation.coeffs().data(), 4 * sizeof(double)) == 0 &&
         std::memcmp(pose.translation.data(), identity.translation.data(), 3 * sizeof(double)) == 0;
}

double angle_between(const Quaterniond& a, const Quaterniond& b) { return a.angularDistance(b); }

Vector3d random_vector(Random& random, double size) {
  return {random.uniform(-size, size), random.uniform(-size, size), random.uniform(-size, size)};
}

// Rotations whose matrices are whole numbers over 30, and points that are multiples of 30: float32 holds the turned
// points exactly.
const std::vector<Quaterniond> exact_turns = {{1, 0, 0, 0},   {5, 1, 2, 0},  {5, -2, 0, 1},
                                              {-3, -4, 1, 2}, {1, 2, -3, 4}, {0, 5, 2, -1}};
Matrix3d exact_matrix(const Quaterniond& q) {
  if (q.norm() == 1.0) return 30.0 * Matrix3d::Identity();
  const double w = q.w(), x = q.x(), y = q.y(), z = q.z();
  Matrix3d m;
  m << w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),  //
      2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),   //
      2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z;
  return m;
}

struct RigidSkin {
  std::shared_ptr<MeshSequence> skin;
  std::vector<Pose> poses;  // one per frame
  Points roots;
};

// A bowl of 12 x 12 squares, a good hand wide, that turns and moves without deforming; roots up to 1 cm beside it.
RigidSkin rigid_skin(double start = 0.0) {
  constexpr std::uint32_t n = 12;
  RigidSkin made;
  Random random(31);
  std::vector<Eigen::Vector3i> grid;
  Triangles triangles;
  for (std::uint32_t i = 0; i <= n; ++i)
    for (std::uint32_t j = 0; j <= n; ++j) {
      const int x = 10 * static_cast<int>(i) - 60, z = 10 * static_cast<int>(j) - 60;
      grid.emplace_back(x, (x * x + z * z) / 100 + static_cast<int>(random.below(3)), z);
      if (i == n || j == n) continue;
      const std::uint32_t a = i * (n + 1) + j;
      triangles.push_back({a, a + 1, a + n + 2});
      triangles.push_back({a, a + n + 2, a + n + 1});
    }
  std::vector<Points> frames;
  for (std::size_t f = 0; f < exact_turns.size(); ++f) {
    const Matrix3d turn = exact_matrix(exact_turns[f]);
    const Vector3d shift = Vector3d(17.0 * double(f), -9.0 * double(f * f), 5.0 * double(f)) / 4096.0;
    frames.emplace_back();
    for (const auto& p : grid) frames.back().push_back(turn * p.cast<double>() / 16384.0 + shift);
    made.poses.push_back({Quaterniond(Matrix3d(turn / 30.0)).normalized(), shift});
  }
  made.skin = skin_of(std::move(triangles), frames, start);
  for (int r = 0; r < 200; ++r)
    made.roots.push_back(30.0 * grid[random.below(grid.size())].cast<double>() / 16384.0 + random_vector(random, 0.01));
  return made;
}

TEST(RootBinding, ReproducesARigidMotionTo1e12) {
  const RigidSkin rigid = rigid_skin();
  for (const auto& frame : rigid.skin->frames)
    ASSERT_EQ((frame[1] - frame[0]).squaredNorm(), (rigid.skin->frames[0][1] - rigid.skin->frames[0][0]).squaredNorm());
  const RootBinding binding = bound(rigid.skin, rigid.roots);
  ASSERT_EQ(binding.size(), rigid.roots.size());
  for (std::size_t f = 0; f < rigid.poses.size(); ++f)
    for (std::size_t r = 0; r < rigid.roots.size(); ++r) {
      const Pose pose = binding.pose(r, double(f) / fps);
      EXPECT_LT(angle_between(pose.rotation, rigid.poses[f].rotation), 1e-12);
      EXPECT_LT((pose.translation - rigid.poses[f].translation).norm(), 1e-12);
      EXPECT_LT((apply(pose, rigid.roots[r]) - apply(rigid.poses[f], rigid.roots[r])).norm(), 1e-12);
      EXPECT_NEAR(pose.rotation.norm(), 1.0, 1e-15);
    }
}

TEST(RootBinding, IsTheIdentityBitForBitAtTimeZero) {
  for (const double start : {0.0, -1.0 / fps, -2.3 / fps, -5.0 / fps, -10.0, 0.5}) {
    const RigidSkin rigid = rigid_skin(start);
    const RootBinding binding = bound(rigid.skin, rigid.roots);
    for (std::size_t r = 0; r < binding.size(); ++r) {
      EXPECT_TRUE(is_bitwise_identity(binding.pose(r, 0.0))) << start;
      EXPECT_TRUE(is_bitwise_identity(binding.pose(r, -0.0))) << start;
      const std::vector<double> at_rest = start >= 0.0     ? std::vector<double>{-3.0, start}
                                          : start == -10.0 ? std::vector<double>{-5.0, 1.0}  // all is over
                                                           : std::vector<double>{};
      for (const double time : at_rest) EXPECT_TRUE(is_bitwise_identity(binding.pose(r, time))) << start;
    }
  }
}

TEST(RootBinding, IsTheIdentityBitForBitWhileTheSkinRests) {
  RigidSkin rigid = rigid_skin();
  rigid.skin->frames.insert(rigid.skin->frames.begin(), 3, rigid.skin->frames.front());
  rigid.skin->start = -0.4 / fps;
  const RootBinding binding = bound(rigid.skin, rigid.roots);
  for (std::size_t r = 0; r < binding.size(); ++r) {
    for (const double frame : {-1.0, 0.1, 1.0, 2.5}) EXPECT_TRUE(is_bitwise_identity(binding.pose(r, frame / fps)));
    EXPECT_FALSE(is_bitwise_identity(binding.pose(r, 2.7 / fps)));
  }
}

// Time 0 between two frames: from frame to frame the motion is the rigid one all the same, and at 0 nothing jumps.
TEST(RootBinding, FollowsARigidMotionThatHasBegunBefore) {
  for (const double begun : {1.3, 1.8}) {
    const RigidSkin rigid = rigid_skin(-begun / fps);
    const RootBinding binding = bound(rigid.skin, rigid.roots);
    const auto at_frame = [&](std::size_t r, std::size_t f) { return binding.pose(r, (double(f) - begun) / fps); };
    for (std::size_t r = 0; r < binding.size(); ++r) {
      for (std::size_t f = 0; f + 1 < rigid.poses.size(); ++f) {
        const Quaterniond step = at_frame(r, f + 1).rotation * at_frame(r, f).rotation.conjugate();
        const Quaterniond exact = rigid.poses[f + 1].rotation * rigid.poses[f].rotation.conjugate();
        EXPECT_LT(angle_between(step, exact), 1e-12);
      }
      for (const double time : {-1e-9, 1e-9}) {
        EXPECT_LT(angle_between(binding.pose(r, time).rotation, Quaterniond::Identity()), 1e-6);
        EXPECT_LT((apply(binding.pose(r, time), rigid.roots[r]) - rigid.roots[r]).norm(), 1e-6);
      }
    }
  }
}

TEST(RootBinding, CarriesRootsByTheirBarycentricCoordinatesOnAStretchingSkin) {
  const Triangles square = {{0, 1, 2}, {0, 2, 3}};
  const Points drawn = {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 0, 0}};
  Points stretched = drawn;
  for (Vector3d& p : stretched) p = Vector3d(3.0 * p.x(), 7.0, 0.5 * p.z());
  const Points roots = {{0.25, 0, 0.75}, {0.5, 0.125, 0.25}, {1, 0, 1}, {0.5, -0.25, 0.5}};
  const RootBinding binding = bound(skin_of(square, {drawn, stretched}), roots);
  for (std::size_t r = 0; r < roots.size(); ++r) {
    const Pose pose = binding.pose(r, 1.0 / fps);
    EXPECT_LT(angle_between(pose.rotation, Quaterniond::Identity()), 1e-15);
    const Vector3d expected(3.0 * roots[r].x(), 7.0 + roots[r].y(), 0.5 * roots[r].z());  // the offset does not stretch
    EXPECT_LT((apply(pose, roots[r]) - expected).norm(), 1e-14);
  }
}

// The rotation in F = R S, by its definition.
Matrix3d polar_rotation(const Points& from, const Points& to) {
  const auto frame = [](const Points& p) {
    Matrix3d m;
    m.col(0) = p[1] - p[0], m.col(1) = p[2] - p[0];
    m.col(2) = m.col(0).cross(m.col(1)).normalized();
    return m;
  };
  const Matrix3d gradient = frame(to) * frame(from).inverse();
  const Eigen::JacobiSVD<Matrix3d> svd(gradient, Eigen::ComputeFullU | Eigen::ComputeFullV);
  return svd.matrixU() * svd.matrixV().transpose();
}

Points rounded(Points points) {
  for (Vector3d& p : points) p = p.cast<float>().cast<double>();
  return points;
}

TEST(RootBinding, TurnsAsThePolarDecompositionWhicheverCornerComesFirst) {
  Random random(41);
  for (int i = 0; i < 500; ++i) {
    const auto corner = [&] { return random_vector(random, 1.0); };
    const Points from = rounded({corner(), corner(), corner()}), to = rounded({corner(), corner(), corner()});
    const auto area = [](const Points& p) { return (p[1] - p[0]).cross(p[2] - p[0]).norm(); };
    if (area(from) < 0.05 || area(to) < 0.05) continue;
    const Matrix3d expected = polar_rotation(from, to);
    ASSERT_NEAR(expected.determinant(), 1.0, 1e-12);
    const Points root = {(from[0] + from[1] + from[2]) / 3.0};
    for (const std::array<std::uint32_t, 3>& order : Triangles{{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}}) {
      const Pose pose = bound(skin_of({order}, {from, to}), root).pose(0, 1.0);
      EXPECT_LT((pose.rotation.toRotationMatrix() - expected).norm(), 1e-12);
      EXPECT_LT((apply(pose, root[0]) - (to[0] + to[1] + to[2]) / 3.0).norm(), 1e-14);
    }
  }
}

TEST(RootBinding, NeverReflects) {
  const Points drawn = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, mirrored = {{0, 0, 0}, {-1, 0, 0}, {0, 1, 0}};
  const Pose pose = bound(skin_of({{0, 1, 2}}, {drawn, mirrored}), {{0.2, 0.2, 0}}).pose(0, 1.0);
  EXPECT_NEAR(pose.rotation.norm(), 1.0, 1e-15);
  EXPECT_LT((pose.rotation * Vector3d::UnitZ() + Vector3d::UnitZ()).norm(), 1e-15);  // it shows its other side
}

TEST(RootBinding, GoesHalfwayBetweenFrames) {
  // A quarter turn about y, and a shift by 2 along y.
  const Points drawn = {{1, 0, 0}, {2, 0, 0}, {1, 0, 1}};
  Points turned;
  for (const Vector3d& p : drawn) turned.emplace_back(p.z(), 2, -p.x());
  const Points roots = {{1.25, 0, 0.25}, {1.25, 0.5, 0.25}};
  const RootBinding binding = bound(skin_of({{0, 2, 1}}, {drawn, turned}), roots);
  const Quaterniond half(Eigen::AngleAxisd(std::numbers::pi / 4.0, Vector3d::UnitY()));
  const Vector3d middle = 0.5 * (Vector3d(1.25, 0, 0.25) + Vector3d(0.25, 2, -1.25));
  for (std::size_t r = 0; r < 2; ++r) {
    const Pose pose = binding.pose(r, 0.5 / fps);
    EXPECT_LT(angle_between(pose.rotation, half), 1e-14);
    EXPECT_LT((apply(pose, roots[r]) - middle - Vector3d(0, roots[r].y(), 0)).norm(), 1e-14);
    const Pose third = binding.pose(r, 1.0 / 3.0 / fps);
    EXPECT_NEAR(angle_between(third.rotation, Quaterniond::Identity()), std::numbers::pi / 6.0, 1e-14);
  }
  EXPECT_NEAR(binding.largest_turn_rate(), std::numbers::pi / 2.0 * fps, 1e-12 * fps);
}

// How fast the fastest root turns from one time to the next, over all times of the sequence and a bit beyond.
double measured_turn_rate(const RootBinding& binding, const MeshSequence& skin, int steps_per_frame) {
  double fastest = 0.0;
  const double dt = 1.0 / fps / steps_per_frame;
  const int steps = (int(skin.frames.size()) + 1) * steps_per_frame;
  for (std::size_t r = 0; r < binding.size(); ++r) {
    Pose before = binding.pose(r, skin.start - 1.0 / fps);
    for (int i = 1; i <= steps; ++i) {
      const Pose pose = binding.pose(r, skin.start - 1.0 / fps + i * dt);
      EXPECT_TRUE(pose.rotation.coeffs().allFinite() && pose.translation.allFinite());
      fastest = std::max(fastest, angle_between(before.rotation, pose.rotation) / dt);
      before = pose;
    }
  }
  return fastest;
}

// Corners that wander at random, so that triangles deform, turn over and are narrow at times.
std::shared_ptr<MeshSequence> wild_skin(std::uint64_t seed, double start) {
  Random random(51, seed);
  std::vector<Points> frames(8, Points(12));
  for (Points& frame : frames)
    for (Vector3d& p : frame) p = random_vector(random, 1.0);
  for (const std::size_t f : {2, 5, 6})
    for (std::size_t v = 0; v < 12; ++v)
      if ((v / 3 + f) % 2 == 0) frames[f][v] = frames[f][v / 3 * 3];  // some triangles are one point
  return skin_of({{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}, frames, start);
}

TEST(RootBinding, NeverTurnsFasterThanItSays) {
  Random random(52);
  for (std::uint64_t seed = 0; seed < 20; ++seed)
    for (const double start : {0.0, -1.0 / fps, -3.7 / fps}) {
      const auto skin = wild_skin(seed, start);
      Points roots;
      for (int r = 0; r < 12; ++r) roots.push_back(random_vector(random, 1.5));
      const RootBinding binding = bound(skin, roots);
      const double measured = measured_turn_rate(binding, *skin, 16);
      EXPECT_LE(measured, binding.largest_turn_rate() * (1.0 + 1e-9));
      EXPECT_GE(measured, binding.largest_turn_rate() * (1.0 - 1e-9));
    }
}

TEST(RootBinding, BindsNoRootToATriangleThatIsTooNarrowAtTimeZero) {
  // A flap that unfolds only later, and a sliver that float32 cannot tell from a line; both are closest.
  const Points drawn = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {0, 1, 0}, {1, 1, 0}, {0.5, 1, 0}, {0.5, 1, 1e-7}};
  Points later = drawn;
  later[5] = {0.5, 1, 1};
  const Triangles triangles = {{3, 4, 5}, {0, 2, 1}, {3, 6, 4}};
  const Points roots = {{0.5, 1.25, 0}};
  const RootBinding binding = bound(skin_of(triangles, {drawn, later}), roots);
  EXPECT_EQ(binding.largest_distance(), 1.25);  // from the sound one below
  EXPECT_TRUE(is_bitwise_identity(binding.pose(0, 0.5 / fps)));
  EXPECT_EQ(refusal(skin_of({{3, 4, 5}, {3, 3, 4}}, {drawn, later}), roots),
            "skin_##.obj: all 2 triangles are too narrow at time 0 to carry roots; a triangle needs an area");
}

// A door that turns about the z axis by the angles in degrees; where `shut` it is a line.
std::shared_ptr<MeshSequence> door(const std::vector<double>& degrees, const std::vector<bool>& shut, double start) {
  std::vector<Points> frames;
  for (std::size_t f = 0; f < degrees.size(); ++f) {
    const double angle = degrees[f] * std::numbers::pi / 180.0;
    const Vector3d out(std::cos(angle), std::sin(angle), 0.0);
    frames.push_back({{0, 0, 0}, out, shut[f] ? Vector3d(0.5 * out) : Vector3d(0, 0, 1)});
  }
  return skin_of({{0, 1, 2}}, frames, start);
}

TEST(RootBinding, TurnsEvenlyThroughFramesInWhichATriangleIsTooNarrow) {
  const double degree = std::numbers::pi / 180.0;
  const auto skin =
      door({10, 10, 20, 0, 0, 50, 60, 0}, {true, false, false, true, true, false, false, true}, -1.0 / fps);
  const RootBinding binding = bound(skin, {{0.3, 0, 0.1}});
  for (const auto& [frame, degrees] : {std::pair(-5.0, 0.0),
                                       {-1.0, 0.0},
                                       {-0.5, 0.0},
                                       {0.0, 0.0},
                                       {0.5, 5.0},
                                       {1.0, 10.0},
                                       {2.0, 20.0},
                                       {2.5, 25.0},
                                       {3.0, 30.0},
                                       {4.0, 40.0},
                                       {5.0, 50.0},
                                       {5.5, 50.0},
                                       {6.0, 50.0},
                                       {9.0, 50.0}}) {
    const Quaterniond expected(Eigen::AngleAxisd(degrees * degree, Vector3d::UnitZ()));
    EXPECT_LT(angle_between(binding.pose(0, frame / fps).rotation, expected), 1e-6) << frame;
  }
  EXPECT_NEAR(binding.largest_turn_rate(), 10.0 * degree * fps, 1e-6 * fps);
  EXPECT_NEAR(measured_turn_rate(binding, *skin, 8), binding.largest_turn_rate(), 1e-9 * fps);
}

TEST(RootBinding, TellsWhichRootIsFarthestFromTheSkin) {
  const Points drawn = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  const auto skin = skin_of({{0, 2, 1}}, {drawn, drawn});
  const RootBinding binding = bound(skin, {{0, 0.5, 0}, {0.25, -2, 0.25}, {0.25, 2, 0.25}, {0, 0, 0}});
  EXPECT_EQ(binding.largest_distance(), 2.0);
  EXPECT_EQ(binding.largest_distance_root(), 1u);
  EXPECT_EQ(binding.largest_turn_rate(), 0.0);
  const RootBinding none = bound(skin, {});
  EXPECT_EQ(none.size(), 0u);
  EXPECT_EQ(none.largest_distance(), 0.0);
}

TEST(RootBinding, NamesARootThatIsNowhere) {
  const Points drawn = {{0, 0, 0}, {1, 0, 0}, {0, 0, 1}};
  EXPECT_EQ(refusal(skin_of({{0, 2, 1}}, {drawn}), {{0, 0, 0}, {0, std::numeric_limits<double>::quiet_NaN(), 0}}),
            "root 1: a coordinate is not a finite number; a root needs a place to be bound");
}

TEST(RootBinding, HasTheSameBitsForEveryNumberOfThreads) {
  const auto skin = wild_skin(7, -1.5 / fps);
  Random random(53);
  Points roots;
  for (int r = 0; r < 300; ++r) roots.push_back(random_vector(random, 1.5));
  set_thread_count(1);
  const RootBinding alone = bound(skin, roots);
  set_thread_count(4);
  const RootBinding together = bound(skin, roots);
  std::vector<Pose> poses(roots.size());
  parallel_for(roots.size(), [&](std::size_t r) { poses[r] = together.pose(r, 1.3 / fps); });
  set_thread_count(0);
  EXPECT_EQ(alone.largest_turn_rate(), together.largest_turn_rate());
  for (std::size_t r = 0; r < roots.size(); ++r) {
    EXPECT_EQ(alone.pose(r, 1.3 / fps).rotation.coeffs(), poses[r].rotation.coeffs());
    EXPECT_EQ(alone.pose(r, 1.3 / fps).translation, poses[r].translation);
  }
}

#ifdef TENDRIL_COUNTS_ALLOCATIONS
TEST(RootBinding, AllocatesNothingForAPose) {
  const auto skin = wild_skin(3, -1.5 / fps);
  Random random(54);
  Points roots;
  for (int r = 0; r < 20; ++r) roots.push_back(random_vector(random, 1.5));
  const RootBinding binding = bound(skin, roots);
  const long before = support::allocations;
  double sum = 0.0;
  for (int i = 0; i < 200; ++i)
    for (std::size_t r = 0; r < roots.size(); ++r) sum += binding.pose(r, 0.002 * i).translation.x();
  EXPECT_EQ(support::allocations - before, 0);
  EXPECT_TRUE(std::isfinite(sum));
}
#endif

}  // namespace
}  // namespace tendril
