#include "tendril/io/ply_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tendril/base/random.hpp"
#include "tendril/io/mesh_file.hpp"
#include "tendril/io/ply_rows.hpp"

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

Bytes bytes_of(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

std::string mesh_refusal(std::string_view text) {
  const auto mesh = read_ply_mesh(bytes_of(text), "f.ply");
  return mesh ? "accepted" : mesh.error().message();
}

std::string curves_refusal(std::string_view text) {
  const auto groom = read_ply_curves(bytes_of(text), "f.ply");
  return groom ? "accepted" : groom.error().message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

const GroomAttribute* attribute(const Groom& groom, std::string_view name) {
  const auto found = std::ranges::find(groom.attributes, name, &GroomAttribute::name);
  return found == groom.attributes.end() ? nullptr : &*found;
}

const std::string ascii_mesh =
    "ply\nformat ascii 1.0\ncomment by hand\n"
    "element vertex 5\nproperty float x\nproperty float y\nproperty float z\nproperty uchar quality\n"
    "element face 2\nproperty list uchar int vertex_indices\nproperty short group\n"
    "end_header\n"
    "0 0 0 1\n1 0 0 2\n1 1 0 3\n0 1 0 4\n7 7 7 5\n"
    "3 0 1 2 9\n4 0 1 2 3 9\n";

const Triangles fan = {{0, 1, 2}, {0, 1, 2}, {0, 2, 3}};

TEST(PlyMesh, ReadsText) {
  const auto mesh = read_ply_mesh(bytes_of(ascii_mesh), "f.ply");
  ASSERT_TRUE(mesh) << mesh.error().message();
  EXPECT_EQ(mesh.value().points.size(), 5u);
  EXPECT_EQ(mesh.value().points[2], Eigen::Vector3d(1, 1, 0));
  EXPECT_EQ(mesh.value().triangles, fan);
  EXPECT_TRUE(read_ply_mesh(bytes_of(replaced(ascii_mesh, "vertex_indices", "vertex_index")), "f.ply"));
  std::string with_returns;
  for (const char c : ascii_mesh) with_returns += c == '\n' ? "\r\n" : std::string(1, c);
  EXPECT_TRUE(read_ply_mesh(bytes_of(with_returns), "f.ply"));
}

// A number of a given type in a given byte order.
template <class T>
void put(T value, bool big_endian, std::string& text) {
  std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
  if (big_endian) std::ranges::reverse(bytes);
  text += bytes;
}

TEST(PlyMesh, ReadsEveryTypeInBothByteOrdersAndSpellings) {
  const std::vector<std::array<std::string, 8>> spellings = {
      {"char", "uchar", "short", "ushort", "int", "uint", "float", "double"},
      {"int8", "uint8", "int16", "uint16", "int32", "uint32", "float32", "float64"}};
  for (const bool big : {false, true})
    for (const auto& type : spellings) {
      std::string text = std::string("ply\nformat binary_") + (big ? "big" : "little") + "_endian 1.0\n";
      text += "obj_info a list of one row before the points\nelement other 1\nproperty list " + type[2] + " " +
              type[7] + " a\n";
      text += "element vertex 3\nproperty " + type[0] + " x\nproperty " + type[7] + " y\nproperty " + type[6] + " z\n";
      text += "property " + type[1] + " a\nproperty " + type[3] + " b\n";
      text += "element face 1\nproperty list " + type[5] + " " + type[2] + " vertex_indices\nproperty " + type[4] +
              " c\nend_header\n";
      put(std::int16_t{2}, big, text), put(0.5, big, text), put(1.5, big, text);
      for (int i = 0; i < 3; ++i) {
        put(static_cast<std::int8_t>(-i), big, text), put(0.1 * i, big, text),
            put(0.25f * static_cast<float>(i), big, text);
        put(std::uint8_t{255}, big, text), put(std::uint16_t{65535}, big, text);
      }
      put(std::uint32_t{3}, big, text);
      for (const std::int16_t corner : {2, 1, 0}) put(corner, big, text);
      put(std::int32_t{-7}, big, text);
      const auto mesh = read_ply_mesh(bytes_of(text), "f.ply");
      ASSERT_TRUE(mesh) << mesh.error().message();
      EXPECT_EQ(mesh.value().points[2], Eigen::Vector3d(-2, 0.2, 0.5));
      EXPECT_EQ(mesh.value().triangles, (Triangles{{2, 1, 0}}));
    }
}

TEST(PlyMesh, ReturnsWhatWasWritten) {
  const TriangleMesh mesh = {{{0, 0.5, 1}, {2, 3, 4}, {5, 6, -7}, {1, 1, 1}}, {{0, 1, 2}, {3, 2, 1}}};
  const auto back = read_ply_mesh(encode_ply_mesh(mesh), "f.ply");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back.value().points, mesh.points);
  EXPECT_EQ(back.value().triangles, mesh.triangles);
}

TEST(PlyMesh, SaysWhatIsWrongWithAHeader) {
  EXPECT_EQ(mesh_refusal(""), "f.ply:1: this is not a PLY file: its first line is not 'ply'");
  EXPECT_EQ(mesh_refusal("plyx\n"), "f.ply:1: this is not a PLY file: its first line is not 'ply'");
  EXPECT_EQ(mesh_refusal("ply\nformat ascii 2.0\n"),
            "f.ply:2: the format is unknown; it is 'ascii 1.0', 'binary_little_endian 1.0' or 'binary_big_endian 1.0'");
  EXPECT_EQ(mesh_refusal("ply\nformat ascii 1.0\n"), "f.ply:2: the header does not end with 'end_header'");
  EXPECT_EQ(mesh_refusal("ply\nend_header\n"), "f.ply:2: the header has no line 'format', as in 'format ascii 1.0'");
  EXPECT_EQ(mesh_refusal("ply\nvertices 3\n"), "f.ply:2: a header has no line 'vertices'; it ends with 'end_header'");
  EXPECT_EQ(mesh_refusal("ply\nelement vertex\n"),
            "f.ply:2: an element has a name and a count, as in 'element vertex 8'");
  EXPECT_EQ(mesh_refusal("ply\nelement vertex -1\n"),
            "f.ply:2: an element has a name and a count, as in 'element vertex 8'");
  EXPECT_EQ(mesh_refusal("ply\nproperty float x\n"), "f.ply:2: a property stands before the first element");
  EXPECT_EQ(mesh_refusal("ply\nelement vertex 3\nproperty real x\n"),
            "f.ply:3: the type 'real' is unknown; it is char, uchar, short, ushort, int, uint, float or double");
  EXPECT_EQ(mesh_refusal("ply\nelement vertex 3\nproperty list float int x\n"),
            "f.ply:3: a list is counted by an integer type");
  EXPECT_EQ(mesh_refusal("ply\nelement vertex 3\nproperty float\n"), "f.ply:3: the property has no name");
  EXPECT_EQ(mesh_refusal("ply\nelement vertex 3\nproperty float x\nproperty int x\n"),
            "f.ply:4: the element has two properties 'x'");
  EXPECT_EQ(mesh_refusal("ply\nformat ascii 1.0\nelement vertex 3\nend_header\n"),
            "f.ply:3: element 'vertex' has no properties");
  std::string many = "ply\n";
  for (int i = 0; i < 65; ++i) many += "element e 0\n";
  EXPECT_EQ(mesh_refusal(many), "f.ply:66: there are more than 64 elements");
  many = "ply\nelement e 0\n";
  for (int i = 0; i < 1025; ++i) many += "property int p" + std::to_string(i) + "\n";
  EXPECT_EQ(mesh_refusal(many), "f.ply:1027: the element has more than 1024 properties");
}

TEST(PlyMesh, SaysWhatIsMissing) {
  EXPECT_EQ(mesh_refusal("ply\nformat ascii 1.0\nend_header\n"),
            "f.ply: there is no element 'vertex' with the properties x, y and z");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "float z", "float w")),
            "f.ply:4: element 'vertex' needs the properties x, y and z, each a single number");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "element face", "element polygon")),
            "f.ply: there is no element 'face' with a list 'vertex_indices'");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "vertex_indices", "corners")),
            "f.ply:9: element 'face' needs a list 'vertex_indices'");
}

