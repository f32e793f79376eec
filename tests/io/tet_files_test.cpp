#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/mesh_file.hpp"
#include "tendril/io/msh_file.hpp"
#include "tendril/io/node_ele_file.hpp"

namespace tendril {
namespace {

using Tets = std::vector<std::array<std::uint32_t, 4>>;

// Two tetrahedra on a common face, the second with negative volume; sparse tags; a triangle, a point and sections that
// are to be passed over.
const std::string msh_41 =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n"
    "$Nodes\n"
    "3 5 10 5000000000\n"
    "0 1 0 1\n10\n0 0 0\n"
    "2 7 1 2\n12\n20\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n"
    "3 1 0 2\n5000000000\n11\n0 0 1\n1 1 1\n"
    "$EndNodes\n"
    "$Elements\n"
    "3 4 1 4\n"
    "0 1 15 1\n1 10\n"
    "2 1 2 1\n2 10 12 20\n"
    "3 1 4 2\n3 10 12 20 5000000000\n4 11 12 20 5000000000\n"
    "$EndElements\n"
    "$Surface\n1\n1 2 3\n$EndSurface\n";

const std::string msh_22 =
    "$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
    "$Nodes\r\n5\r\n10 0 0 0\r\n12 1 0 0\r\n20 0 1 0\r\n5000000000 0 0 1\r\n11 1 1 1\r\n$EndNodes\r\n"
    "$Elements\r\n4\r\n"
    "1 15 2 1 1 10\r\n2 2 2 1 1 10 12 20\r\n3 4 2 1 1 10 12 20 5000000000\r\n4 4 0 11 12 20 5000000000\r\n"
    "$EndElements\r\n";

const Tets two_tets = {{0, 1, 2, 3}, {4, 1, 3, 2}};

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string refusal(std::string_view text) {
  const auto mesh = read_msh(text, "f.msh");
  return mesh ? "accepted" : mesh.error().message();
}

double volume(const TetMesh& mesh, std::size_t t) {
  Eigen::Matrix3d edges;
  for (int i = 0; i < 3; ++i)
    edges.col(i) = mesh.points[mesh.tets[t][static_cast<std::size_t>(i) + 1]] - mesh.points[mesh.tets[t][0]];
  return edges.determinant() / 6.0;
}

double volume(const TetMesh& mesh) {
  double sum = 0.0;
  for (std::size_t t = 0; t < mesh.tets.size(); ++t) sum += volume(mesh, t);
  return sum;
}

TEST(MshFile, ReadsBothVersions) {
  for (const std::string& text : {msh_41, msh_22}) {
    const auto mesh = read_msh(text, "f.msh");
    ASSERT_TRUE(mesh) << mesh.error().message();
    EXPECT_EQ(mesh.value().points,
              (std::vector<Eigen::Vector3d>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}}));
    EXPECT_EQ(mesh.value().tets, two_tets);
    EXPECT_GT(volume(mesh.value(), 0), 0.0);
    EXPECT_GT(volume(mesh.value(), 1), 0.0);
  }
}

TEST(MshFile, SaysWhichFormatIsNotRead) {
  EXPECT_EQ(refusal(""), "f.msh: this is not a Gmsh file: there is no $MeshFormat");
  EXPECT_EQ(refusal("hello\n"), "f.msh: this is not a Gmsh file: there is no $MeshFormat");
  EXPECT_EQ(refusal("$Nodes\n"), "f.msh:1: $MeshFormat has to be the first section");
  EXPECT_EQ(refusal("$MeshFormat\n"), "f.msh:1: the file ends within $MeshFormat");
  EXPECT_EQ(refusal("$MeshFormat\n4.1\n"), "f.msh:2: this is not a line 'VERSION FILE_TYPE DATA_SIZE'");
  EXPECT_EQ(refusal("$MeshFormat\n4.1 1 8\n\1\0\0\0"),
            "f.msh:2: the file is binary; save it as text (Gmsh: Mesh.Binary = 0)");
  EXPECT_EQ(refusal("$MeshFormat\n4.0 0 8\n"), "f.msh:2: version '4.0' is not read; save it as 4.1 or 2.2");
  EXPECT_EQ(refusal("$MeshFormat\n4.1 0 8\n$Nodes\n"), "f.msh:3: $EndMeshFormat has to follow here");
  EXPECT_EQ(refusal("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Foo\n1\n"),
            "f.msh:4: the section $Foo is not closed by $EndFoo");
  EXPECT_EQ(refusal("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"),
            "f.msh: there are no tetrahedra of four nodes (element type 4)");
}

