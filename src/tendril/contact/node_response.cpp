#include "tendril/contact/node_response.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/error_measure.hpp"

namespace tendril::contact {

void NodeResponse::push(const Impulses& r) {
  std::ranges::fill(force_, 0.0);
  for (std::size_t i = 0; i < space_.size(); ++i) space_.push(space_.contacts[i], r[i], force_.data());
}

const AlignedVector<double>& NodeResponse::velocities(const Impulses& r) {
  push(r);
  parallel_for(space_.blocks.size(),
               [&](std::size_t b) { space_.respond(space_.blocks[b], force_.data(), velocity_.data()); });
  return velocity_;
}

double NodeResponse::measure(const Impulses& r) {
  parallel_for(space_.size(), [&](std::size_t i) {
    const NodeContact& contact = space_.contacts[i];
    errors_[i] =
        contact_error(contact.law, contact.mu, contact.scale, r[i], space_.velocity(contact, velocity_.data()));
  });
  return largest(errors_);
}

double NodeResponse::error(const Impulses& r) { return velocities(r), measure(r); }

double NodeResponse::error(const Impulses& r, std::span<const std::uint32_t> changed_blocks) {
  push(r);
  parallel_for(changed_blocks.size(), [&](std::size_t k) {
    space_.respond(space_.blocks[changed_blocks[k]], force_.data(), velocity_.data());
  });
  return measure(r);
}

}  // namespace tendril::contact
