// Prescribed motion: a pose for every time, by which drawn points are carried (x -> R x + t). A motion is a list of
// parts; each acts on what the one before has made of the points. An empty list leaves everything where it was drawn.
//
// A part acts within its window [start, start + duration] and holds its end poses outside of it, so positions never
// jump. Nor do velocities and accelerations if it has a ramp: then its strength (the amplitude of a sine, the rate of a
// steady motion) grows from 0 to 1 over the time `ramp` after the start as 6 s^5 - 15 s^4 + 10 s^3, and falls in the
// same way before the end. A sine with a ramp is therefore back at 0 when it ends.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <variant>
#include <vector>

#include "tendril/geometry/pose.hpp"

namespace tendril {

struct Window {
  double start = 0.0;                                         // [s]
  double duration = std::numeric_limits<double>::infinity();  // [s]
  double ramp = 0.0;                                          // [s], at most half the duration

  double clamped(double time) const;          // time within the window, counted from its start
  double strength(double time) const;         // 0 to 1; 1 throughout if there is no ramp
  double strength_so_far(double time) const;  // [s], integral of the strength
};

// strength * sin(2 pi frequency (time - start) + phase)
struct Sine {
  double frequency = 1.0;  // [Hz]
  double phase = 0.0;      // [rad]
  Window window;

  double at(double time) const;
};

struct SineShift {
  Eigen::Vector3d amplitude;  // [m]
  Sine sine;
};

struct SineTurn {
  Eigen::Vector3d axis;    // unit
  Eigen::Vector3d centre;  // [m], a point of the axis
  double amplitude = 0.0;  // [rad]
  Sine sine;
};

struct SteadyShift {
  Eigen::Vector3d velocity;  // [m/s]
  Window window;
};

struct SteadyTurn {
  Eigen::Vector3d axis;    // unit
  Eigen::Vector3d centre;  // [m], a point of the axis
  double rate = 0.0;       // [rad/s]
  Window window;
};

// Poses at given times, exact there, screws in between, held before the first and after the last.
struct KeyedMotion {
  std::vector<double> times;  // [s], ascending; at least one
  std::vector<Pose> poses;    // one per time
};

using MotionPart = std::variant<SineShift, SineTurn, SteadyShift, SteadyTurn, KeyedMotion>;

Pose pose_at(const MotionPart& part, double time);

// Turns the held edge about itself: rate x time plus amplitude x sine, in its own window each. An angle and not a pose,
// so that it may go through many turns.
struct TwistMotion {
  double rate = 0.0;  // [rad/s]
  Window window;
  double amplitude = 0.0;  // [rad]
  Sine sine;

  double at(double time) const { return rate * window.strength_so_far(time) + amplitude * sine.at(time); }
};

class Motion {
 public:
  Motion() = default;
  explicit Motion(std::vector<MotionPart> parts) : parts_(std::move(parts)) {}

  Pose at(double time) const;
  bool still() const { return parts_.empty(); }
  double largest_turn_rate() const;  // [rad/s], a bound on how fast the pose ever turns
  const std::vector<MotionPart>& parts() const { return parts_; }

 private:
  std::vector<MotionPart> parts_;
};

}  // namespace tendril
