// False colours: quantities, ranges, maps, legends.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tendril/render/colour_map.hpp"
#include "tendril/render/colour_quantity.hpp"
#include "tendril/render/legend.hpp"

namespace tendril::render {
namespace {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();

// A quarter of a circle of radius 2 m and a straight strand of three vertices.
Frame example() {
  Frame frame;
  frame.offsets = {0, 33, 36};
  std::vector<float> positions, velocities(36 * 3, 0.0f), strain(34, 0.001f);
  for (int i = 0; i < 33; ++i) {
    const float angle = 0.5f * std::numbers::pi_v<float> * float(i) / 32.0f;
    positions.insert(positions.end(), {2.0f * std::cos(angle), 2.0f * std::sin(angle), 0.0f});
  }
  for (int i = 0; i < 3; ++i) positions.insert(positions.end(), {float(i), 5.0f, 0.0f});
  velocities[3 * 35 + 1] = 4.0f, velocities[3 * 35 + 2] = 3.0f;
  strain[32] = -0.002f, strain[33] = nan;
  frame.channels.push_back({"position", PerElement::vertex, 3, positions});
  frame.channels.push_back({"velocity", PerElement::vertex, 3, velocities});
  frame.channels.push_back({"strain", PerElement::edge, 1, strain});
  frame.channels.push_back({"groom_id", PerElement::strand, 1, std::vector<float>{7.0f, 8.0f}});
  frame.channels.push_back({"guide", PerElement::strand, 1, std::vector<std::uint32_t>{1, 0}});
  return frame;
}

Frame rest_of(const Frame& frame) {
  Frame rest;
  rest.offsets = frame.offsets;
  rest.channels.push_back({"stretch_stiffness", PerElement::edge, 1, std::vector<float>(34, 50.0f)});
  return rest;
}

TEST(Quantities, AreThoseOfTheRunAndNoOthers) {
  const Frame frame = example(), rest = rest_of(frame);
  const auto ids = [](const std::vector<ColourQuantity>& list) {
    std::vector<std::string> out;
    for (const ColourQuantity& q : list) out.push_back(q.id);
    return out;
  };
  EXPECT_EQ(ids(colour_quantities(frame, &rest)),
            (std::vector<std::string>{"curvature", "speed", "tension", "strain", "groom_id", "stretch-stiffness"}));
  EXPECT_EQ(ids(colour_quantities(frame, nullptr)),
            (std::vector<std::string>{"curvature", "speed", "strain", "groom_id"}));
}

TEST(Quantities, HaveTheirValues) {
  const Frame frame = example(), rest = rest_of(frame);
  const std::vector<float> curvature = quantity_values("curvature", frame, &rest).value();
  EXPECT_NEAR(curvature[0], 0.5f, 1e-3f);
  EXPECT_NEAR(curvature[16], 0.5f, 1e-3f);
  EXPECT_NEAR(curvature[34], 0.0f, 1e-6f);
  EXPECT_NEAR(quantity_values("speed", frame, &rest).value()[35], 5.0f, 1e-6f);
  const std::vector<float> tension = quantity_values("tension", frame, &rest).value();
  EXPECT_NEAR(tension[3], 0.05f, 1e-7f);
  EXPECT_NEAR(tension[33], -0.1f, 1e-7f);  // the root has one edge only
  EXPECT_TRUE(std::isnan(tension[34]));    // beside an edge without a value
  EXPECT_EQ(quantity_values("groom_id", frame, &rest).value()[34], 8.0f);
}

TEST(Quantities, ContactForcesAreColouredByTheirSize) {
  Frame frame = example();
  std::vector<float> forces(36 * 3, 0.0f);
  forces[3 * 5] = 0.3f, forces[3 * 5 + 2] = -0.4f;
  frame.channels.push_back({"contact_force", PerElement::vertex, 3, forces});
  const std::vector<ColourQuantity> offered = colour_quantities(frame, nullptr);
  const auto found = std::ranges::find(offered, "contact-force", &ColourQuantity::id);
  ASSERT_NE(found, offered.end());
  EXPECT_EQ(found->unit, "N");
  EXPECT_FALSE(found->signed_values);
  const std::vector<float> values = quantity_values("contact-force", frame, nullptr).value();
  ASSERT_EQ(values.size(), 36u);
  EXPECT_NEAR(values[5], 0.5f, 1e-7f);
  EXPECT_EQ(values[6], 0.0f);
  EXPECT_FALSE(quantity_values("contact-force", example(), nullptr)) << "needs a run with contact";
}

TEST(Quantities, AnUnknownOneIsRefusedWithThoseThatThereAre) {
  const Frame frame = example();
  const Result<std::vector<float>> values = quantity_values("strian", frame, nullptr);
  ASSERT_FALSE(values);
  EXPECT_EQ(values.error().message(),
            "colour 'strian': is not in this run (did you mean 'strain'?); there are strand, curvature, speed, strain, "
            "groom_id");
  EXPECT_FALSE(quantity_values("tension", frame, nullptr)) << "needs stiffnesses";
}

TEST(Range, SpansAllButOutliersAndKnowsSigns) {
  std::vector<float> values;
  for (int i = 0; i < 1000; ++i) values.push_back(float(i) / 1000.0f);
  values.push_back(1e6f), values.push_back(nan), values.push_back(std::numeric_limits<float>::infinity());
  const ValueRange plain = range_of(values, false);
  EXPECT_LT(plain.high, 1.1f);
  EXPECT_FALSE(plain.log);
  const ValueRange both = range_of(std::vector{-1.0f, -1.0f, 3.0f, 3.0f}, true);
  EXPECT_TRUE(both.diverging);
  EXPECT_EQ(both.low, -both.high);
  EXPECT_TRUE(range_of(std::vector{1e-6f, 1e-3f, 1.0f}, false).log);
  for (const std::vector<float>& odd : {std::vector<float>{}, {nan}, {0.0f, 0.0f}, {5.0f}, {-3.0f, -3.0f}}) {
    const ValueRange range = range_of(odd, true);
    EXPECT_LT(range.low, range.high);
    EXPECT_TRUE(std::isfinite(range.low) && std::isfinite(range.high));
    EXPECT_FALSE(legend_ticks(range).empty());
  }
}

TEST(ColourMap, GetsLighterAllTheWay) {
  const ValueRange range{0.0f, 1.0f};
  float before = -1.0f;
  for (int i = 0; i <= 20; ++i) {
    const float light = luminance(colour(range, float(i) / 20.0f));
    EXPECT_GT(light, before);
    before = light;
  }
}

TEST(ColourMap, WhatHasNoValueIsGrey) {
  const Rgb grey = colour({0.0f, 1.0f}, nan);
  EXPECT_EQ(grey[0], grey[1]);
  EXPECT_EQ(grey[1], grey[2]);
}

TEST(Legend, TicksAreRoundAndInside) {
  std::vector<std::string> words;
  for (const float tick : legend_ticks({0.0f, 0.013f})) words.push_back(tick_text(tick));
  EXPECT_EQ(words, (std::vector<std::string>{"0", "0.005", "0.01"}));
  const std::vector<float> powers = legend_ticks({1e-6f, 1.0f, true});
  ASSERT_GE(powers.size(), 3u);
  EXPECT_NEAR(powers.front(), 1e-6f, 1e-9f);
  EXPECT_EQ(tick_text(powers[1]), "0.0001");
}

TEST(Legend, IsPaintedIntoTheCornerAndNowhereElse) {
  Image image(640, 360, Rgb::Constant(0.5f));
  paint_legend({"bending stiffness", "N m2", {1e-9f, 1e-7f}, false}, image);
  EXPECT_EQ(image.at(639, 0)[0], 0.5f);
  EXPECT_EQ(image.at(0, 0)[0], 0.5f);
  int dark = 0, coloured = 0;
  for (const Rgb& pixel : image.pixels) {
    dark += pixel.maxCoeff() < 0.2f && pixel.maxCoeff() - pixel.minCoeff() < 0.01f;
    coloured += pixel.maxCoeff() - pixel.minCoeff() > 0.1f;
  }
  EXPECT_GT(dark, 100) << "words";
  EXPECT_GT(coloured, 300) << "the bar";
  Image tiny(16, 16, Rgb::Zero());
  paint_legend({"speed", "m/s", {0.0f, 1.0f}, true}, tiny);  // stays within the picture
}

}  // namespace
}  // namespace tendril::render
