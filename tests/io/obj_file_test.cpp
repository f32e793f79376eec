#include "tendril/io/obj_file.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <string>

#include "tendril/base/random.hpp"
#include "tendril/io/mesh_file.hpp"

namespace tendril {
namespace {

std::string mesh_refusal(std::string_view text) {
  const auto mesh = read_obj_mesh(text, "f.obj");
  return mesh ? "accepted" : mesh.error().message();
}

std::string curves_refusal(std::string_view text) {
  const auto groom = read_obj_curves(text, "f.obj");
  return groom ? "accepted" : groom.error().message();
}

const std::string four_points = "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\n";

// The x of every point, strand after strand: a point of four_points is named by it.
std::vector<std::vector<double>> strands_of(std::string_view text) {
  const auto groom = read_obj_curves(text, "f.obj");
  if (!groom) return ADD_FAILURE() << groom.error().message(), std::vector<std::vector<double>>();
  std::vector<std::vector<double>> strands(groom.value().curves.strands());
  for (std::size_t s = 0; s < strands.size(); ++s)
    for (const auto& point : groom.value().curves.strand(s)) strands[s].push_back(point[0]);
  return strands;
}

using Strands = std::vector<std::vector<double>>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

TEST(ObjMesh, ReadsEveryWayToNameAPoint) {
  const auto mesh = read_obj_mesh(
      "# a comment\n"
      "o thing\n"
      "v 0 0 0\r\n"
      "v +1 0 0 1.0\n"
      "v 0 1e0 0 0.5 0.5 0.5  # with a colour\n"
      "v 0 0 -1\n"
      "vt 0 0\n"
      "vn 0 0 1\n"
      "f 1 2 3\n"
      "f 1/1 3/1 4/1\n"
      "f 1/1/1 -1/1/1 2/1/1 # another\n"
      "f -3//1 \\\n"
      "  -1//1 \\\n"
      "  -2//1\n"
      "f 1 2 3 4\n",
      "f.obj");
  ASSERT_TRUE(mesh) << mesh.error().message();
  ASSERT_EQ(mesh.value().points.size(), 4u);
  EXPECT_EQ(mesh.value().points[1], Eigen::Vector3d(1, 0, 0));
  EXPECT_EQ(mesh.value().points[3], Eigen::Vector3d(0, 0, -1));
  const Triangles wanted = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}, {0, 1, 2}, {0, 2, 3}};
  EXPECT_EQ(mesh.value().triangles, wanted);
}

TEST(ObjMesh, KeepsUnusedPointsAndAllowsPointsAfterTheirUse) {
  const auto mesh = read_obj_mesh("f 2 3 4\n" + four_points, "f.obj");
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh.value().points.size(), 4u);
  EXPECT_EQ(mesh.value().triangles, (Triangles{{1, 2, 3}}));
}

TEST(ObjMesh, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(mesh_refusal("v 0 0\n"), "f.obj:1: a point has three coordinates, as in 'v 0 0.5 1'");
  EXPECT_EQ(mesh_refusal("\nv 0 O 0\n"), "f.obj:2: the coordinate 'O' is not a number");
  EXPECT_EQ(mesh_refusal("v 0 nan 0\n"), "f.obj:1: a coordinate is not a finite number");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2\n"), "f.obj:5: a face has three or more points, not 2");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 x\n"), "f.obj:5: 'x' is not the number of a point");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 /3\n"), "f.obj:5: '/3' is not the number of a point");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 0\n"), "f.obj:5: there is no point 0: points are counted from 1");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 -5\n"),
            "f.obj:5: point -5 does not exist: 4 points stand before this line");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 3\nf 1 2 9\nf 1 2 5\n"),
            "f.obj:6: point 9 does not exist: the file has 4");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 4294967295\n"),
            "f.obj:5: point 4294967295 does not exist: the file has 4");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 4294967296\n"),
            "f.obj:5: point 4294967296 is beyond the largest number, 4294967295");
  EXPECT_EQ(mesh_refusal(four_points + "f 1 2 -9223372036854775808\n"),
            "f.obj:5: point -9223372036854775808 does not exist: 4 points stand before this line");
  EXPECT_EQ(mesh_refusal("v 0 0 " + std::string(100, '\x01') + "\n"),
            "f.obj:1: the coordinate '" + std::string(32, '?') + "...' is not a number");
}

TEST(ObjMesh, ReturnsWhatWasWritten) {
  TriangleMesh mesh;
  Random random(7, 0);
  for (int i = 0; i < 100; ++i) {
    const auto number = [&] { return static_cast<double>(static_cast<float>(random.uniform() - 0.5) * 1e-3f); };
    mesh.points.emplace_back(number(), number(), number());
    mesh.triangles.push_back({static_cast<std::uint32_t>(i), 99, static_cast<std::uint32_t>(i) / 2});
  }
  mesh.points[0] = {std::numeric_limits<float>::max(), std::numeric_limits<float>::denorm_min(), -0.0};
  const auto back = read_obj_mesh(encode_obj_mesh(mesh), "f.obj");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back.value().triangles, mesh.triangles);
  ASSERT_EQ(back.value().points.size(), mesh.points.size());
  for (std::size_t i = 0; i < mesh.points.size(); ++i)
    EXPECT_EQ(back.value().points[i].cast<float>(), mesh.points[i].cast<float>()) << i;
}

TEST(ObjCurves, AreLinesOfAnyLength) {
  EXPECT_EQ(strands_of(four_points + "l 1 2 3 4\n"), (Strands{{0, 1, 2, 3}}));
  EXPECT_EQ(strands_of(four_points + "l 4/1 3/1 \\\n 2/1\n"), (Strands{{3, 2, 1}}));
  EXPECT_EQ(strands_of(four_points + "l -1 -2\n"), (Strands{{3, 2}}));
}

