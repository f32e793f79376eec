#include "tendril/scene/read_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

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

// A key as it stands in the scene: a shift, and a turn given by axis and angle or by a quaternion.
void read_inline_key(TableReader& table, KeyedMotion& motion) {
  double time = 0.0, angle = 0.0;
  Vector3d shift = Vector3d::Zero();
  table.quantity("time", "of this key", Dimension::time, any_number, time);
  table.vector3("shift", "where the drawn points go", Dimension::length, shift);
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  if (table.has("quaternion") || table.describing()) {
    std::array<double, 4> q = {1.0, 0.0, 0.0, 0.0};
    table.numbers("quaternion", "turn before that shift, as [w, x, y, z]; or axis and angle", q);
    rotation = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  }
  if (table.has("axis") || table.has("angle") || table.describing()) {
    const Vector3d axis = read_axis(table, "axis", "of a turn about the origin, before that shift");
    table.quantity("angle", "of that turn", Dimension::angle, any_number, angle);
    if (table.has("quaternion")) table.refuse("axis", "write either quaternion or axis and angle, not both");
    if (!table.has("axis")) table.missing("axis", "write the axis of the turn, such as axis = [0, 1, 0]");
    if (std::abs(angle) > std::numbers::pi * (1.0 + 1e-9))
      table.refuse("angle",
                   "angle is that of a pose, at most 180 deg: between keys the shorter way is taken; write more keys "
                   "on the way, or a motion with turn and rate");
    if (!table.describing()) rotation = Eigen::AngleAxisd(angle, axis);
  }
  if (!table.has("time")) table.missing("time", "write when it is reached, such as time = \"1 s\"");
  if (!table.describing() && !table.failed())
    if (const auto fault = add_key(motion, time, shift, rotation)) table.refuse("time", *fault);
  table.finish();
}

KeyedMotion read_inline_keys(TableReader& owner) {
  KeyedMotion motion;
  for (TableReader& table : owner.tables("keys", "poses over time, each exact at its time, screws in between"))
    read_inline_key(table, motion);
  if (motion.times.empty()) return {{0.0}, {Pose{}}};
  return motion;
}

KeyedMotion read_keyed(TableReader& table, const std::filesystem::path& folder) {
  if (table.describing()) read_inline_keys(table);
  if (!table.is_text("keys")) return read_inline_keys(table);
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
    if (table.has("mesh"))
      table.refuse("mesh", fmt::format("mesh can move the roots of strands only, as their only motion; {} takes sine, "
                                       "rotate, move, turn or keys",
                                       table.name()));
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

std::shared_ptr<const MeshSequence> read_mesh_motion(TableReader& owner, std::string_view key,
                                                     const std::filesystem::path& folder) {
  constexpr Word<UpAxis> axes[] = {{"Y", UpAxis::y}, {"Z", UpAxis::z}};
  // In the schema beside the other kinds of motion: only roots and colliders may have it.
  const std::string_view place = owner.describing() ? "motion = { mesh }" : key;
  auto table = owner.table(place, "in place of these: roots bound to a moving mesh by closest triangle");
  if (!table) return nullptr;
  MeshSequenceRequest request;
  std::string mesh, points;
  table->text("mesh", "files of a moving mesh, # for the frame number: \"head_####.obj\"; or one mesh with points",
              mesh);
  table->text("points", "a .pc2 with the moving points of that one mesh", points);
  table->number("fps", "frames per second of the mesh", {1e-3, 1e6}, request.fps);
  table->quantity("scale", "metres per unit of the mesh; 1 if absent", Dimension::none, {1e-9, 1e9}, request.scale);
  table->word<UpAxis>("up", "which axis of the mesh points up", axes, request.up);
  table->quantity("start", "time of its first frame", Dimension::time, any_number, request.start);
  request.mesh = folder / mesh;
  if (!points.empty()) request.points = folder / points;
  table->finish();
  if (table->describing() || table->failed()) return nullptr;
  Result<std::shared_ptr<const MeshSequence>> read = read_mesh_sequence(request);
  if (read) return read.value();
  table->refuse("mesh", fmt::format("mesh: {}", read.error().message()));
  return nullptr;
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
