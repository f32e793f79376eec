#include "tendril/scene/read_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "tendril/scene/motion_keys.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

// `default_ramp` is for a motion that says nothing about it; it gives way to a short duration.
Window read_window(TableReader& table, double default_ramp) {
  Window window;
  std::optional<double> duration, ramp;
  table.quantity("start", "time at which the motion begins", Dimension::time, any_number, window.start);
  table.quantity("duration", "how long it lasts; for ever if absent", Dimension::time, positive, duration);
  table.quantity("ramp", "time in which it grows at the start and fades at the end; half a period of a sine if absent",
                 Dimension::time, not_negative, ramp);
  if (duration) window.duration = *duration;
  window.ramp = ramp.value_or(std::min(default_ramp, 0.5 * window.duration));
  if (window.ramp > 0.5 * window.duration)
    table.refuse("ramp", fmt::format("ramp must be at most half the duration of {} s", window.duration));
  return window;
}

// A number without which the motion makes no sense; `hint` follows the complaint that it is missing.
double read_needed(TableReader& table, std::string_view key, std::string_view meaning, Dimension dimension,
                   Interval allowed, std::string_view hint) {
  std::optional<double> value;
  table.quantity(key, meaning, dimension, allowed, value);
  if (!table.has(key)) table.missing(key, hint);
  return value.value_or(1.0);
}

Sine read_sine(TableReader& table) {
  Sine sine;
  sine.frequency = read_needed(table, "frequency", "of a sine", Dimension::frequency, positive,
                               "write how often it swings, such as frequency = \"2 Hz\"");
  table.quantity("phase", "of a sine at its start", Dimension::angle, any_number, sine.phase);
  sine.window = read_window(table, 0.5 / sine.frequency);
  return sine;
}

Vector3d read_axis(TableReader& table, std::string_view key, std::string_view meaning) {
  std::optional<Vector3d> axis;
  table.vector3(key, meaning, Dimension::none, axis);
  if (!axis) return Vector3d::UnitY();
  const double length = axis->norm();
  if (!(length > 0.0 && std::isfinite(length)))
    table.refuse(key, fmt::format("{} must be a direction, but its length is {}", key, length));
  return *axis / length;
}

Vector3d read_centre(TableReader& table) {
  Vector3d centre = Vector3d::Zero();
  table.vector3("centre", "a point of the axis of rotation", Dimension::length, centre);
  return centre;
}

SineShift read_sine_shift(TableReader& table) {
  SineShift part{Vector3d::Zero(), {}};
  if (table.is_plain("sine")) {
    std::optional<double> amplitude;
    table.quantity("sine", "swing to and fro: amplitude along axis", Dimension::length, any_number, amplitude);
    part.amplitude =
        amplitude.value_or(0.0) * read_axis(table, "axis", "direction of a sine that is given as one length");
    if (!table.has("axis")) table.missing("axis", "write the direction of the swing, such as axis = [1, 0, 0]");
  }
  if (table.describing() || !table.is_plain("sine")) {
    std::optional<Vector3d> amplitude;
    table.vector3("sine", "swing to and fro: amplitude in each direction", Dimension::length, amplitude);
    part.amplitude = amplitude.value_or(Vector3d::Zero());
  }
  part.sine = read_sine(table);
  return part;
}

SineTurn read_sine_turn(TableReader& table) {
  SineTurn part{read_axis(table, "rotate", "swing about this axis"), read_centre(table), 0.0, {}};
  part.amplitude = read_needed(table, "angle", "amplitude of that swing", Dimension::angle, any_number,
                               "write how far it swings, such as angle = \"30 deg\"");
  part.sine = read_sine(table);
  return part;
}

SteadyShift read_steady_shift(TableReader& table) {
  std::optional<Vector3d> velocity;
  table.vector3("move", "move with this velocity", Dimension::speed, velocity);
  return {velocity.value_or(Vector3d::Zero()), read_window(table, 0.0)};
}

SteadyTurn read_steady_turn(TableReader& table) {
  SteadyTurn part{read_axis(table, "turn", "turn about this axis"), read_centre(table), 0.0, {}};
  part.rate = read_needed(table, "rate", "of that turn", Dimension::angular_speed, any_number,
                          "write how fast it turns, such as rate = \"90 deg/s\"");
  part.window = read_window(table, 0.0);
  return part;
}

KeyedMotion read_keyed(TableReader& table, const std::filesystem::path& folder) {
  KeyedMotion part{{0.0}, {Pose{}}};
  std::string file;
  table.text("keys", "CSV file of poses over time: time,tx,ty,tz,qw,qx,qy,qz", file);
  if (table.describing() || table.failed()) return part;
  auto keys = read_motion_keys(folder / file);
  if (!keys) return table.refuse("keys", fmt::format("keys: {}", keys.error().message())), part;
  return keys.value();
}

using ReadPart = MotionPart (*)(TableReader&, const std::filesystem::path&);
struct Kind {
  std::string_view key;
  ReadPart read;
};
constexpr std::array<Kind, 5> kinds = {{
    {"sine", [](TableReader& t, const std::filesystem::path&) -> MotionPart { return read_sine_shift(t); }},
    {"rotate", [](TableReader& t, const std::filesystem::path&) -> MotionPart { return read_sine_turn(t); }},
    {"move", [](TableReader& t, const std::filesystem::path&) -> MotionPart { return read_steady_shift(t); }},
    {"turn", [](TableReader& t, const std::filesystem::path&) -> MotionPart { return read_steady_turn(t); }},
    {"keys", [](TableReader& t, const std::filesystem::path& f) -> MotionPart { return read_keyed(t, f); }},
}};

}  // namespace

Motion read_motion(TableReader& owner, std::string_view key, std::string_view meaning,
                   const std::filesystem::path& folder) {
  std::vector<MotionPart> parts;
  for (TableReader& table : owner.tables(key, meaning)) {
    table.not_built("mesh");
    const auto given = std::ranges::count_if(kinds, [&](const Kind& kind) { return table.has(kind.key); });
    if (given == 0 && !table.describing())
      table.missing("sine, rotate, move, turn or keys", "one of them says what kind of motion it is");
    if (given > 1)
      table.refuse("", fmt::format("{} mixes kinds of motion; write them as a list of tables, each with one of sine, "
                                   "rotate, move, turn or keys",
                                   table.name()));
    for (const Kind& kind : kinds)
      if (table.has(kind.key) || table.describing()) parts.push_back(kind.read(table, folder));
    table.finish();
  }
  return Motion(std::move(parts));
}

TwistMotion read_twist(TableReader& owner, std::string_view key, std::string_view meaning) {
  TwistMotion twist;
  auto table = owner.table(key, meaning);
  if (!table) return twist;
  const bool steady = table->has("rate"), swinging = table->has("angle");
  if (steady == swinging && !table->describing())
    table->missing("rate or angle", "write one of rate = \"90 deg/s\" and angle = \"30 deg\" with a frequency");
  if (steady || table->describing()) {
    twist.rate = read_needed(*table, "rate", "turns the edge at this rate", Dimension::angular_speed, any_number, "");
    twist.window = read_window(*table, 0.0);
  }
  if (swinging || table->describing()) {
    twist.amplitude =
        read_needed(*table, "angle", "swings the edge to and fro by this angle", Dimension::angle, any_number, "");
    twist.sine = read_sine(*table);
  }
  table->finish();
  return twist;
}

}  // namespace tendril
