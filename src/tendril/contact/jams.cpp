#include "tendril/contact/jams.hpp"

#include "tendril/contact/node_response.hpp"
#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

constexpr double most = 1e3;         // piles of a hundred contacts have a tenth of it
constexpr double noticeable = 1e-2;  // of the speed: who is pressed together is pressed in

// `parting`: the normal velocity [m/s] of the contact under all impulses.
bool cap_if_jammed(Law law, double scale, double speed, double parting, Eigen::Vector3d& r) {
  const double limit = most * scale * speed;
  if (law != Law::coulomb || scale == 0.0 || !(r.norm() > limit) || !(parting < -noticeable * speed)) return false;
  r *= limit / r.norm();
  return true;
}

}  // namespace

std::size_t cap_jams(const NodeSpace& space, double speed, Impulses& r) {
  NodeResponse response(space);
  const AlignedVector<double>& v = response.velocities(r);
  std::size_t jammed = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    const double parting = contact.push.judged(space.velocity(contact, v.data())[0], r[i][0]);
    jammed += cap_if_jammed(contact.law, contact.scale, speed, parting, r[i]);
  }
  return jammed;
}

std::size_t cap_jams(const ExplicitDelassus& system, double speed, Impulses& r) {
  const std::vector<double> scales = impulse_scales(system);
  Impulses u;
  system.apply(r, u);
  std::size_t jammed = 0;
  for (std::size_t i = 0; i < system.size(); ++i)
    jammed += cap_if_jammed(system.law(i), scales[i], speed, u[i][0], r[i]);
  return jammed;
}

}  // namespace tendril::contact
