// A contact that is to part, but not at any price (docs/theory/contact.md, "Soft pushes", Eq. 43): up to a normal
// impulse of `strength` it is to part at `speed`, and beyond that it gives way,
//
//   u_N >= min(speed, max(0, speed - softness (r_N - strength)))
//
// so that things that lie in each other come apart where they can, and stay as they are where something holds them.
#pragma once

#include <algorithm>

namespace tendril::contact {

// Of the speed, that counts as having parted.
constexpr double push_share = 0.5;

// Of the speed, at which things that are pressed together harder than a push is strong may still come closer.
constexpr double push_slack = 0.02;

struct SoftPush {
  double speed = 0.0;     // [m/s]
  double strength = 0.0;  // [N s]
  double softness = 0.0;  // [1/kg]

  // [m/s] that is left of it under a normal impulse.
  double at(double normal_impulse) const {
    return std::clamp(speed - softness * (normal_impulse - strength), 0.0, speed);
  }
  // Solvers aim at that, but what counts is less: half of the speed, and next to nothing where it would take more than
  // its strength. What is left of a normal velocity beyond what counts.
  double judged(double normal_velocity, double normal_impulse) const {
    return normal_velocity - std::clamp(normal_velocity, least(normal_impulse), speed);
  }
  double least(double normal_impulse) const { return (normal_impulse < strength ? push_share : -push_slack) * speed; }
};

// Of the mean compliance of the contact. The softer, the sooner solvers find out how far pushes have to give way.
constexpr double push_softness = 0.03;

}  // namespace tendril::contact