TEST(PlyMesh, SaysWhatIsWrongInARow) {
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "1 1 0 3", "1 1 O 3")),
            "f.ply:15: row 2 of element 'vertex': 'O' is not a number");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "1 1 0 3", "1 1 inf 3")),
            "f.ply:15: row 2 of element 'vertex': a coordinate is not a finite number");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "3 0 1 2 9", "2 0 1 9")),
            "f.ply:18: row 0 of element 'face': a face has three or more points, not 2");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "3 0 1 2 9", "3 0 1 5 9")),
            "f.ply:18: row 0 of element 'face': point 5 does not exist: there are 5, counted from 0");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "3 0 1 2 9", "3 0 1 0.5 9")),
            "f.ply:18: row 0 of element 'face': point 0.5 does not exist: there are 5, counted from 0");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "3 0 1 2 9", "-3 0 1 2 9")),
            "f.ply:18: row 0 of element 'face': a list has -3 numbers");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "3 0 1 2 9", "4e9 0 1 2 9")),
            "f.ply:18: row 0 of element 'face': 4000000000 numbers of property 'vertex_indices' do not fit in the 20 "
            "bytes that are left");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "4 0 1 2 3 9", "4 0 1 2 3")),
            "f.ply:19: row 1 of element 'face': the file ends within the element");
}