TEST(MshFile, SaysWhatIsWrongWithNodes) {
  EXPECT_EQ(refusal(replaced(msh_41, "3 5 10 5000000000", "3")),
            "f.msh:9: this is not a line 'BLOCKS NODES LEAST_TAG LARGEST_TAG'");
  EXPECT_EQ(refusal(replaced(msh_41, "3 5 10", "3 4294967295 10")),
            "f.msh:9: 4294967295 nodes do not fit in the 248 bytes that are left");
  EXPECT_EQ(refusal(replaced(msh_41, "3 5 10", "3 18446744073709551615 10")),
            "f.msh:9: 18446744073709551615 nodes do not fit in the 248 bytes that are left");
  EXPECT_EQ(refusal(replaced(msh_41, "3 5 10", "3 4 10")), "f.msh:20: there are more nodes than the 4 of $Nodes");
  EXPECT_EQ(refusal(replaced(msh_41, "3 5 10", "3 6 10")), "f.msh:22: there are 5 nodes instead of the 6 of $Nodes");
  EXPECT_EQ(refusal(replaced(msh_41, "0 1 0 1", "0 1 0")),
            "f.msh:10: this is not a line 'DIMENSION ENTITY PARAMETRIC N'");
  EXPECT_EQ(refusal(replaced(msh_41, "\n11\n", "\n12\n")), "f.msh:22: two nodes have the tag 12");
  EXPECT_EQ(refusal(replaced(msh_41, "\n11\n", "\n-1\n")), "f.msh:20: the tag of a node is a number from 0 on");
  EXPECT_EQ(refusal(replaced(msh_41, "1 1 1", "1 1")), "f.msh:22: a node has three coordinates 'X Y Z'");
  EXPECT_EQ(refusal(replaced(msh_41, "1 1 1", "1 nan 1")), "f.msh:22: a coordinate is not a finite number");
  EXPECT_EQ(refusal(replaced(msh_41, "$EndNodes", "$EndNode")), "f.msh:23: $EndNodes has to follow here");
  EXPECT_EQ(refusal(replaced(msh_22, "5\r\n10", "99\r\n10")),
            "f.msh:5: 99 nodes do not fit in the 190 bytes that are left");
  EXPECT_EQ(refusal(replaced(msh_41, "$Surface\n1\n", "$Nodes\n1 5\n")), "f.msh:35: there is a second section $Nodes");
}

TEST(MshFile, SaysWhatIsWrongWithElements) {
  EXPECT_EQ(refusal(replaced(msh_41, "3 4 1 4\n", "3 4294967295 1 4\n")),
            "f.msh:25: 4294967295 elements do not fit in the 127 bytes that are left");
  EXPECT_EQ(refusal(replaced(msh_41, "3 4 1 4\n", "3 5 1 4\n")),
            "f.msh:32: there are 4 elements instead of the 5 of $Elements");
  EXPECT_EQ(refusal(replaced(msh_41, "3 10 12 20 5000000000", "3 10 12 20")),
            "f.msh:31: a tetrahedron has the tags of four nodes");
  EXPECT_EQ(refusal(replaced(msh_41, "3 10 12 20 5000000000", "3 10 12 20 13")), "f.msh:31: there is no node 13");
  EXPECT_EQ(refusal(replaced(msh_41, "3 10 12 20 5000000000", "3 10 12 20 20")),
            "f.msh:31: the tetrahedron has no volume");
  EXPECT_EQ(refusal(replaced(replaced(msh_41, "\n0 0 0\n", "\n1e300 0 0\n"), "\n1 0 0 0.5", "\n0 1e300 0 0.5")),
            "f.msh:31: the volume of the tetrahedron is not a finite number");
  EXPECT_EQ(refusal(replaced(msh_41, "3 1 4 2", "3 1 4 18446744073709551615")),
            "f.msh:33: this is not a line 'TAG NODE NODE ...'");
  EXPECT_EQ(refusal(replaced(msh_41, "3 1 4 2", "3 1 11 2")),
            "f.msh: there are no tetrahedra of four nodes (element type 4)");
  EXPECT_EQ(refusal(replaced(msh_22, "3 4 2 1 1 10", "3 4 99 1 1 10")),
            "f.msh:16: a tetrahedron has the tags of four nodes");
  EXPECT_EQ(refusal(replaced(msh_41, "$Nodes", "$Nodez\n$EndNodez\n$Elements")),
            "f.msh:11: $Elements stands before $Nodes, or there are no nodes");
}

