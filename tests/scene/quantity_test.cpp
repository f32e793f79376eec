#include "tendril/scene/quantity.hpp"

#include <gtest/gtest.h>

#include <numbers>

namespace tendril {
namespace {

double si(std::string_view text, Dimension dimension) {
  const auto value = parse_quantity("key", text, dimension);
  EXPECT_TRUE(value) << (value ? "" : value.error().message());
  return value ? value.value() : -1.0;
}

std::string refusal(std::string_view key, std::string_view text, Dimension dimension) {
  const auto value = parse_quantity(key, text, dimension);
  return value ? "accepted" : value.error().message();
}

TEST(Quantity, ConvertsEveryDimensionToSi) {
  EXPECT_DOUBLE_EQ(si("40 um", Dimension::length), 40e-6);
  EXPECT_DOUBLE_EQ(si("25 cm", Dimension::length), 0.25);
  EXPECT_DOUBLE_EQ(si("3.9 GPa", Dimension::pressure), 3.9e9);
  EXPECT_DOUBLE_EQ(si("1.3 g/cm3", Dimension::density), 1300.0);
  EXPECT_DOUBLE_EQ(si("1300 kg/m3", Dimension::density), 1300.0);
  EXPECT_DOUBLE_EQ(si("2 s", Dimension::time), 2.0);
  EXPECT_DOUBLE_EQ(si("45 deg", Dimension::angle), std::numbers::pi / 4);
  EXPECT_DOUBLE_EQ(si("90 deg/s", Dimension::angular_speed), std::numbers::pi / 2);
  EXPECT_DOUBLE_EQ(si("2 Hz", Dimension::frequency), 2.0);
  EXPECT_DOUBLE_EQ(si("36 km/h", Dimension::speed), 10.0);
  EXPECT_DOUBLE_EQ(si("9.81 m/s2", Dimension::acceleration), 9.81);
  EXPECT_DOUBLE_EQ(si("5 mN", Dimension::force), 5e-3);
  EXPECT_DOUBLE_EQ(si("5 mN m", Dimension::torque), 5e-3);
  EXPECT_DOUBLE_EQ(si("5 g", Dimension::mass), 5e-3);
  EXPECT_DOUBLE_EQ(si("0.5", Dimension::none), 0.5);
}

TEST(Quantity, IsTheSameNumberAsInSi) {
  EXPECT_EQ(si("45 um", Dimension::length), 45e-6);
  EXPECT_EQ(si("70 um", Dimension::length), 70e-6);
  EXPECT_EQ(si("3.89 GPa", Dimension::pressure), 3.89e9);
  EXPECT_EQ(si("25 cm", Dimension::length), 0.25);
}

TEST(Quantity, TakesAPlainNumberAsSi) {
  EXPECT_DOUBLE_EQ(si("0.25", Dimension::length), 0.25);
  EXPECT_DOUBLE_EQ(si("-1e-3", Dimension::length), -1e-3);
  EXPECT_DOUBLE_EQ(si("  +7  ", Dimension::length), 7.0);
}

TEST(Quantity, KnowsSeveralSpellingsOfOneUnit) {
  for (const char* text : {"40um", "40 um", "40 \u00B5m", "40 \u03BCm"})
    EXPECT_DOUBLE_EQ(si(text, Dimension::length), 40e-6) << text;
  for (const char* text : {"7 kg/m3", "7 kg/m^3", "7 kg/m\u00B3"}) EXPECT_DOUBLE_EQ(si(text, Dimension::density), 7.0);
  for (const char* text : {"7 N m", "7 N*m", "7 N \u00B7 m", "7 N  m"})
    EXPECT_DOUBLE_EQ(si(text, Dimension::torque), 7.0);
}

TEST(Quantity, RefusesAnotherDimensionAndShowsWhatWouldBeRight) {
  EXPECT_EQ(refusal("young", "3 kg", Dimension::pressure),
            "young = '3 kg' is a mass, not a pressure; write a pressure such as \"3.9 GPa\"");
  EXPECT_EQ(refusal("rate", "3 Hz", Dimension::angular_speed),
            "rate = '3 Hz' is a frequency, not an angular speed; write an angular speed such as \"90 deg/s\"");
  EXPECT_EQ(refusal("aspect", "3 m", Dimension::none),
            "aspect = '3 m' is a length, not a plain number; write a plain number such as \"0.5\"");
}

TEST(Quantity, RefusesWhatIsNoNumberWithAUnit) {
  EXPECT_EQ(refusal("young", "3.9 Gpa", Dimension::pressure),
            "young = '3.9 Gpa' has the unknown unit 'Gpa'; write a pressure such as \"3.9 GPa\"");
  EXPECT_EQ(refusal("length", "", Dimension::length),
            "length = '' does not start with a number; write a length such as \"25 cm\"");
  EXPECT_EQ(refusal("length", "long", Dimension::length),
            "length = 'long' does not start with a number; write a length such as \"25 cm\"");
  EXPECT_EQ(refusal("length", "5 cm cm", Dimension::length),
            "length = '5 cm cm' has the unknown unit 'cm cm'; write a length such as \"25 cm\"");
  EXPECT_EQ(refusal("length", "5 m m", Dimension::length),
            "length = '5 m m' has the unknown unit 'm m'; write a length such as \"25 cm\"");
  EXPECT_EQ(refusal("length", "5,3", Dimension::length),
            "length = '5,3' has the unknown unit ',3'; write a length such as \"25 cm\"");
}

TEST(Quantity, RefusesWhatIsNotFinite) {
  for (const char* text : {"inf", "-inf", "nan", "infinity m", "nan(2) m"})
    EXPECT_NE(refusal("x", text, Dimension::length).find("is not finite"), std::string::npos) << text;
  for (const char* text : {"1e999", "1e306 km", "-1e306 km", "1e-999"})
    EXPECT_NE(refusal("x", text, Dimension::length).find("is out of range"), std::string::npos) << text;
  EXPECT_EQ(refusal("x", "+-3", Dimension::length).find("accepted"), std::string::npos);
}

TEST(Quantity, HasAnExampleForEveryDimensionThatItWouldAccept) {
  for (int d = 0; d <= static_cast<int>(Dimension::torque); ++d) {
    const auto dimension = static_cast<Dimension>(d);
    EXPECT_TRUE(parse_quantity("key", words(dimension).example, dimension)) << words(dimension).name;
    EXPECT_DOUBLE_EQ(si("1 " + std::string(words(dimension).si_unit), dimension), 1.0);
  }
}

}  // namespace
}  // namespace tendril
