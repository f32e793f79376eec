#include "tendril/scene/quantity.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <numbers>
#include <optional>

namespace tendril {
namespace {

// Worth `times / per` SI units. Both, because 45 / 1e6 is the number 45e-6 to the last bit and 45 * 1e-6 is not.
struct Unit {
  std::string_view name;
  Dimension dimension;
  double times = 1.0, per = 1.0;
};

constexpr double turn = 2.0 * std::numbers::pi;

using enum Dimension;
constexpr Unit units[] = {
    {"m", length},
    {"km", length, 1e3},
    {"cm", length, 1.0, 1e2},
    {"mm", length, 1.0, 1e3},
    {"um", length, 1.0, 1e6},
    {"nm", length, 1.0, 1e9},
    {"s", time},
    {"ms", time, 1.0, 1e3},
    {"us", time, 1.0, 1e6},
    {"min", time, 60.0},
    {"kg", mass},
    {"g", mass, 1.0, 1e3},
    {"mg", mass, 1.0, 1e6},
    {"ug", mass, 1.0, 1e9},
    {"Pa", pressure},
    {"kPa", pressure, 1e3},
    {"MPa", pressure, 1e6},
    {"GPa", pressure, 1e9},
    {"N/m2", pressure},
    {"N/mm2", pressure, 1e6},
    {"kg/m3", density},
    {"g/cm3", density, 1e3},
    {"rad", angle},
    {"deg", angle, std::numbers::pi, 180.0},
    {"turn", angle, turn},
    {"turns", angle, turn},
    {"rad/s", angular_speed},
    {"deg/s", angular_speed, std::numbers::pi, 180.0},
    {"turns/s", angular_speed, turn},
    {"rpm", angular_speed, turn, 60.0},
    {"Hz", frequency},
    {"kHz", frequency, 1e3},
    {"1/s", frequency},
    {"m/s", speed},
    {"cm/s", speed, 1.0, 1e2},
    {"mm/s", speed, 1.0, 1e3},
    {"km/h", speed, 1.0, 3.6},
    {"m/s2", acceleration},
    {"cm/s2", acceleration, 1.0, 1e2},
    {"mm/s2", acceleration, 1.0, 1e3},
    {"N", force},
    {"kN", force, 1e3},
    {"mN", force, 1.0, 1e3},
    {"uN", force, 1.0, 1e6},
    {"nN", force, 1.0, 1e9},
    {"N m", torque},
    {"mN m", torque, 1.0, 1e3},
    {"uN m", torque, 1.0, 1e6},
    {"N mm", torque, 1.0, 1e3},
    {"nN m", torque, 1.0, 1e9},
    {"kg m2", inertia},
    {"kg cm2", inertia, 1.0, 1e4},
    {"g cm2", inertia, 1.0, 1e7},
    {"g mm2", inertia, 1.0, 1e9},
    {"m/N", compliance},
    {"mm/N", compliance, 1.0, 1e3},
    {"um/N", compliance, 1.0, 1e6},
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// One spelling for each unit: micro signs to u, powers to digits, products to one space.
std::string plain(std::string_view unit) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> spellings = {{
      {"\u00B5", "u"},  // micro sign
      {"\u03BC", "u"},  // Greek mu
      {"\u00B2", "2"},
      {"\u00B3", "3"},
      {"\u00B7", " "},  // middle dot
      {"*", " "},
      {"^", ""},
  }};
  std::string result;
  while (!unit.empty()) {
    std::string_view from = unit.substr(0, 1), to = from;
    for (const auto& [spelling, replacement] : spellings)
      if (unit.starts_with(spelling)) from = spelling, to = replacement;
    if (to != " " || !result.ends_with(' ')) result += to;
    unit.remove_prefix(from.size());
  }
  return result;
}

const Unit* find_unit(std::string_view name) {
  for (const Unit& unit : units)
    if (unit.name == name) return &unit;
  return nullptr;
}

}  // namespace

DimensionWords words(Dimension dimension) {
  switch (dimension) {
    case none: return {"a", "plain number", "", "0.5"};
    case length: return {"a", "length", "m", "25 cm"};
    case time: return {"a", "time", "s", "2 s"};
    case mass: return {"a", "mass", "kg", "5 g"};
    case pressure: return {"a", "pressure", "Pa", "3.9 GPa"};
    case density: return {"a", "density", "kg/m3", "1.3 g/cm3"};
    case angle: return {"an", "angle", "rad", "45 deg"};
    case angular_speed: return {"an", "angular speed", "rad/s", "90 deg/s"};
    case frequency: return {"a", "frequency", "Hz", "2 Hz"};
    case speed: return {"a", "speed", "m/s", "5 m/s"};
    case acceleration: return {"an", "acceleration", "m/s2", "9.81 m/s2"};
    case force: return {"a", "force", "N", "2 mN"};
    case torque: return {"a", "torque", "N m", "0.1 N m"};
    case inertia: return {"a", "moment of inertia", "kg m2", "5 g cm2"};
    case compliance: return {"a", "compliance", "m/N", "1 mm/N"};
  }
  return {};
}

Result<double> parse_quantity(std::string_view key, std::string_view text, Dimension dimension) {
  const DimensionWords wanted = words(dimension);
  const auto refuse = [&](std::string_view why) {
    return Error{"", fmt::format("{} = '{}' {}; write {} {} such as \"{}\"", key, text, why, wanted.article,
                                 wanted.name, wanted.example)};
  };

  std::string_view rest = trimmed(text);
  if (rest.starts_with('+') && !rest.starts_with("+-")) rest.remove_prefix(1);
  double value = 0.0;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
  if (fault == std::errc::result_out_of_range) return refuse("is out of range");
  if (fault != std::errc{}) return refuse("does not start with a number");
  if (!std::isfinite(value)) return refuse("is not finite");
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));

  const std::string_view unit_text = trimmed(rest);
  if (unit_text.empty()) return value;
  const Unit* unit = find_unit(plain(unit_text));
  if (unit == nullptr) return refuse(fmt::format("has the unknown unit '{}'", unit_text));
  if (unit->dimension != dimension) {
    const DimensionWords given = words(unit->dimension);
    return refuse(fmt::format("is {} {}, not {} {}", given.article, given.name, wanted.article, wanted.name));
  }
  const double si = value * unit->times / unit->per;
  if (!std::isfinite(si)) return refuse("is out of range");
  return si;
}

}  // namespace tendril