TEST(ObjCurves, AreJoinedFromSegmentsFromTheEndThatComesFirst) {
  EXPECT_EQ(strands_of(four_points + "l 1 2\nl 2 3\nl 3 4\n"), (Strands{{0, 1, 2, 3}}));
  EXPECT_EQ(strands_of(four_points + "l 3 4\nl 2 3\nl 1 2\n"), (Strands{{3, 2, 1, 0}}));
  EXPECT_EQ(strands_of(four_points + "l 2 3\nl 2 1\nl 3 4\n"), (Strands{{0, 1, 2, 3}}));
  EXPECT_EQ(strands_of(four_points + "l 4 3\nl 1 2\n"), (Strands{{3, 2}, {0, 1}}));
}

TEST(ObjCurves, ComeInTheOrderOfTheLinesWhereTheyStart) {
  const std::string points = four_points + "v 4 0 0\nv 5 0 0\nv 6 0 0\nv 7 0 0\n";
  EXPECT_EQ(strands_of(points + "l 7 8\nl 1 2 3\nl 5 4\n"), (Strands{{6, 7}, {0, 1, 2}, {4, 3}}));
}

TEST(ObjCurves, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(curves_refusal(four_points + "f 1 2 3\n"),
            "f.obj: there are no curves: a curve is written as lines, 'l 1 2'");
  EXPECT_EQ(curves_refusal(four_points + "l 1\n"), "f.obj:5: a line has two or more points, not 1");
  EXPECT_EQ(curves_refusal(four_points + "l 1 7\n"), "f.obj:5: point 7 does not exist: the file has 4");
  EXPECT_EQ(curves_refusal(four_points + "l 2 2\n"), "f.obj:5: a segment joins point 2 with itself");
  EXPECT_EQ(curves_refusal(four_points + "l 1 2\nl 2 3\nl 2 4\n"),
            "f.obj:7: point 2 has a third segment; a strand does not branch, so a point has at most two");
  EXPECT_EQ(curves_refusal(four_points + "l 1 2\nl 2 3\nl 3 1\n"),
            "f.obj:5: the segments from point 1 on form a closed loop; a strand has two ends");
  EXPECT_EQ(curves_refusal(four_points + "l 3 4\nl 1 2\nl 1 2\n"),
            "f.obj:6: the segments from point 1 on form a closed loop; a strand has two ends");
  EXPECT_EQ(curves_refusal(four_points + "l 1 2 3 1\n"), "f.obj:5: the line is a closed loop; a strand has two ends");
  EXPECT_EQ(curves_refusal(four_points + "l 1 2 3\nl 3 4\n"),
            "f.obj:6: point 3 is part of a strand already; each strand needs points of its own");
}

Groom small_groom() {
  Groom groom;
  for (int i = 0; i < 9; ++i) groom.curves.points.emplace_back(0.1f * i, 1.0f / (i + 1), -1e-7f * i);
  groom.curves.offsets = {0, 2, 5, 9};
  return groom;
}

TEST(ObjCurves, ReturnWhatWasWritten) {
  const Groom groom = small_groom();
  const std::string text = encode_obj_curves(groom);
  EXPECT_TRUE(text.ends_with("l 1 2\nl 3 4\nl 4 5\nl 6 7\nl 7 8\nl 8 9\n")) << text;
  const auto back = read_obj_curves(text, "f.obj");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back.value().curves.offsets, groom.curves.offsets);
  for (std::size_t i = 0; i < 9; ++i)
    EXPECT_EQ(back.value().curves.points[i].cast<float>(), groom.curves.points[i].cast<float>());
}

TEST(ObjFile, SurvivesEveryTruncation) {
  const std::string text = encode_obj_curves(small_groom()) + "f 1 2 3\nf 1/2/3 -2//3 4/5\nl 1 2 3 \\\n4\n";
  for (std::size_t size = 0; size <= text.size(); ++size) {
    const auto mesh = read_obj_mesh(std::string_view(text).substr(0, size), "f.obj");
    if (mesh) {
      for (const auto& triangle : mesh.value().triangles)
        for (const auto corner : triangle) EXPECT_LT(corner, mesh.value().points.size());
    }
    const auto groom = read_obj_curves(std::string_view(text).substr(0, size), "f.obj");
    if (groom) {
      EXPECT_EQ(groom.value().curves.offsets.back(), groom.value().curves.points.size());
    }
  }
}

// How often each edge is passed in each direction.
bool is_closed(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++edges[{t[i], t[(i + 1) % 3]}];
  for (const auto& [edge, count] : edges)
    if (const auto back = edges.find({edge.second, edge.first}); count != 1 || back == edges.end()) return false;
  return true;
}

TEST(ObjFile, ReadsARealColliderAndHead) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const std::filesystem::path folder = std::filesystem::path(data) / "grooms/sintel";
  const auto collider = read_triangle_mesh(folder / "sintel_collider.obj");
  ASSERT_TRUE(collider) << collider.error().message();
  EXPECT_EQ(collider.value().points.size(), 341u);
  EXPECT_EQ(collider.value().triangles.size(), 678u);
  EXPECT_TRUE(is_closed(collider.value()));
  const auto head = read_triangle_mesh(folder / "sintel_head.obj");
  ASSERT_TRUE(head) << head.error().message();
  EXPECT_GE(head.value().triangles.size(), 5952u);
}

}  // namespace
}  // namespace tendril
