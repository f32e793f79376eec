// Roots that go with a moving mesh.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numbers>

#include "support/temporary_folder.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/pc2_file.hpp"
#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr double fps = 60.0, rate = 2.0;  // [rad/s] about y
constexpr int frames = 13;

class MeshMotion : public support::TemporaryFolder {
 protected:
  static Eigen::AngleAxisd turn(double time) { return Eigen::AngleAxisd(rate * time, Vector3d::UnitY()); }
  std::vector<Vector3d> skin(double time, double widening = 0.0) const {
    std::vector<Vector3d> points = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    for (Vector3d& p : points) p = turn(time) * ((1.0 + widening * time) * p);
    return points;
  }
  void write_meshes(double widening = 0.0) {
    for (int f = 0; f < frames; ++f) {
      std::string obj;
      for (const Vector3d& p : skin(f / fps, widening))
        obj += fmt::format("v {:.17g} {:.17g} {:.17g}\n", p.x(), p.y(), p.z());
      ASSERT_TRUE(write_file(folder / fmt::format("skin_{:04}.obj", f + 1), obj + "f 1 3 2\nf 1 4 3\n"));
    }
  }
  void write_points() {
    std::vector<std::byte> bytes = encode_pc2_header(4, 0.0f, 1.0f, frames, "skin.pc2").value();
    for (int f = 0; f < frames; ++f) {
      const std::vector<std::byte> sample = encode_pc2_sample(skin(f / fps));
      bytes.insert(bytes.end(), sample.begin(), sample.end());
    }
    ASSERT_TRUE(write_file(folder / "skin.pc2", bytes));
  }
  static constexpr const char* by_meshes = "{ mesh = \"skin_####.obj\", fps = 60 }";

  World world_of(const std::string& motion, const std::string& more = "") {
    const std::string text = fmt::format(R"(
[run]
frames = 12
fps = 60
substeps = 1
newton = "converge"
[[strands]]
name = "hair"
source = {{ points = [[[0.2, 0, 0.1], [0.2, 0.05, 0.1], [0.2, 0.1, 0.12]], [[-0.3, 0, 0.4], [-0.3, 0.05, 0.4], [-0.3, 0.1, 0.42]]] }}
clamp = "edge"
motion = {}
{})",
                                         motion, more);
    Result<Scene> scene = parse_scene(text, folder / "scene.toml");
    EXPECT_TRUE(scene) << (scene ? "" : scene.error().message());
    Result<World> world = make_world(scene.value());
    EXPECT_TRUE(world) << (world ? "" : world.error().message());
    return std::move(world.value());
  }
  static std::vector<Vector3d> moved(const World& world, int substeps) {
    WorldState state = start(world);
    WorldWorkspace work;
    for (int i = 0; i < substeps; ++i) EXPECT_FALSE(substep(world, false, false, work, state).stopped);
    std::vector<Vector3d> out(world.groom_vertex_count());
    GroomScratch scratch;
    gather_groom(world, 0, state, scratch, out);
    return out;
  }
};

TEST_F(MeshMotion, OfARigidMeshIsARigidMotion) {
  write_meshes(), write_points();
  const World turned = world_of("{ turn = [0, 1, 0], rate = \"2 rad/s\" }"), meshes = world_of(by_meshes),
              points = world_of("{ mesh = \"skin_0001.obj\", points = \"skin.pc2\", fps = 60 }");
  EXPECT_TRUE(meshes.notes.empty());
  const std::vector<Vector3d> expected = moved(turned, 12);
  for (const World* world : {&meshes, &points}) {
    const std::vector<Vector3d> found = moved(*world, 12);
    for (std::size_t v = 0; v < expected.size(); ++v) EXPECT_LT((found[v] - expected[v]).norm(), 1e-6) << v;  // float32
    EXPECT_LT((found[0] - turn(0.2) * Vector3d(0.2, 0, 0.1)).norm(), 1e-7);  // a root, exact at frames
  }
}

TEST_F(MeshMotion, OfAMeshThatWidensTakesEachRootForItself) {
  write_meshes(0.5);
  const std::vector<Vector3d> found = moved(world_of(by_meshes), 12);
  EXPECT_LT((found[0] - turn(0.2) * (1.1 * Vector3d(0.2, 0, 0.1))).norm(), 1e-6);
  EXPECT_LT((found[3] - turn(0.2) * (1.1 * Vector3d(-0.3, 0, 0.4))).norm(), 1e-6);
}

TEST_F(MeshMotion, CarriesFollowersByTheirOwnRoots) {
  write_meshes(0.5);
  const World world = world_of(by_meshes, "guides = 1\n");
  ASSERT_EQ(world.strand_count(), 1u);
  const std::vector<Vector3d> found = moved(world, 12);
  EXPECT_LT((found[3] - turn(0.2) * (1.1 * Vector3d(-0.3, 0, 0.4))).norm(), 1e-6);
}

TEST_F(MeshMotion, FarFromTheRootsIsNoted) {
  write_meshes();
  const World world = world_of("{ mesh = \"skin_####.obj\", fps = 60, scale = 0.01 }");
  ASSERT_EQ(world.notes.size(), 1u);
  EXPECT_NE(world.notes[0].find("off the mesh that carries it"), std::string::npos);
}

}  // namespace
}  // namespace tendril