TEST(MshFile, RefusesEveryTruncationOfWhatItNeeds) {
  for (const std::string& text : {msh_41, msh_22}) {
    const std::size_t needed = text.find("$EndElements") + 12;
    for (std::size_t size = 0; size < needed; ++size)
      EXPECT_FALSE(read_msh(std::string_view(text).substr(0, size), "f.msh")) << size;
    EXPECT_TRUE(read_msh(std::string_view(text).substr(0, needed), "f.msh"));
  }
}

const std::string node_text =
    "# made by hand\n"
    "5 3 1 1  # one attribute, one marker\n"
    "1 0 0 0 0.5 1\n"
    "2 1 0 0 0.5 1\n"
    "\n"
    "3 0 1 0 0.5 1\n"
    "4 0 0 1 0.5 1\n"
    "5 1 1 1 0.5 1\n"
    "# the end\n";
const std::string ele_text = "2 4 0\n1 1 2 3 4\n2 5 2 3 4\n";

std::string refusal(const std::string& node, const std::string& ele) {
  const auto mesh = read_node_ele(node, "f.node", ele, "f.ele");
  return mesh ? "accepted" : mesh.error().message();
}

TEST(NodeEleFile, CountsFromOneOrZero) {
  const auto from_one = read_node_ele(node_text, "f.node", ele_text, "f.ele");
  ASSERT_TRUE(from_one) << from_one.error().message();
  EXPECT_EQ(from_one.value().points.size(), 5u);
  EXPECT_EQ(from_one.value().tets, two_tets);
  const auto from_zero = read_node_ele("4 3\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1", "f.node", "1 4\n0 0 1 2 3", "f.ele");
  ASSERT_TRUE(from_zero) << from_zero.error().message();
  EXPECT_EQ(from_zero.value().tets, (Tets{{0, 1, 2, 3}}));
}

TEST(NodeEleFile, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal("", ele_text), "f.node:0: the first line has to be the number of points and 3");
  EXPECT_EQ(refusal("5 2 0 0\n", ele_text), "f.node:1: points of 2 numbers are not read, only those of 3");
  EXPECT_EQ(refusal("4294967295 3 0 0\n1 0 0 0\n", ele_text),
            "f.node:1: 4294967295 points do not fit in the 8 bytes that are left");
  EXPECT_EQ(refusal("1 3 0 0\n2 0 0 0\n", ele_text), "f.node:2: the first point has the number 2 instead of 0 or 1");
  EXPECT_EQ(refusal(replaced(node_text, "\n3 0", "\n4 0"), ele_text),
            "f.node:6: the point has the number 4 instead of 3");
  EXPECT_EQ(refusal(replaced(node_text, "4 0 0 1", "4 0 0 x"), ele_text),
            "f.node:7: this is not a line 'NUMBER X Y Z'");
  EXPECT_EQ(refusal(replaced(node_text, "4 0 0 1", "4 0 0 inf"), ele_text),
            "f.node:7: a coordinate is not a finite number");
  EXPECT_EQ(refusal(replaced(node_text, "5 3 1", "6 3 1"), ele_text), "f.node:9: the file ends after 5 of 6 points");
  EXPECT_EQ(refusal(node_text, ""), "f.ele:0: the first line has to be the number of tetrahedra and 4");
  EXPECT_EQ(refusal(node_text, "2 10 0\n"), "f.ele:1: tetrahedra of 10 numbers are not read, only those of 4");
  EXPECT_EQ(refusal(node_text, "18446744073709551615 4 0\n"),
            "f.ele:1: 18446744073709551615 tetrahedra do not fit in the 0 bytes that are left");
  EXPECT_EQ(refusal(node_text, "1 4 0\n1 1 2 3    \n"), "f.ele:2: this is not a line 'NUMBER P P P P'");
  EXPECT_EQ(refusal(node_text, "1 4 0\n1 1 2 3 6\n"), "f.ele:2: there is no point 6");
  EXPECT_EQ(refusal(node_text, "1 4 0\n1 1 2 3 0\n"), "f.ele:2: there is no point 0");
  EXPECT_EQ(refusal(node_text, "1 4 0\n1 1 2 3 3\n"), "f.ele:2: the tetrahedron has no volume");
  EXPECT_EQ(refusal(node_text, "2 4 0\n1 1 2 3 4 0 0 0 0 0 0\n"), "f.ele:2: the file ends after 1 of 2 tetrahedra");
}