TEST(PlyMesh, RefusesCountsBeyondTheFile) {
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "vertex 5", "vertex 4294967295")),
            "f.ply:4: 4294967295 rows of element 'vertex' do not fit in the 62 bytes after the header");
  EXPECT_EQ(mesh_refusal(replaced(ascii_mesh, "face 2", "face 18446744073709551615")),
            "f.ply:9: 18446744073709551615 rows of element 'face' do not fit in the 62 bytes after the header");
  const std::string header =
      "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\nproperty char z\n"
      "element face 1\nproperty list int uchar vertex_index\nend_header\n";
  EXPECT_EQ(mesh_refusal(header + std::string("\0\0\0\xff\xff\xff\x7f\0\0\0", 10)),
            "f.ply: byte 167: row 0 of element 'face': 2147483647 numbers of property 'vertex_index' do not fit in the "
            "3 bytes that are left");
  EXPECT_EQ(mesh_refusal(header + std::string("\0\0\0\xff\xff\xff\xff\0\0\0", 10)),
            "f.ply: byte 167: row 0 of element 'face': a list has -1 numbers");
}

const std::string ascii_strands =
    "ply\nformat ascii 1.0\n"
    "element vertex 6\nproperty float x\nproperty float y\nproperty float z\nproperty float radius\n"
    "property uchar red\nproperty uchar green\nproperty uchar blue\nproperty float heat\nproperty list uchar int near\n"
    "element strand 2\nproperty int group\nproperty list uchar int vertex_indices\n"
    "end_header\n"
    "0 0 0 0.1 0 0 255 20 0\n1 0 0 0.2 51 0 0 21 1 0\n2 0 0 0.3 0 0 0 22 0\n"
    "3 0 0 0.4 0 0 0 23 0\n4 0 0 0.5 0 0 0 24 0\n5 0 0 0.6 0 255 0 25 0\n"
    "7 2 5 3\n8 3 0 1 2\n";

TEST(PlyCurves, CarryRadiusColourAndAttributes) {
  const auto groom = read_ply_curves(bytes_of(ascii_strands), "f.ply");
  ASSERT_TRUE(groom) << groom.error().message();
  const Groom& g = groom.value();
  EXPECT_EQ(g.curves.offsets, (std::vector<std::size_t>{0, 2, 5}));
  EXPECT_EQ(g.curves.points, (std::vector<Eigen::Vector3d>{{5, 0, 0}, {3, 0, 0}, {0, 0, 0}, {1, 0, 0}, {2, 0, 0}}));
  EXPECT_EQ(g.radius, (std::vector<double>{0.6, 0.4, 0.1, 0.2, 0.3}));
  ASSERT_EQ(g.attributes.size(), 3u);
  const GroomAttribute& colour = *attribute(g, "color");
  EXPECT_TRUE(colour.per_vertex);
  EXPECT_EQ(colour.components, 3);
  EXPECT_EQ(colour.values, (std::vector<double>{0, 1, 0, 0, 0, 0, 0, 0, 1, 51.0 * (1.0 / 255.0), 0, 0, 0, 0, 0}));
  EXPECT_EQ(attribute(g, "heat")->values, (std::vector<double>{25, 23, 20, 21, 22}));
  EXPECT_FALSE(attribute(g, "group")->per_vertex);
  EXPECT_EQ(attribute(g, "group")->values, (std::vector<double>{7, 8}));
}

