#include "tendril/io/stl_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <limits>
#include <string>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/mesh_file.hpp"

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

template <class T>
Bytes with(Bytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  const auto mesh = read_stl(bytes, "f.stl");
  return mesh ? "accepted" : mesh.error().message();
}

std::string refusal(std::string_view text) { return refusal(bytes_of(text)); }

// A tetrahedron with points that float32 holds.
TriangleMesh tetrahedron() {
  return {{{0, 0, 0}, {1, 0, 0}, {0, 0.5, 0}, {0, 0, 0.25}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
}

// Points in the order in which the triangles name them: what a reader of loose triangles makes of a mesh.
TriangleMesh renumbered(const TriangleMesh& mesh) {
  TriangleMesh result;
  std::vector<std::uint32_t> place(mesh.points.size(), 0xffffffff);
  for (auto triangle : mesh.triangles) {
    for (std::uint32_t& corner : triangle) {
      if (place[corner] == 0xffffffff) {
        place[corner] = static_cast<std::uint32_t>(result.points.size());
        result.points.push_back(mesh.points[corner]);
      }
      corner = place[corner];
    }
    result.triangles.push_back(triangle);
  }
  return result;
}

const std::string ascii_file =
    "solid two triangles\n"
    "  facet normal 0 0 1\n"
    "    outer loop\n"
    "      vertex 0 0 0\n"
    "      vertex 1.0 0 0\n"
    "      vertex 1 1e0 0\n"
    "    endloop\n"
    "  endfacet\n"
    "  FACET NORMAL 0 0 1\n"
    "    OUTER LOOP\n"
    "      VERTEX -0 0 0\n"
    "      VERTEX 1 1 0\n"
    "      VERTEX 0 1 0\n"
    "    ENDLOOP\n"
    "  ENDFACET\n"
    "endsolid two triangles\n";

TEST(StlFile, ReturnsAMeshThatWasWritten) {
  const TriangleMesh wanted = renumbered(tetrahedron());
  const Bytes bytes = encode_stl(tetrahedron());
  EXPECT_EQ(bytes.size(), 84u + 4 * 50);
  const auto mesh = read_stl(bytes, "f.stl");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh.value().points, wanted.points);
  EXPECT_EQ(mesh.value().triangles, wanted.triangles);
  EXPECT_EQ(encode_stl(mesh.value()), bytes);
}

TEST(StlFile, WritesNormalsThatPointOutward) {
  const Bytes bytes = encode_stl(tetrahedron());
  std::array<float, 3> normal;
  std::memcpy(normal.data(), bytes.data() + 84, sizeof normal);
  EXPECT_EQ(normal, (std::array<float, 3>{0, 0, -1}));
}

TEST(StlFile, ReadsTextAndJoinsPoints) {
  const auto mesh = read_stl(bytes_of(ascii_file), "f.stl");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh.value().points, (std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}));
  EXPECT_EQ(mesh.value().triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
}

TEST(StlFile, ReadsABinaryFileThatBeginsWithSolid) {
  Bytes bytes = encode_stl(tetrahedron());
  std::memcpy(bytes.data(), "solid looks like text", 21);
  const auto mesh = read_stl(bytes, "f.stl");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh.value().triangles.size(), 4u);
}

TEST(StlFile, LeavesOutTrianglesWithTwoEqualPoints) {
  TriangleMesh flat = tetrahedron();
  flat.triangles.push_back({1, 1, 2});
  flat.points.push_back(flat.points[1]);
  flat.triangles.push_back({1, 2, 4});
  EXPECT_EQ(read_stl(encode_stl(flat), "f.stl").value().triangles.size(), 4u);
}

