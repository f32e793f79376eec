#include "tendril/contact/jams.hpp"

#include "tendril/contact/node_response.hpp"

namespace tendril::contact {

std::size_t cap_jams(const NodeSpace& space, double speed, Impulses& r) {
  constexpr double most = 1e3;         // piles of a hundred contacts have a tenth of it
  constexpr double noticeable = 1e-2;  // of the speed: who is pressed together is pressed in
  NodeResponse response(space);
  const AlignedVector<double>& v = response.velocities(r);
  std::size_t jammed = 0;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    const double limit = most * contact.scale * speed;
    if (contact.law != Law::coulomb || contact.scale == 0.0 || !(r[i].norm() > limit)) continue;
    if (!(contact.push.judged(space.velocity(contact, v.data())[0], r[i][0]) < -noticeable * speed)) continue;
    r[i] *= limit / r[i].norm();
    ++jammed;
  }
  return jammed;
}

}  // namespace tendril::contact
