// Maps of values along strands and from strand to strand.
#include "tendril/scene/value_map.hpp"

#include <gtest/gtest.h>

namespace tendril {
namespace {

Groom two_strands() {
  Groom groom;
  groom.curves.points = {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {0, 1, 0}, {2, 1, 0}};
  groom.curves.offsets = {0, 3, 5};
  groom.attributes = {
      {"width", false, 1, {2.0, 3.0}}, {"thick", true, 1, {1, 2, 3, 4, 5}}, {"color", false, 3, {1, 2, 3, 4, 5, 6}}};
  return groom;
}

std::vector<double> applied(const ValueMap& map) {
  std::vector<double> values(5, 9.0);
  const Status status = apply(map, two_strands(), "radius", values);
  EXPECT_TRUE(status) << (status ? "" : status.error().message());
  return values;
}

std::string refusal(const std::string& text) {
  const Result<ValueMap> map = parse_value_map(text, "map.csv");
  return map ? "accepted" : map.error().message();
}

TEST(ValueMap, AlongTheStrandByItsLength) {
  const ValueMap map =
      parse_value_map("\xEF\xBB\xBF# radius\nposition, value\n0,1\n0.5, 2\r\n1,4\n", "map.csv").value();
  EXPECT_EQ(applied(map), (std::vector<double>{1.0, 1.5, 4.0, 1.0, 4.0}));
}

TEST(ValueMap, PerStrand) {
  ValueMap map = parse_value_map("strand,value\n1,5\n", "map.csv").value();
  map.scale = 2.0;
  EXPECT_EQ(applied(map), (std::vector<double>{9.0, 9.0, 9.0, 10.0, 10.0}));
}

TEST(ValueMap, PerStrandAndAlong) {
  const ValueMap map = parse_value_map("strand,position,value\n0,0,1\n0,1,5\n1,0.5,7\n", "map.csv").value();
  EXPECT_EQ(applied(map), (std::vector<double>{1.0, 2.0, 5.0, 7.0, 7.0}));
}

TEST(ValueMap, OfAnAttribute) {
  ValueMap map;
  map.attribute = "width", map.scale = 0.5;
  EXPECT_EQ(applied(map), (std::vector<double>{1.0, 1.0, 1.0, 1.5, 1.5}));
  map.attribute = "thick", map.scale = 1.0;
  EXPECT_EQ(applied(map), (std::vector<double>{1, 2, 3, 4, 5}));
}

TEST(ValueMap, Refusals) {
  EXPECT_EQ(refusal("length,value\n"),
            "map.csv:1: the first line must be position,value or strand,value or strand,position,value");
  EXPECT_EQ(refusal("position,value\n"), "map.csv: has no line of values below its header line");
  EXPECT_EQ(refusal("position,value\n0,1\n0,2\n"), "map.csv:3: strands and positions must ascend from line to line");
  EXPECT_EQ(refusal("position,value\n1.5,1\n"), "map.csv:2: position 1.5 must be from 0 (root) to 1 (tip)");
  EXPECT_EQ(refusal("strand,value\n0.5,1\n"), "map.csv:2: strand 0.5 must be a whole number from 0");
  EXPECT_EQ(refusal("strand,value\n1,2,3\n"), "map.csv:2: 2 numbers are expected (strand,value), but there are 3");
  EXPECT_EQ(refusal("position,value\n0,nan\n"), "map.csv:2: value = 'nan' is not a finite number");

  std::vector<double> values(5, 1.0);
  const auto why = [&](const ValueMap& map) { return apply(map, two_strands(), "radius", values).error().message(); };
  EXPECT_EQ(why(parse_value_map("strand,value\n2,1\n", "m").value()),
            "radius: the map names strand 2; there are 2, counted from 0");
  EXPECT_EQ(why(parse_value_map("strand,value\n1,-1\n", "m").value()),
            "radius: is -1 at vertex 0 of strand 1; it must be positive and finite");
  ValueMap some = parse_value_map("strand,value\n1,1\n", "m").value();
  some.complete = true;
  EXPECT_EQ(why(some), "radius: the map has no value for strand 0, and no preset has one either");
  ValueMap map;
  map.attribute = "none";
  EXPECT_EQ(why(map), "radius: the groom has no attribute 'none'");
  map.attribute = "color";
  EXPECT_EQ(why(map), "radius: the attribute 'color' has 3 numbers each; it must have one");
}

}  // namespace
}  // namespace tendril