TEST(StlFile, SaysWhatIsWrongInABinaryFile) {
  const Bytes good = encode_stl(tetrahedron());
  EXPECT_EQ(refusal(Bytes(5)),
            "f.stl: byte 0: 5 bytes are too few for a binary STL file, and a text begins with 'solid'");
  EXPECT_EQ(refusal(with(good, 80, 5u)), "f.stl: byte 80: 5 triangles make a file of 334 bytes, but it has 284");
  EXPECT_EQ(refusal(with(good, 80, 4294967295u)),
            "f.stl: byte 80: 4294967295 triangles make a file of 214748364834 bytes, but it has 284");
  EXPECT_EQ(refusal(with(good, 84 + 50 + 24, std::numeric_limits<float>::infinity())),
            "f.stl: byte 158: a coordinate of triangle 1 is not a finite number");
}

TEST(StlFile, SaysWhatIsWrongInAText) {
  EXPECT_EQ(refusal("solid\nfacet\nfacet\n"), "f.stl:3: 'endfacet' is missing before 'facet'");
  EXPECT_EQ(refusal("solid\nsolid\n"), "f.stl:2: a solid begins within a solid");
  EXPECT_EQ(refusal("solid\nendsolid\nfacet"), "f.stl:3: 'solid' has to come first");
  EXPECT_EQ(refusal("solid\nvertex 0 0 0"), "f.stl:2: 'facet' has to come before 'vertex'");
  EXPECT_EQ(refusal("solid\nfacet\nvertex 0 0"), "f.stl:3: a vertex has three numbers, as in 'vertex 0 0.5 1'");
  EXPECT_EQ(refusal("solid\nfacet\nvertex 0 0 inf"), "f.stl:3: a coordinate is not a finite number");
  EXPECT_EQ(refusal("solid\nfacet\nvertex 0 0 0\nendfacet"), "f.stl:4: a facet has three vertices, not 1");
  EXPECT_EQ(refusal("solid\nfacet\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\nvertex 0 0 0\n"),
            "f.stl:6: a facet has a fourth vertex");
  EXPECT_EQ(refusal("solid\nendfacet\n"), "f.stl:2: 'endfacet' stands without 'facet'");
  EXPECT_EQ(refusal("solid\nfacet\nendsolid"), "f.stl:3: 'endfacet' is missing before 'endsolid'");
  EXPECT_EQ(refusal("solid\nfancy\n"), "f.stl:2: 'fancy' is not a keyword of STL");
  EXPECT_EQ(refusal("solid\n"), "f.stl:1: the file ends without 'endsolid'");
}

TEST(StlFile, RefusesEveryTruncation) {
  const Bytes binary = encode_stl(tetrahedron());
  for (std::size_t size = 0; size < binary.size(); ++size)
    EXPECT_FALSE(read_stl(std::span(binary).first(size), "f.stl")) << size;
  const Bytes text = bytes_of(ascii_file);
  const std::size_t needed = ascii_file.find("endsolid") + 8;
  for (std::size_t size = 0; size < text.size(); ++size)
    EXPECT_EQ(static_cast<bool>(read_stl(std::span(text).first(size), "f.stl")), size >= needed) << size;
}

TEST(MeshFile, ChoosesTheReaderByTheExtension) {
  const std::filesystem::path folder(testing::TempDir());
  const auto path = folder / "tendril_mesh_test.STL";
  ASSERT_TRUE(write_file(path, encode_stl(tetrahedron())));
  EXPECT_EQ(read_triangle_mesh(path).value().triangles.size(), 4u);
  ASSERT_TRUE(write_file(path, encode_stl(TriangleMesh{})));
  EXPECT_EQ(read_triangle_mesh(path).error().message(), path.string() + ": there are no triangles");
  std::filesystem::remove(path);
  EXPECT_EQ(read_triangle_mesh(path).error().message(),
            path.string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(read_triangle_mesh("head.fbx").error().message(),
            "head.fbx: the extension '.fbx' is not one of a triangle mesh; these are .obj, .ply and .stl");
  EXPECT_EQ(read_tet_mesh("head").error().message(),
            "head: the extension '' is not one of a tetrahedral mesh; these are .msh, .node and .ele");
}

}  // namespace
}  // namespace tendril