std::string edges(const std::string& rows, int count) {
  return "ply\nformat ascii 1.0\nelement edge " + std::to_string(count) +
         "\nproperty int vertex1\nproperty int vertex2\nelement vertex 5\nproperty float x\nproperty float y\n"
         "property float z\nend_header\n" +
         rows + "0 0 0\n1 0 0\n2 0 0\n3 0 0\n4 0 0\n";
}

TEST(PlyCurves, AreJoinedFromEdgesEvenBeforeTheirPoints) {
  const auto groom = read_ply_curves(bytes_of(edges("4 2\n0 1\n2 3\n", 3)), "f.ply");
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_EQ(groom.value().curves.offsets, (std::vector<std::size_t>{0, 3, 5}));
  EXPECT_EQ(groom.value().curves.points,
            (std::vector<Eigen::Vector3d>{{4, 0, 0}, {2, 0, 0}, {3, 0, 0}, {0, 0, 0}, {1, 0, 0}}));
  EXPECT_TRUE(groom.value().radius.empty());
}

TEST(PlyCurves, SayWhatIsWrong) {
  EXPECT_EQ(
      curves_refusal(ascii_mesh),
      "f.ply: there are no curves: they are an element 'strand' with a list 'vertex_indices' or an element 'edge' "
      "with vertex1 and vertex2");
  EXPECT_EQ(curves_refusal(replaced(ascii_strands, "vertex_indices", "points")),
            "f.ply:13: element 'strand' needs a list 'vertex_indices'");
  EXPECT_EQ(curves_refusal(replaced(edges("0 1\n", 1), "vertex2", "second")),
            "f.ply:3: element 'edge' needs the properties vertex1 and vertex2");
  EXPECT_EQ(curves_refusal(replaced(ascii_strands, "7 2 5 3", "7 2 5 6")),
            "f.ply:23: row 0 of element 'strand': point 6 does not exist: there are 6, counted from 0");
  EXPECT_EQ(
      curves_refusal(replaced(ascii_strands, "7 2 5 3", "7 2 5 5")),
      "f.ply:23: row 0 of element 'strand': point 5 is part of a strand already; each strand needs points of its own");
  EXPECT_EQ(curves_refusal(replaced(ascii_strands, "7 2 5 3", "7 0")),
            "f.ply:23: row 0 of element 'strand': a strand has one or more points, not 0");
  EXPECT_EQ(curves_refusal(edges("0 5\n", 1)),
            "f.ply:11: row 0 of element 'edge': point 5 does not exist: there are 5, counted from 0");
  EXPECT_EQ(curves_refusal(edges("0 1\n0 2\n0 3\n", 3)),
            "f.ply: edge 2: point 0 has a third segment; a strand does not branch, so a point has at most two");
  EXPECT_EQ(curves_refusal(edges("0 1\n1 2\n2 0\n", 3)),
            "f.ply: edge 0: the segments from point 0 on form a closed loop; a strand has two ends");
  EXPECT_EQ(curves_refusal(edges("3 3\n", 1)), "f.ply: edge 0: a segment joins point 3 with itself");
}

// Every number is one that float32 holds, and no colour is lost in 8 bits.
Groom small_groom() {
  Groom groom;
  for (int i = 0; i < 6; ++i) {
    groom.curves.points.emplace_back(0.25 * i, 1.0 - i, 0.5);
    groom.radius.push_back(0.125 * i);
  }
  groom.curves.offsets = {0, 1, 3, 6};
  groom.attributes.push_back({"color", true, 3, std::vector<double>(18, 1.0 / 255.0)});
  groom.attributes.push_back({"heat", true, 1, {1, 2, 3, 4, 5, 6}});
  groom.attributes.push_back({"group", false, 1, {7, 8, 9}});
  return groom;
}

