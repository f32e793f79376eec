#include "tendril/scene/presets.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tendril {
namespace {

TEST(Presets, HaveNamesOfTheirOwnAndCanBeFound) {
  std::set<std::string_view> names;
  for (const Preset& preset : presets()) {
    EXPECT_TRUE(names.insert(preset.name).second) << preset.name;
    EXPECT_EQ(find_preset(preset.name), &preset);
    EXPECT_FALSE(preset.meaning.empty());
  }
  EXPECT_EQ(find_preset("granite"), nullptr);
}

TEST(Presets, AreMaterialsThatExist) {
  for (const Preset& preset : presets()) {
    SCOPED_TRACE(preset.name);
    EXPECT_GT(preset.radius, 1e-6);
    EXPECT_LT(preset.radius, 1e-2);
    EXPECT_GT(preset.aspect, 0.3);
    EXPECT_LE(preset.aspect, 1.0);
    EXPECT_GT(preset.density, 500.0);
    EXPECT_LT(preset.density, 10000.0);
    EXPECT_GT(preset.young, 1e5);
    EXPECT_LT(preset.shear, preset.young);  // also of fibres that are far from isotropic
    EXPECT_GE(preset.stretch_young, preset.young);
  }
}

TEST(Presets, BecomeMaterialsWithAllTheirValues) {
  const der::Material rope = material_of(*find_preset("cotton-rope"));
  EXPECT_EQ(rope.radius, 3e-3);
  EXPECT_EQ(rope.stretch_young, 5e8);
  EXPECT_EQ(rope.density, 800.0);
  EXPECT_FALSE(rope.tip_radius);
  EXPECT_FALSE(material_of(*find_preset("rod-steel")).stretch_young);  // the same as young
}

}  // namespace
}  // namespace tendril