// The last line has no end mark, so a file that is cut within it or behind it may be whole.
TEST(NodeEleFile, RefusesEveryTruncationBeforeTheLastLine) {
  const std::size_t last_point = node_text.find("5 1 1 1"), last_tet = ele_text.find("2 5 2 3 4");
  for (std::size_t size = 0; size < node_text.size(); ++size) {
    const auto mesh = read_node_ele(std::string_view(node_text).substr(0, size), "f.node", ele_text, "f.ele");
    EXPECT_EQ(static_cast<bool>(mesh), size >= last_point + 7) << size;
  }
  for (std::size_t size = 0; size < ele_text.size(); ++size) {
    const auto mesh = read_node_ele(node_text, "f.node", std::string_view(ele_text).substr(0, size), "f.ele");
    EXPECT_EQ(static_cast<bool>(mesh), size >= last_tet + 9) << size;
  }
}

TEST(MeshFile, FindsTheOtherFileOfAPair) {
  const std::filesystem::path folder(testing::TempDir());
  const auto node = folder / "tendril_pair_test.node", ele = folder / "tendril_pair_test.ele";
  ASSERT_TRUE(write_file(node, node_text));
  ASSERT_TRUE(write_file(ele, ele_text));
  EXPECT_EQ(read_tet_mesh(node).value().tets, two_tets);
  EXPECT_EQ(read_tet_mesh(ele).value().tets, two_tets);
  ASSERT_TRUE(write_file(ele, "0 4 0\n"));
  EXPECT_EQ(read_tet_mesh(node).error().message(), node.string() + ": there are no tetrahedra");
  std::filesystem::remove(ele);
  EXPECT_EQ(read_tet_mesh(node).error().message(), ele.string() + ": cannot be opened: No such file or directory");
  std::filesystem::remove(node);
}

TEST(MeshFile, ReadsRealTetrahedralMeshes) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  struct Wanted {
    const char* file;
    std::size_t nodes, tets;
    double volume, tolerance;  // as the list of the data gives it
  };
  const Wanted all[] = {{"cube.msh", 8, 6, 1.0, 1e-9},
                        {"bar-651.msh", 292, 651, 5.0, 1e-4},
                        {"bar-2523.msh", 886, 2523, 5.0, 1e-4},
                        {"rod.msh", 630, 1722, 0.0012, 5e-5},
                        {"torus.msh", 200, 491, 0.0727, 5e-5},
                        {"sphere1K.msh", 1760, 6851, 0.5185, 5e-5},
                        {"bunny.msh", 4670, 19379, 6.01, 5e-3},
                        {"bunny_1124.node", 777, 2510, 7.56e-4, 5e-7},
                        {"armadillo_4k.ele", 1180, 3717, 1.86, 5e-3}};
  for (const Wanted& wanted : all) {
    const auto mesh = read_tet_mesh(std::filesystem::path(data) / "tet" / wanted.file);
    ASSERT_TRUE(mesh) << mesh.error().message();
    EXPECT_EQ(mesh.value().points.size(), wanted.nodes) << wanted.file;
    EXPECT_EQ(mesh.value().tets.size(), wanted.tets) << wanted.file;
    EXPECT_NEAR(volume(mesh.value()), wanted.volume, wanted.tolerance) << wanted.file;
  }
}

}  // namespace
}  // namespace tendril