TEST(PlyCurves, ReturnWhatWasWritten) {
  const Groom groom = small_groom();
  const auto back = read_ply_curves(encode_ply_curves(groom), "f.ply");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back.value().curves.points, groom.curves.points);
  EXPECT_EQ(back.value().curves.offsets, groom.curves.offsets);
  EXPECT_EQ(back.value().radius, groom.radius);
  ASSERT_EQ(back.value().attributes.size(), 3u);
  for (std::size_t a = 0; a < 3; ++a) {
    EXPECT_EQ(back.value().attributes[a].name, groom.attributes[a].name);
    EXPECT_EQ(back.value().attributes[a].per_vertex, groom.attributes[a].per_vertex);
    EXPECT_EQ(back.value().attributes[a].values, groom.attributes[a].values);
  }
}

TEST(PlyCurves, AreWrittenWithNamesThatAHeaderCanHold) {
  Groom groom = small_groom();
  groom.attributes.push_back({"x", true, 1, std::vector<double>(6)});
  groom.attributes.push_back({"a b\n", true, 1, std::vector<double>(6)});
  groom.attributes.push_back({"", false, 1, std::vector<double>(3)});
  groom.attributes.push_back({"velocity", true, 3, std::vector<double>(18)});
  groom.attributes.push_back({"red", true, 1, std::vector<double>(6)});
  const auto back = read_ply_curves(encode_ply_curves(groom), "f.ply");
  ASSERT_TRUE(back) << back.error().message();
  std::vector<std::string> names;
  for (const auto& found : back.value().attributes) names.push_back(found.name);
  EXPECT_EQ(names, (std::vector<std::string>{"color", "heat", "x_", "a_b_", "red_", "group", "_"}));
}

TEST(PlyFile, RefusesEveryTruncation) {
  const Bytes strands = encode_ply_curves(small_groom());
  for (std::size_t size = 0; size < strands.size(); ++size)
    EXPECT_FALSE(read_ply_curves(std::span(strands).first(size), "f.ply")) << size;
  const Bytes mesh = encode_ply_mesh({{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}});
  for (std::size_t size = 0; size < mesh.size(); ++size)
    EXPECT_FALSE(read_ply_mesh(std::span(mesh).first(size), "f.ply")) << size;
  const Bytes text = bytes_of(ascii_mesh);  // all but the line end is needed
  for (std::size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_FALSE(read_ply_mesh(std::span(text).first(size), "f.ply")) << size;
}

TEST(PlyFile, SurvivesTwentyThousandMutations) {
  const Bytes good[] = {encode_ply_curves(small_groom()), bytes_of(ascii_strands), bytes_of(ascii_mesh),
                        bytes_of(edges("4 2\n0 1\n2 3\n", 3))};
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(77, round);
    Bytes bytes = good[random.below(4)];
    const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size())); };
    for (auto changes = 1 + random.below(4); changes > 0; --changes) switch (random.below(4)) {
        case 0: bytes[place()] = static_cast<std::byte>(random.bits()); break;
        case 1: bytes[place()] ^= static_cast<std::byte>(1u << random.below(8)); break;
        case 2: bytes[place()] = static_cast<std::byte>('0' + random.below(10)); break;
        case 3: std::swap(bytes[place()], bytes[place()]); break;
      }
    if (const auto groom = read_ply_curves(bytes, "f.ply")) {
      ++accepted;
      ASSERT_EQ(groom.value().curves.offsets.back(), groom.value().curves.points.size());
      ASSERT_TRUE(read_ply_curves(encode_ply_curves(groom.value()), "f.ply"));
    }
    if (const auto mesh = read_ply_mesh(bytes, "f.ply")) {
      ++accepted;
      for (const auto& triangle : mesh.value().triangles)
        for (const auto corner : triangle) ASSERT_LT(corner, mesh.value().points.size());
    }
  }
  EXPECT_GT(accepted, 1000);  // else the mutations are too rough to test anything
}

TEST(PlyFile, ReturnsARealMesh) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const auto mesh = read_triangle_mesh(std::filesystem::path(data) / "grooms/sintel/sintel_collider.obj");
  ASSERT_TRUE(mesh) << mesh.error().message();
  const auto back = read_ply_mesh(encode_ply_mesh(mesh.value()), "f.ply");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back.value().triangles, mesh.value().triangles);
  for (std::size_t i = 0; i < mesh.value().points.size(); ++i)
    EXPECT_EQ(back.value().points[i].cast<float>(), mesh.value().points[i].cast<float>());
}

}  // namespace
}  // namespace tendril
