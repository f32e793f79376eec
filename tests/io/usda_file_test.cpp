// Reading USD text; usda_writer_test.cpp has the way back.
#include "tendril/io/usda_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
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
  EXPECT_EQ(changed("points", "dots"), "f.usda:2: hair: points are missing (value clips are not read)");
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

const std::string everything =
    "#usda 1.0\n( metersPerUnit = 1 upAxis = \"Z\" )\n"
    "def Xform \"a\" ( references = @b@</c> ) {\n"
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

TEST(UsdaReader, SurvivesTwentyThousandMutations) {
  int accepted = 0;
  const std::string letters = "{}()[]<>\"'@#=:,;. \n-+0123456789aeEinfTdX";
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(81, round);
    std::string text = everything;
    for (auto changes = 1 + random.below(3); changes > 0; --changes) {
      const std::size_t at = random.below(text.size());
      switch (random.below(3)) {
        case 0: text[at] = letters[random.below(letters.size())]; break;
        case 1: text.erase(at, 1 + random.below(8)); break;
        case 2: text.insert(at, text.substr(random.below(text.size()), random.below(20))); break;
      }
    }
    auto groom = decode_usda(text, "f.usda");
    if (!groom) continue;
    ++accepted;
    ASSERT_EQ(groom.value().curves.offsets.back(), groom.value().curves.points.size());
    ASSERT_TRUE(groom.value().radius.empty() || groom.value().radius.size() == groom.value().curves.points.size());
    repair(groom.value(), 0.0);
    ASSERT_FALSE(repair(groom.value(), 0.0).any());
  }
  EXPECT_GT(accepted, 1000);  // else the mutations are too rough to test anything
}

}  // namespace
}  // namespace tendril
