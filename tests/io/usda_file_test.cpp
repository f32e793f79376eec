// Reading USD text; usda_writer_test.cpp has the way back.
#include "tendril/io/usda_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <string>

#include "tendril/base/random.hpp"

namespace tendril {
namespace {

using Points = std::vector<Eigen::Vector3d>;
using Numbers = std::vector<double>;
using Offsets = std::vector<std::size_t>;

Groom read(const std::string& text) {
  auto groom = decode_usda(text, "f.usda");
  if (groom) return groom.value();
  return ADD_FAILURE() << groom.error().message() << "\n" << text, Groom();
}

std::string refusal(const std::string& text) {
  const auto groom = decode_usda(text, "f.usda");
  return groom ? "accepted" : groom.error().message();
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

void expect_near(const Points& a, const Points& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_LT((a[i] - b[i]).norm(), 1e-12) << a[i].transpose();
}

const std::string head = "#usda 1.0\n";
const std::string two_strands =
    "#usda 1.0\n"
    "def BasisCurves \"hair\"\n"
    "{\n"
    "    uniform token type = \"linear\"\n"
    "    int[] curveVertexCounts = [2, 3]\n"
    "    point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)]\n"
    "}\n";
const Points along_x = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {4, 0, 0}};

// two_strands with another line.
std::string with(const std::string& line) { return replaced(two_strands, "    int[]", line + "\n    int[]"); }

// One curve along x in an Xform with the given attributes.
std::string in_xform(const std::string& attributes) {
  return head + "def Xform \"a\" {\n" + attributes +
         "\ndef BasisCurves \"b\" { token type = \"linear\" int[] curveVertexCounts = [2]\n"
         "point3f[] points = [(0, 0, 0), (1, 0, 0)] float[] widths = [0.5] }\n}\n";
}

// A cubic curve of n points at (i, i^2, 0).
std::string cubic(const std::string& basis, const std::string& wrap, int n, const std::string& more = "") {
  std::string points;
  for (int i = 0; i < n; ++i) points += "(" + std::to_string(i) + ", " + std::to_string(i * i) + ", 0), ";
  return head + "def BasisCurves \"c\" {\n" + (basis.empty() ? "" : "uniform token basis = \"" + basis + "\"\n") +
         (wrap.empty() ? "" : "uniform token wrap = \"" + wrap + "\"\n") + "int[] curveVertexCounts = [" +
         std::to_string(n) + "]\npoint3f[] points = [" + points + "]\n" + more + "}\n";
}

TEST(UsdaReader, ReadsLinearCurves) {
  const Groom groom = read(two_strands);
  EXPECT_EQ(groom.curves.points, along_x);
  EXPECT_EQ(groom.curves.offsets, (Offsets{0, 2, 5}));
  EXPECT_TRUE(groom.radius.empty() && groom.attributes.empty());
  EXPECT_EQ(groom.metres_per_unit, 0.01) << "USD's fallback";
  EXPECT_EQ(groom.up, UpAxis::y);
}

TEST(UsdaReader, PassesOverCommentsMetadataAndWhatItDoesNotKnow) {
  const Groom groom = read(
      "#usda 1.0\r\n"
      "( # comment with a ) in it\n"
      "    \"\"\"a text over\n"
      "    two \"lines\" \\\"\"\"\"\n"
      "    doc = 'it is \\'quoted\\''\n"
      "    customLayerData = { string note = \"a } in it\"; dictionary deep = { double x = 1 } }\n"
      "    subLayers = [@a.usda@ (offset = 10; scale = 2), @./b.usda@]\n"
      "    defaultPrim = \"hair\", metersPerUnit = +1e-1\n"
      "    upAxis = \"Z\"\n"
      ")\n"
      "def BasisCurves \"hair\" (\n"
      "    prepend apiSchemas = [\"MaterialBindingAPI\"]\n"
      "    prepend references = @model.usda@</Model> (offset = 1)\n"
      "    payload = @@@odd@name.usda@@@\n"
      "    inherits = </_class>\n"
      "    active = true\n"
      "    kind = \"component\"\n"
      ")\n"
      "{\n"
      "    rel material:binding = </mat> (bindMaterialAs = \"strongerThanDescendants\")\n"
      "    asset file = @x.png@ (doc = \"a picture\")\n"
      "    custom string note = \"points = [(9, 9, 9)]\"\n"
      "    token visibility.timeSamples = { 1: \"inherited\", 2: \"invisible\", }\n"
      "    float declared\n"
      "    float input.connect = </other.output>\n"
      "    uniform token type = \"linear\" (hidden = true)\n"
      "    int[] curveVertexCounts = [2, 3,]; point3f[] points = [(0, 0, 0), (1, 0, 0),\n"
      "      # in between\n"
      "      (2, 0, 0), (3, 0, 0), (4, 0, 0)] (\n"
      "        customData = { bool a = 1 }\n"
      "    )\n"
      "    variantSet \"length\" = { \"long\" { def BasisCurves \"not this\" { } } \"short\" ( ) { } }\n"
      "    def Scope \"empty\" { }\n"
      "}\n");
  EXPECT_EQ(groom.curves.points, along_x);
  EXPECT_EQ(groom.curves.offsets, (Offsets{0, 2, 5}));
  EXPECT_EQ(groom.metres_per_unit, 0.1);
  EXPECT_EQ(groom.up, UpAxis::z);
}

TEST(UsdaReader, PassesOverClassesAndOvers) {
  for (const std::string specifier : {"over", "class"})
    EXPECT_EQ(refusal(replaced(two_strands, "def", specifier)), "f.usda: has no BasisCurves; there is nothing to read");
  const std::string both = two_strands + replaced(two_strands.substr(head.size()), "def", "over") +
                           "class \"c\" { def BasisCurves \"hidden\" { } }\n";
  EXPECT_EQ(read(both).curves.points, along_x);
}

TEST(UsdaReader, AppliesTheTransformsAbove) {
  const auto points = [](const std::string& attributes) { return read(in_xform(attributes)).curves.points; };
  const auto order = [](const std::string& ops) { return "uniform token[] xformOpOrder = [" + ops + "]"; };
  expect_near(points(""), {{0, 0, 0}, {1, 0, 0}});
  expect_near(points("double3 xformOp:translate = (1, 2, 3)"), {{0, 0, 0}, {1, 0, 0}});  // not in the order: no effect
  expect_near(points("double3 xformOp:translate = (1, 2, 3)\n" + order("\"xformOp:translate\"")),
              {{1, 2, 3}, {2, 2, 3}});
  expect_near(points("float3 xformOp:scale = (2, 3, 4)\n" + order("\"xformOp:scale\"")), {{0, 0, 0}, {2, 0, 0}});
  expect_near(points("float xformOp:rotateZ = 90\n" + order("\"xformOp:rotateZ\"")), {{0, 0, 0}, {0, 1, 0}});
  expect_near(points("float xformOp:rotateY:mine = 90\n" + order("\"xformOp:rotateY:mine\"")), {{0, 0, 0}, {0, 0, -1}});
  expect_near(points("float xformOp:rotateX = 90\n" + order("\"xformOp:rotateX\"")), {{0, 0, 0}, {1, 0, 0}});
  // The first in the order is the outermost.
  const std::string both = "double3 xformOp:translate = (1, 2, 3) float3 xformOp:scale = (2, 2, 2)\n";
  expect_near(points(both + order("\"xformOp:translate\", \"xformOp:scale\"")), {{1, 2, 3}, {3, 2, 3}});
  expect_near(points(both + order("\"xformOp:scale\", \"xformOp:translate\"")), {{2, 4, 6}, {4, 4, 6}});
  expect_near(points(both + order("\"xformOp:translate\", \"xformOp:scale\", \"!invert!xformOp:translate\"")),
              {{-1, -2, -3}, {1, -2, -3}});
  // rotateXYZ turns about x first.
  const std::string turn = "float3 xformOp:rotateXYZ = (0, 90, 90)\n";
  expect_near(points(turn + order("\"xformOp:rotateXYZ\"")), {{0, 0, 0}, {0, 0, -1}});
  expect_near(points(replaced(turn, "XYZ", "ZYX") + order("\"xformOp:rotateZYX\"")), {{0, 0, 0}, {0, 1, 0}});
  // Rows of a matrix that stands behind a row vector: the last is the translation, and x becomes y.
  expect_near(points("matrix4d xformOp:transform = ( (0, 1, 0, 0), (-1, 0, 0, 0), (0, 0, 1, 0), (5, 6, 7, 1) )\n" +
                     order("\"xformOp:transform\"")),
              {{5, 6, 7}, {5, 7, 7}});
}

TEST(UsdaReader, NestsTransforms) {
  const std::string inner =
      "def Xform \"inner\" { float3 xformOp:scale = (2, 2, 2) token[] xformOpOrder = [\"xformOp:scale\"] " +
      in_xform("").substr(head.size()) + "}";
  const std::string move = "double3 xformOp:translate = (0, 0, 1) token[] xformOpOrder = [\"xformOp:translate\"]\n";
  const Groom groom = read(head + "def Xform \"outer\" {\n" + move + inner + "}\n");
  expect_near(groom.curves.points, {{0, 0, 1}, {2, 0, 1}});
  EXPECT_NEAR(groom.radius[0], 0.5, 1e-12) << "widths grow with the curves";
  const std::string reset = replaced(inner, "[\"xformOp:scale\"", "[\"!resetXformStack!\", \"xformOp:scale\"");
  expect_near(read(head + "def Xform \"outer\" {\n" + move + reset + "}\n").curves.points, {{0, 0, 0}, {2, 0, 0}});
}

TEST(UsdaReader, SaysWhichTransformIsWrong) {
  const std::string order = "token[] xformOpOrder = [\"xformOp:OP\"]\n";
  const auto complaint = [&](const std::string& op, const std::string& attribute) {
    return refusal(in_xform(attribute + "\n" + replaced(order, "OP", op)));
  };
  EXPECT_EQ(complaint("translate", ""), "f.usda:2: a: xformOp:translate is in xformOpOrder, but not there");
  const std::string rest = " is not read; translate, scale, rotate and transform are";
  EXPECT_EQ(complaint("orient", "quatf xformOp:orient = (1, 0, 0, 0)"), "f.usda:3: a: xformOp:orient" + rest);
  EXPECT_EQ(complaint("translate", "double2 xformOp:translate = (1, 2)"), "f.usda:3: a: xformOp:translate" + rest);
  EXPECT_EQ(complaint("rotateABC", "float3 xformOp:rotateABC = (1, 2, 3)"),
            "f.usda:3: a: xformOp:rotateABC is not read");
  EXPECT_EQ(refusal(in_xform("float3 xformOp:scale = (1, 0, 1)\ntoken[] xformOpOrder = [\"!invert!xformOp:scale\"]")),
            "f.usda:4: a: !invert!xformOp:scale has no inverse");
}

TEST(UsdaReader, TakesCubicCurvesAtTheEndsOfTheirSegments) {
  const auto x_of = [](const std::string& text) {
    Numbers x;
    for (const auto& p : read(text).curves.points) x.push_back(p.x());
    return x;
  };
  EXPECT_EQ(x_of(cubic("", "", 7)), (Numbers{0, 3, 6})) << "bezier is USD's fallback";
  EXPECT_EQ(x_of(cubic("bezier", "nonperiodic", 7)), (Numbers{0, 3, 6}));
  EXPECT_EQ(x_of(cubic("bezier", "pinned", 4)), (Numbers{0, 3}));
  EXPECT_EQ(x_of(cubic("catmullRom", "", 6)), (Numbers{1, 2, 3, 4}));
  EXPECT_EQ(x_of(cubic("catmullRom", "pinned", 4)), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(x_of(cubic("bspline", "", 5)), (Numbers{1, 2, 3}));
  EXPECT_EQ(x_of(cubic("bspline", "pinned", 5)), (Numbers{0, 1, 2, 3, 4}));
  EXPECT_EQ(x_of(cubic("catmullRom", "", 3)), (Numbers{0, 1, 2})) << "too few for a segment";
  // (1, 4, 1) / 6 of the squares i - 1, i, i + 1 is i^2 + 1/3.
  const Points points = read(cubic("bspline", "pinned", 4)).curves.points;
  EXPECT_NEAR(points[1].y(), 1.0 + 1.0 / 3.0, 1e-12);
  EXPECT_NEAR(points[2].y(), 4.0 + 1.0 / 3.0, 1e-12);
  EXPECT_EQ(points[3].y(), 9.0);
}

TEST(UsdaReader, TakesHalfTheWidthsAsRadius) {
  EXPECT_EQ(read(with("float[] widths = [0.5]")).radius, (Numbers(5, 0.25)));
  EXPECT_EQ(read(with("float[] widths = [0.5] (interpolation = \"constant\")")).radius, (Numbers(5, 0.25)));
  EXPECT_EQ(read(with("float[] widths = [2, 4] (interpolation = \"uniform\")")).radius, (Numbers{1, 1, 2, 2, 2}));
  EXPECT_EQ(read(with("float[] widths = [2, 4, 6, 8, 10] (interpolation = \"vertex\")")).radius,
            (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(read(with("float[] widths = [2, 4, 6, 8, 10] (interpolation = \"varying\")")).radius,
            (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(read(with("float[] widths = [2, 4, 6, 8, 10]")).radius, (Numbers{1, 2, 3, 4, 5})) << "vertex";
  EXPECT_TRUE(read(with("float[] widths = []")).radius.empty());
  EXPECT_EQ(refusal(with("float[] widths = [1, 2, 3]")), "f.usda:5: hair: 3 widths fit neither 2 curves nor 5 points");
  EXPECT_EQ(refusal(with("float[] widths = [1, 2] (interpolation = \"vertex\")")),
            "f.usda:5: hair: 2 widths fit neither 2 curves nor 5 points");
}

TEST(UsdaReader, TakesWidthsOfCubicCurvesWhereTheyBelong) {
  const auto radius = [](const std::string& basis, const std::string& wrap, const std::string& widths) {
    return read(cubic(basis, wrap, 7, "float[] widths = " + widths + "\n")).radius;
  };
  const std::string seven = "[0, 2, 4, 6, 8, 10, 12] (interpolation = \"vertex\")";
  EXPECT_EQ(radius("bezier", "", seven), (Numbers{0, 3, 6}));
  EXPECT_EQ(radius("bezier", "", "[2, 4, 6] (interpolation = \"varying\")"), (Numbers{1, 2, 3}));
  EXPECT_EQ(radius("bspline", "", seven), (Numbers{1, 2, 3, 4, 5}));
  EXPECT_EQ(radius("bspline", "pinned", seven), (Numbers{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(radius("catmullRom", "", "[2, 4, 6, 8, 10] (interpolation = \"varying\")"), (Numbers{1, 2, 3, 4, 5}));
}

TEST(UsdaReader, TakesPrimvarsAsAttributes) {
  const Groom groom = read(
      with("int[] primvars:id = [7, 8] (interpolation = \"uniform\")\n"
           "int64[] primvars:long = [7, 8] (interpolation = \"uniform\")\n"
           "color3f[] primvars:tint = [(1, 2, 3), (4, 5, 6)] (interpolation = \"uniform\")\n"
           "texCoord2f[] primvars:st = [(0, 1), (2, 3), (4, 5), (6, 7), (8, 9)] (interpolation = \"vertex\")\n"
           "int[] primvars:guides = [1, 2, 3, 4, 5, 6] (elementSize = 3\n interpolation = \"uniform\")\n"
           "float2[] primvars:pairs = [(1, 2), (3, 4), (5, 6), (7, 8)] (elementSize = 2 interpolation = \"uniform\")\n"
           "float[] primvars:one = [3] (interpolation = \"constant\")\n"
           "float[] primvars:wrong = [1, 2, 3] (interpolation = \"uniform\")\n"
           "string[] primvars:names = [\"a\", \"b\"] (interpolation = \"uniform\")\n"
           "float[] primvars:picked = [5, 6] (interpolation = \"uniform\")\n"
           "int[] primvars:picked:indices = [1, 0]\n"));
  std::vector<std::string> names;
  for (const GroomAttribute& attribute : groom.attributes) names.push_back(attribute.name);
  EXPECT_EQ(names, (std::vector<std::string>{"id", "long", "tint", "st", "guides", "pairs"}));
  EXPECT_EQ(groom.attribute("id")->values, (Numbers{7, 8}));
  EXPECT_EQ(groom.attribute("long")->components, 1);
  EXPECT_EQ(groom.attribute("tint")->components, 3);
  EXPECT_FALSE(groom.attribute("tint")->per_vertex);
  EXPECT_EQ(groom.attribute("st")->components, 2);
  EXPECT_TRUE(groom.attribute("st")->per_vertex);
  EXPECT_EQ(groom.attribute("st")->values, (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(groom.attribute("guides")->components, 3);
  EXPECT_EQ(groom.attribute("guides")->values, (Numbers{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(groom.attribute("pairs")->components, 4);
}

TEST(UsdaReader, TakesPrimvarsOfGuidesUnderTheirNamesInAGroom) {
  const std::string ids = "int[] primvars:groom_id = [7, 8] (interpolation = \"uniform\")\n";
  const std::string guide = "int[] primvars:groom_guide = [1, 0] (interpolation = \"uniform\")\n";
  const std::string tuples =
      "int3[] primvars:groom_closest_guides = [(0, 1, 2), (2, 1, 0)] (interpolation = \"uniform\")\n"
      "float3[] primvars:groom_guide_weights = [(0.5, 0.25, 0.25), (1, 0, 0)] (interpolation = \"uniform\")\n";
  const std::string flat =
      "int[] primvars:groom_closest_guides = [0, 1, 2, 2, 1, 0] (elementSize = 3 interpolation = \"uniform\")\n"
      "float[] primvars:groom_guide_weights = [0.5, 0.25, 0.25, 1, 0, 0] (elementSize = 3 interpolation = "
      "\"uniform\")\n";
  for (const std::string& triples : {tuples, flat}) {
    const Groom groom = read(with(ids + guide + triples));
    ASSERT_EQ(groom.attributes.size(), 4u);
    EXPECT_EQ(groom.attribute("groom_id")->values, (Numbers{7, 8}));
    EXPECT_EQ(groom.attribute("guide")->values, (Numbers{1, 0}));
    EXPECT_EQ(groom.attribute("closest_guides")->values, (Numbers{0, 1, 2, 2, 1, 0}));
    EXPECT_EQ(groom.attribute("closest_guides")->components, 3);
    EXPECT_EQ(groom.attribute("guide_weights")->values, (Numbers{0.5, 0.25, 0.25, 1, 0, 0}));
  }
  // Others keep their names: one per vertex, one number for three, one whose name is taken.
  const Groom other =
      read(with("int[] primvars:groom_guide = [1, 0, 0, 0, 0] (interpolation = \"vertex\")\n"
                "int[] primvars:groom_closest_guides = [3, 4] (interpolation = \"uniform\")\n"
                "float3[] primvars:groom_guide_weights = [(1, 0, 0), (1, 0, 0)] (interpolation = \"uniform\")\n"
                "int[] primvars:guide_weights = [5, 6] (interpolation = \"uniform\")"));
  ASSERT_EQ(other.attributes.size(), 4u);
  EXPECT_TRUE(other.attribute("groom_guide")->per_vertex);
  EXPECT_EQ(other.attribute("groom_closest_guides")->values, (Numbers{3, 4}));
  EXPECT_EQ(other.attribute("groom_guide_weights")->components, 3);
  EXPECT_EQ(other.attribute("guide_weights")->values, (Numbers{5, 6}));
}

TEST(UsdaReader, TakesTheEarliestTimeSample) {
  const std::string moving = replaced(two_strands, "points = [(0", "points.timeSamples = { 3: None, 2.5: [(0");
  const std::string samples = replaced(moving, "(4, 0, 0)]",
                                       "(4, 0, 0)],\n -1: [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, "
                                       "0), (9, 0, 0)], 1e1: [(0, 0, 0)], }");
  EXPECT_EQ(read(samples).curves.points.back().x(), 9.0);
  const std::string with_default = with("point3f[] points = [(7, 7, 7)]");
  EXPECT_EQ(read(with_default).curves.points, along_x) << "the later one counts";
}

TEST(UsdaReader, PutsSeveralPrimsTogether) {
  const std::string more = with(
      "float[] widths = [2]\nint[] primvars:id = [1, 2] (interpolation = \"uniform\")\nint[] "
      "primvars:only = [1, 2] (interpolation = \"uniform\")");
  const std::string second = replaced(more, "primvars:only", "primvars:other").substr(head.size());
  const Groom groom = read(more + "def Scope \"s\" {\n" + second + "}\n");
  EXPECT_EQ(groom.curves.offsets, (Offsets{0, 2, 5, 7, 10}));
  EXPECT_EQ(groom.curves.points.size(), 10u);
  EXPECT_EQ(groom.radius, Numbers(10, 1.0));
  ASSERT_EQ(groom.attributes.size(), 1u) << "only what all have";
  EXPECT_EQ(groom.attributes[0].values, (Numbers{1, 2, 1, 2}));
  const Groom without = read(more + two_strands.substr(head.size()));
  EXPECT_TRUE(without.radius.empty() && without.attributes.empty());
  EXPECT_EQ(without.curves.strands(), 4u);
}

TEST(UsdaReader, LetsAPrimWithoutCurvesBe) {
  const std::string empty = "def BasisCurves \"none\" { int[] curveVertexCounts = [] point3f[] points = [] }\n";
  const std::string full = with("float[] widths = [2]\nint[] primvars:id = [1, 2] (interpolation = \"uniform\")");
  for (const std::string& text : {head + empty + full.substr(head.size()), full + empty}) {
    const Groom groom = read(text);
    EXPECT_EQ(groom.radius.size(), 5u);
    EXPECT_EQ(groom.attributes.size(), 1u);
  }
  EXPECT_EQ(read(head + empty).curves.strands(), 0u);
}

TEST(UsdaReader, SaysWhatIsWrongWithCurves) {
  EXPECT_EQ(refusal(head), "f.usda: has no BasisCurves; there is nothing to read");
  const auto changed = [](const char* from, const char* to) { return refusal(replaced(two_strands, from, to)); };
  EXPECT_EQ(changed("linear", "quadratic"), "f.usda:4: hair: type must be linear or cubic");
  EXPECT_EQ(refusal(with("token wrap = \"periodic\"")),
            "f.usda:5: hair: wrap = \"periodic\" is not read; strands are open curves");
  EXPECT_EQ(refusal(cubic("hermite", "", 4)), "f.usda:3: c: basis = \"hermite\" is not read");
  EXPECT_EQ(changed("curveVertexCounts", "counts"), "f.usda:2: hair: curveVertexCounts is missing");
  EXPECT_EQ(changed("points", "dots"), "f.usda:2: hair: points are missing");
  EXPECT_EQ(changed("[2, 3]", "[2, -3]"), "f.usda:5: hair: curveVertexCounts has -3, which is no count");
  EXPECT_EQ(changed("[2, 3]", "[2, 2.5]"), "f.usda:5: hair: curveVertexCounts has 2.5, which is no count");
  EXPECT_EQ(changed("[2, 3]", "[2, 4294967296]"),
            "f.usda:5: hair: curveVertexCounts has 4294967296, which is no count");
  EXPECT_EQ(changed("[2, 3]", "[2, 4]"), "f.usda:6: hair: has 15 numbers for the 6 points of curveVertexCounts");
  EXPECT_EQ(changed("[2, 3]", "[4294967295, 4294967295]"),
            "f.usda:6: hair: has 15 numbers for the 8589934590 points of curveVertexCounts");
  const auto unit = [](const char* value) {
    return refusal(replaced(two_strands, "1.0\n", std::string("1.0\n(metersPerUnit = ") + value + ")\n"));
  };
  EXPECT_EQ(unit("0"), "f.usda: metersPerUnit must be a positive number");
  EXPECT_EQ(unit("-1"), "f.usda: metersPerUnit must be a positive number");
  EXPECT_EQ(unit("\"1\""), "f.usda: metersPerUnit must be a positive number");
  EXPECT_EQ(unit("1"), "accepted");
}

TEST(UsdaReader, SaysWhatIsWrongWithTheSyntax) {
  EXPECT_EQ(refusal(""), "f.usda: is not a USD text file: it does not begin with #usda 1.0");
  EXPECT_EQ(refusal("PXR-USDC"), "f.usda: is not a USD text file: it does not begin with #usda 1.0");
  const auto file = [](const std::string& rest) { return refusal(head + rest); };
  EXPECT_EQ(file("\nBasisCurves"), "f.usda:3: expected def, over or class");
  EXPECT_EQ(file(std::string("def \"a\" { }\0", 12)), "f.usda:2: has a zero byte");
  EXPECT_EQ(file("( = 1 )"), "f.usda:2: expected a key or ')'");
  EXPECT_EQ(file("( a 1 )"), "f.usda:2: expected '=' after a key");
  EXPECT_EQ(file("( a = 1"), "f.usda:2: expected a key or ')'");
  EXPECT_EQ(file("( a = ) )"), "f.usda:2: expected a value");
  EXPECT_EQ(file("( a = { b = 1 "), "f.usda:2: a '{' is not closed");
  EXPECT_EQ(file("( a = @b@ ( c = 1"), "f.usda:2: a '(' is not closed");
  EXPECT_EQ(file("( \"a\n\" )"), "f.usda:2: a string is not closed on its line");
  EXPECT_EQ(file("( \"\"\"a\n )"), "f.usda:3: a string is not closed");
  EXPECT_EQ(file("( a = @b )\n@"), "f.usda:2: expected '@' on this line");
  EXPECT_EQ(file("( a = @@@b@ )\n"), "f.usda:2: expected '@@@' on this line");
  EXPECT_EQ(file("( a = <b )\n>"), "f.usda:2: expected '>' on this line");
  EXPECT_EQ(file("def a { }"), "f.usda:2: expected the prim's name in quotes");
  EXPECT_EQ(file("def \"a\"\n"), "f.usda:3: expected '{' before the prim's contents");
  EXPECT_EQ(file("def \"a\" {\n"), "f.usda:3: expected an attribute, a prim or '}'");
  EXPECT_EQ(file("def \"a\" { 1 }"), "f.usda:2: expected an attribute, a prim or '}'");
  EXPECT_EQ(file("def \"a\" { int = 1 }"), "f.usda:2: expected the name of an attribute");
  EXPECT_EQ(file("def \"a\" { int b = [1 2] }"), "f.usda:2: expected ']' or ',' after an element");
  EXPECT_EQ(file("def \"a\" { int b = [(1, 2) (3, 4)] }"), "f.usda:2: expected ']' or ',' after an element");
  EXPECT_EQ(file("def \"a\" { int b = (1, 2] }"), "f.usda:2: expected ')' or ',' after an element");
  EXPECT_EQ(file("def \"a\" { int b = - }"), "f.usda:2: expected a number");
  EXPECT_EQ(file("def \"a\" { int b = 1e999 }"), "f.usda:2: a number is too large or too small");
  for (const std::string number : {"inf", "-inf", "+inf", "nan", "-nan"})
    EXPECT_EQ(file("def \"a\" { float b = " + number + " }"), "f.usda:2: a number is not finite");
  EXPECT_EQ(file("def \"a\" { int b.timeSamples = 1 }"), "f.usda:2: expected '{' before time samples");
  EXPECT_EQ(file("def \"a\" { int b.timeSamples = { x: 1 } }"), "f.usda:2: expected the time of a sample");
  EXPECT_EQ(file("def \"a\" { int b.timeSamples = { 1 2 } }"), "f.usda:2: expected ':' after the time of a sample");
  EXPECT_EQ(file("def \"a\" { int b.timeSamples = { 1: 2 3 } }"), "f.usda:2: expected '}' or ',' after a time sample");
  EXPECT_EQ(file("def \"a\" { variantSet = { } }"), "f.usda:2: expected the name of the variants");
  EXPECT_EQ(file("def \"a\" { variantSet \"b\" { } }"), "f.usda:2: expected '=' after the name of the variants");
  EXPECT_EQ(file("def \"a\" { variantSet \"b\" = [ ] }"), "f.usda:2: expected '{' before variants");
}

TEST(UsdaReader, RefusesWhatIsTooDeepOrTooMuch) {
  const auto many = [](const std::string& text, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += text;
    return out;
  };
  EXPECT_EQ(refusal(head + many("def \"a\" {", 100000)), "f.usda:2: prims are too deep in each other");
  EXPECT_EQ(refusal(head + "( a = " + many("[", 100000)), "f.usda:2: brackets are too deep in each other");
  EXPECT_EQ(refusal(head + "( a = " + many("{", 100000)), "f.usda:2: a '{' is not closed");
  EXPECT_EQ(refusal(head + many("def \"\" {}", 100001)), "f.usda:2: has more than 100000 prims");
  std::string text = head + "def \"a\" {";
  for (int i = 0; i <= 5000; ++i) text += "int a" + std::to_string(i) + " ";
  EXPECT_EQ(refusal(text + "}"), "f.usda:2: has more attributes than any groom needs");
  EXPECT_EQ(refusal(head + "( a = [" + many("a,", 1000001) + "])"),
            "f.usda:2: has more than 1000000 words in its values");
  EXPECT_EQ(refusal(head + "(" + many("a=1 ", 100001) + ")"), "f.usda:2: has more than 100000 keys of metadata");
}

// ---- value clips ----

using Files = std::map<std::string, std::string>;

// Layers from memory.
UsdaLayers layers_in(const Files& files, int* asked = nullptr) {
  return [files, asked](const std::string& asset) -> Result<std::optional<UsdaLayer>> {
    if (asked != nullptr) ++*asked;
    const auto found = files.find(asset);
    if (found == files.end()) return std::optional<UsdaLayer>();
    if (found->second == "locked") return Error{"at/" + asset, "cannot be opened"};
    return std::optional(UsdaLayer{"at/" + asset, found->second});
  };
}

// Strands of 2 and 3 vertices in a group, whose clips are described by `set`; their points are elsewhere.
std::string clipped(const std::string& set, const std::string& contents = "") {
  return head + "def Xform \"group\" (\n    clips = {\n        dictionary default = {\n" + set +
         "\n        }\n    }\n)\n{\n    def BasisCurves \"hair\"\n    {\n        uniform token type = \"linear\"\n" +
         "        int[] curveVertexCounts = [2, 3]\n" + contents + "\n    }\n}\n";
}
const std::string by_template =
    "string templateAssetPath = \"./c/f.##.usda\"\ndouble templateStartTime = 1\ndouble templateEndTime = 4\n"
    "double templateStride = 1\nstring primPath = \"/clip\"";
const std::string explicitly =
    "asset[] assetPaths = [@a.usda@, @b.usda@, @c.usda@]\ndouble2[] active = [(5, 0), (2, 1), (7, 2)]\n"
    "string primPath = \"/clip\"\nasset manifestAssetPath = @no.usda@";

// Time samples of five points at the given heights.
std::string points_at(const std::vector<std::pair<double, double>>& times_and_heights) {
  std::string text = "point3f[] points.timeSamples = {";
  for (const auto& [time, y] : times_and_heights) {
    text += std::to_string(time) + ": [";
    for (int v = 0; v < 5; ++v) text += "(" + std::to_string(v) + ", " + std::to_string(y) + ", 0), ";
    text += "], ";
  }
  return text + "}\n";
}
std::string layer(const std::string& contents) {
  return head + "over \"other\" { }\nover \"clip\"\n{\n    over \"beside\" { }\n    over \"hair\"\n    {\n" + contents +
         "    }\n}\n";
}
std::string layer_at(double time, double y) { return layer(points_at({{time, y}})); }

Groom read_clips(const std::string& text, const Files& files) {
  auto groom = decode_usda(text, "f.usda", layers_in(files));
  if (groom) return groom.value();
  return ADD_FAILURE() << groom.error().message() << "\n" << text, Groom();
}
double height_of(const std::string& text, const Files& files) {
  const Groom groom = read_clips(text, files);
  EXPECT_EQ(groom.curves.offsets, (Offsets{0, 2, 5}));
  return groom.curves.points.empty() ? -1.0 : groom.curves.points.back().y();
}
std::string clip_refusal(const std::string& text, const Files& files) {
  const auto groom = decode_usda(text, "f.usda", layers_in(files));
  return groom ? "accepted" : groom.error().message();
}

TEST(UsdaClips, OfATemplateAreReadAtTheFirstLayerThatIsThere) {
  const Files files = {{"./c/f.01.usda", layer_at(1, 10)}, {"./c/f.03.usda", layer_at(3, 30)}};
  EXPECT_EQ(height_of(clipped(by_template), files), 10.0);
  EXPECT_EQ(height_of(clipped(replaced(by_template, "StartTime = 1", "StartTime = 2")), files), 30.0);
  EXPECT_EQ(height_of(clipped(replaced(by_template, "StartTime = 1", "StartTime = -1")), files), 10.0);
  const std::string halves = replaced(replaced(by_template, "f.##", "f.##.###"), "Stride = 1", "Stride = 0.25");
  EXPECT_EQ(height_of(clipped(halves), {{"./c/f.02.250.usda", layer_at(2.25, 7)}}), 7.0);
  EXPECT_EQ(height_of(clipped(replaced(by_template, "StartTime = 1", "StartTime = -12")),
                      {{"./c/f.-3.usda", layer_at(-3, 8)}}),
            8.0);
}

TEST(UsdaClips, ThatAreListedAreReadAtTheEarliestThatIsActive) {
  const Files files = {{"a.usda", layer_at(5, 10)}, {"b.usda", layer_at(2, 20)}, {"c.usda", layer_at(7, 30)}};
  EXPECT_EQ(height_of(clipped(explicitly), files), 20.0);
  EXPECT_EQ(height_of(clipped(replaced(explicitly, "(7, 2)", "(-7, 2)")), files), 30.0);
  // A template beside them does not count.
  EXPECT_EQ(height_of(clipped(explicitly + "\nstring templateAssetPath = \"none.#.usda\""), files), 20.0);
}

TEST(UsdaClips, AreReadAtTheTimeThatBelongsToTheEarliest) {
  const std::string many = layer(points_at({{12, 3}, {0, 1}, {10, 2}, {30, 4}}));
  const auto height = [&](const std::string& times) {
    return height_of(clipped(explicitly + "\n" + times), {{"b.usda", many}});
  };
  EXPECT_EQ(height(""), 1.0) << "the earliest of the layer";
  EXPECT_EQ(height("double2[] times = []"), 1.0);
  EXPECT_EQ(height("double2[] times = [(9, 30), (2, 10)]"), 2.0);
  EXPECT_EQ(height("double2[] times = [(2, 11.5), (9, 30)]"), 2.0) << "the sample before holds";
  EXPECT_EQ(height("double2[] times = [(2, 99)]"), 4.0);
  EXPECT_EQ(height("double2[] times = [(2, -1)]"), 1.0);
  // In a template times are those of the layer.
  EXPECT_EQ(height_of(clipped(replaced(by_template, "StartTime = 1", "StartTime = 3")),
                      {{"./c/f.03.usda", layer(points_at({{2, 1}, {3, 2}, {4, 3}}))}}),
            2.0);
}

TEST(UsdaClips, GiveWhatThePrimHasNotItself) {
  const Files files = {
      {"./c/f.01.usda",
       layer(points_at({{1, 10}}) + "float[] widths.timeSamples = {1: [2, 4]}\n"
                                    "int[] primvars:id.timeSamples = {1: [5, 6]}\n"
                                    "vector3f[] velocities.timeSamples = {1: [(9, 9, 9)]}\n"
                                    "token type = \"cubic\"\nint[] curveVertexCounts.timeSamples = {1: [5]}\n")}};
  const Groom groom = read_clips(clipped(by_template,
                                         "point3f[] points\nfloat[] widths (interpolation = \"uniform\")\n"
                                         "int[] primvars:id (interpolation = \"uniform\")"),
                                 files);
  EXPECT_EQ(groom.curves.points[4], Eigen::Vector3d(4, 10, 0));
  EXPECT_EQ(groom.radius, (Numbers{1, 1, 2, 2, 2}));
  ASSERT_EQ(groom.attributes.size(), 1u);
  EXPECT_EQ(groom.attributes[0].values, (Numbers{5, 6}));
  // What it has itself counts.
  EXPECT_EQ(read_clips(clipped(by_template, "float[] widths = [6]"), files).radius, Numbers(5, 3.0));
  const std::string own = "point3f[] points = [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 0, 0)]";
  EXPECT_EQ(read_clips(clipped(by_template, own), {}).curves.points, along_x);
  // Without counts of its own.
  const std::string bare = replaced(clipped(by_template), "int[] curveVertexCounts = [2, 3]", "");
  const Files counted = {{"./c/f.01.usda", layer(points_at({{1, 1}}) + "int[] curveVertexCounts = [4, 1]\n")}};
  EXPECT_EQ(read_clips(bare, counted).curves.offsets, (Offsets{0, 4, 5}));
  // Curves without points, as the writer leaves them of a set without strands.
  const std::string none = replaced(clipped(by_template), "[2, 3]", "[]");
  const Groom empty = read_clips(none, {{"./c/f.01.usda", layer("point3f[] points.timeSamples = {1: []}\n")}});
  EXPECT_EQ(empty.curves.strands(), 0u);
}

TEST(UsdaClips, AreThoseOfTheNearestPrimThatHasThem) {
  const std::string near =
      "clips = {\ndictionary \"b set\" = { asset[] assetPaths = [@b.usda@]; double2[] active = [(1, 0)]; string "
      "primPath "
      "= \"/deep/in\" }\n"
      "dictionary a = { asset[] assetPaths = [@a.usda@]; double2[] active = [(1, 0)]; string primPath = \"/deep\" }\n"
      "double not_a_set = 1\n}";
  const std::string text = replaced(clipped(by_template), "\"hair\"\n", "\"hair\" (\n" + near + "\n)\n");
  const std::string b = head + "def \"deep\" { class \"in\" { " + points_at({{1, 2}}) + " } }";
  const std::string a = head + "over \"deep\" { " + points_at({{1, 1}}) + " }";
  const Files outer = {{"./c/f.01.usda", layer_at(1, 3)}};
  Files files = outer;
  files["a.usda"] = a, files["b.usda"] = b;
  EXPECT_EQ(height_of(text, files), 1.0) << "by the order of their names";
  files["a.usda"] = head + "over \"deep\" { float[] widths = [1] }";
  EXPECT_EQ(height_of(text, files), 2.0) << "this set is for other things";
  EXPECT_EQ(height_of(text, outer), 3.0);
  EXPECT_EQ(clip_refusal(text, {}), "f.usda:14: hair: the layer a.usda of its value clips is missing");
}

TEST(UsdaClips, AreReadOnceForAllPrims) {
  std::string text = clipped(by_template), contents = points_at({{1, 1}}), clip = head + "over \"clip\" {\n";
  const std::string prim = "    def BasisCurves \"hair\"" + text.substr(text.find("\"hair\"") + 6);
  text.resize(text.find("    def BasisCurves"));
  for (int i = 0; i < 50; ++i) {
    const std::string name = "\"p" + std::to_string(i * 37 % 50) + "\"";
    text += replaced(prim.substr(0, prim.rfind("}\n")), "\"hair\"", name);
    clip += "over \"p" + std::to_string(i) + "\" { " + points_at({{1, double(i)}}) + " }\n";
  }
  int asked = 0;
  const auto groom = decode_usda(text + "}\n", "f.usda", layers_in({{"./c/f.01.usda", clip + "}\n"}}, &asked));
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_EQ(asked, 1);
  ASSERT_EQ(groom.value().curves.strands(), 100u);
  for (std::size_t i = 0; i < 50; ++i) EXPECT_EQ(groom.value().curves.points[5 * i].y(), double(i * 37 % 50));
}

TEST(UsdaClips, OfALayerAreNotFollowed) {
  const std::string itself = replaced(replaced(clipped(explicitly), "\"group\"", "\"clip\""), "@b.usda@", "@f.usda@");
  int asked = 0;
  const auto groom = decode_usda(itself, "f.usda", layers_in({{"f.usda", itself}}, &asked));
  ASSERT_FALSE(groom);
  EXPECT_EQ(groom.error().message(),
            "at/f.usda: has no points of </clip/hair>, which the value clips of f.usda look for there");
  EXPECT_EQ(asked, 1);
}

TEST(UsdaClips, SayWhatIsWrongWithTheirLayers) {
  const auto with_layer = [](const std::string& text) { return clip_refusal(clipped(explicitly), {{"b.usda", text}}); };
  EXPECT_EQ(clip_refusal(clipped(explicitly), {{"a.usda", layer_at(5, 1)}}),
            "f.usda:2: group: the layer b.usda of its value clips is missing");
  EXPECT_EQ(clip_refusal(clipped(by_template), {}),
            "f.usda:2: group: of the layers ./c/f.##.usda of its value clips from 1 to 4 none is there");
  EXPECT_EQ(with_layer("locked"), "at/b.usda: cannot be opened");
  EXPECT_EQ(with_layer("PXR-USDC"), "at/b.usda: is not a USD text file: it does not begin with #usda 1.0");
  EXPECT_EQ(with_layer(head + "over \"clip\" {\n"), "at/b.usda:3: expected an attribute, a prim or '}'");
  EXPECT_EQ(with_layer(head + "over \"clip\" { }"),
            "at/b.usda: has no prim </clip/hair>, which the value clips of f.usda look for there");
  EXPECT_EQ(with_layer(layer("float[] widths = [1]\n")),
            "at/b.usda: has no points of </clip/hair>, which the value clips of f.usda look for there");
  EXPECT_EQ(with_layer(layer("point3f[] points.timeSamples = {1: [(0, 0, 0)]}\n")),
            "at/b.usda:8: hair: has 3 numbers for the 5 points of curveVertexCounts");
  EXPECT_EQ(clip_refusal(clipped(explicitly, "point3f[] points\n"), {{"b.usda", layer("point3f[] points = [1]\n")}}),
            "at/b.usda:8: hair: has 1 numbers for the 5 points of curveVertexCounts");
  EXPECT_EQ(refusal(clipped(by_template)),
            "f.usda:2: group: its value clips stand in other files, which cannot be read here");
}

TEST(UsdaClips, SayWhatIsWrongWithTheirDescription) {
  const Files files = {{"b.usda", layer_at(2, 1)}, {"./c/f.01.usda", layer_at(1, 1)}};
  const auto complaint = [&](const std::string& set, const char* from, const char* to) {
    const std::string message = clip_refusal(clipped(replaced(set, from, to)), files);
    return message.starts_with("f.usda:2: group: ") ? message.substr(17) : message;
  };
  EXPECT_EQ(complaint(explicitly, "primPath", "prim"), "its value clips have no primPath");
  EXPECT_EQ(complaint(explicitly, "\"/clip\"", "\"\""), "its value clips have no primPath");
  for (const char* path : {"clip", "/", "//", "/clip/", "/clip/hair", "/cli", "/clip/beside"})
    EXPECT_EQ(complaint(explicitly, "/clip", path), "at/b.usda: has no prim <" + std::string(path) +
                                                        "/hair>, which the value clips of f.usda look for there");
  const std::string need = "its value clips need active, pairs of a time and the number of a layer";
  EXPECT_EQ(complaint(explicitly, "active", "inactive"), need);
  EXPECT_EQ(complaint(explicitly, "(5, 0)", "(5)"), need);
  EXPECT_EQ(complaint(explicitly, "[(5, 0), (2, 1), (7, 2)]", "[]"), need);
  for (const char* index : {"3", "-1", "1e300"})
    EXPECT_EQ(complaint(explicitly, "(2, 1)", ("(2, " + std::string(index) + ")").c_str()),
              "active of its value clips has layer " + std::string(index == std::string("1e300") ? "1e+300" : index) +
                  ", but there are 3");
  EXPECT_EQ(complaint(explicitly, "string", "double2[] times = [1, 2, 3]\nstring"),
            "times of its value clips must be pairs of a time and one in the layer");
  const std::string either =
      "its value clips need assetPaths and active, or templateAssetPath, templateStartTime, templateEndTime and "
      "templateStride";
  EXPECT_EQ(complaint(explicitly, "assetPaths", "assets"), either);
  for (const char* key : {"AssetPath", "StartTime", "EndTime", "Stride"})
    EXPECT_EQ(complaint(by_template, key, "Other"), either);
  EXPECT_EQ(complaint(by_template, "Stride = 1", "Stride = 0"), "its value clips cannot go from 1 to 4 by steps of 0");
  EXPECT_EQ(complaint(by_template, "EndTime = 4", "EndTime = 0"),
            "its value clips cannot go from 1 to 0 by steps of 1");
  EXPECT_EQ(complaint(by_template, "EndTime = 4", "EndTime = 1e10"),
            "its value clips cannot go from 1 to 10000000000 by steps of 1");
  EXPECT_EQ(complaint(by_template, "./c/f.##", "./c#/f"),
            "templateAssetPath of its value clips must be like a.####.usda or a.##.##.usda, not ./c#/f.usda");
  EXPECT_EQ(clip_refusal(clipped("string primPath 7"), {}), "f.usda:5: expected '=' after the name of an entry");
  EXPECT_EQ(clip_refusal(clipped("primPath = 7"), {}), "f.usda:5: expected the name of an entry");
  EXPECT_EQ(clip_refusal(clipped("= 7"), {}), "f.usda:5: expected the type of an entry, or '}'");
  EXPECT_EQ(clip_refusal(head + "def \"a\" ( clips = { dictionary b = { ", {}),
            "f.usda:2: expected the type of an entry, or '}'");
}

TEST(UsdaClips, AskOnlyForSoManyLayers) {
  const std::string endless =
      replaced(replaced(by_template, "EndTime = 4", "EndTime = 9e8"), "Stride = 1", "Stride = 1e-9");
  EXPECT_EQ(clip_refusal(clipped(endless), {}), "f.usda:2: group: asks for more than 20000 value clips");
  EXPECT_EQ(clip_refusal(clipped(replaced(endless, "1e-9", "1e-300")), {}),
            "f.usda:2: group: asks for more than 20000 value clips");
  const std::string one = clipped(by_template).substr(head.size());
  std::string many = head;
  for (int i = 0; i <= 1000; ++i) many += one;
  EXPECT_EQ(clip_refusal(many, {{"./c/f.01.usda", layer_at(1, 1)}}),
            "f.usda: has value clips in more than 1000 layers");
}

const std::string everything =
    "#usda 1.0\n( metersPerUnit = 1 upAxis = \"Z\" )\n"
    "def Xform \"a\" ( references = @b@</c> clips = { dictionary d = { double2[] times = [(1, 2)]; } } ) {\n"
    " float3 xformOp:rotateXYZ = (1, 2, 3) token[] xformOpOrder = [\"xformOp:rotateXYZ\"]\n"
    " def BasisCurves \"h\" { token basis = \"bspline\" token wrap = \"pinned\" int[] curveVertexCounts = [2, 3]\n"
    "  point3f[] points.timeSamples = { 1: [(0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0), (4, 1, 0)], }\n"
    "  float[] widths = [1, 2] (interpolation = \"uniform\")\n"
    "  int[] primvars:id = [1, 2, 3, 4] (elementSize = 2 interpolation = \"uniform\")\n"
    "  variantSet \"v\" = { \"w\" { } }\n"
    " }\n}\n";

TEST(UsdaReader, IsRefusedOrReadWhereverItIsCut) {
  EXPECT_EQ(read(everything).curves.strands(), 2u);
  for (std::size_t size = 0; size + 2 < everything.size(); ++size)  // the last bracket and line end
    EXPECT_FALSE(decode_usda(everything.substr(0, size), "f.usda")) << everything.substr(0, size);
}

// One to three letters changed, left out or doubled.
std::string mutated(std::string text, Random& random) {
  const std::string letters = "{}()[]<>\"'@#=:,;. \n-+0123456789aeEinfTdX";
  for (auto changes = 1 + random.below(3); changes > 0; --changes) {
    const std::size_t at = random.below(text.size());
    switch (random.below(3)) {
      case 0: text[at] = letters[random.below(letters.size())]; break;
      case 1: text.erase(at, 1 + random.below(8)); break;
      case 2: text.insert(at, text.substr(random.below(text.size()), random.below(20))); break;
    }
  }
  return text;
}

void expect_sound(Groom& groom) {
  ASSERT_EQ(groom.curves.offsets.back(), groom.curves.points.size());
  ASSERT_TRUE(groom.radius.empty() || groom.radius.size() == groom.curves.points.size());
  repair(groom, 0.0);
  ASSERT_FALSE(repair(groom, 0.0).any());
}

TEST(UsdaReader, SurvivesTwentyThousandMutations) {
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(81, round);
    auto groom = decode_usda(mutated(everything, random), "f.usda");
    if (!groom) continue;
    ++accepted;
    expect_sound(groom.value());
  }
  EXPECT_GT(accepted, 1000);  // else the mutations are too rough to test anything
}

TEST(UsdaClips, SurviveTenThousandMutations) {
  int accepted = 0;
  for (std::uint64_t round = 0; round < 10000; ++round) {
    Random random(82, round);
    std::string text = clipped(round % 2 == 0 ? explicitly : by_template);
    std::string clip = layer(points_at({{1, 1}, {2, 2}}) + "float[] widths = [1, 2, 3, 4, 5]\n");
    std::string& changed = round % 4 < 2 ? text : clip;
    changed = mutated(changed, random);
    auto groom = decode_usda(text, "f.usda", layers_in({{"b.usda", clip}, {"./c/f.01.usda", clip}}));
    if (!groom) continue;
    ++accepted;
    expect_sound(groom.value());
  }
  EXPECT_GT(accepted, 500);
}

}  // namespace
}  // namespace tendril
