#include "tendril/contact/node_response.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/error_measure.hpp"

namespace tendril::contact {

void NodeResponse::push(const Impulses& r) {
  r_ = r, is_measured_ = false;
  std::ranges::fill(force_, 0.0);
  for (std::size_t i = 0; i < space_.size(); ++i) space_.push(space_.contacts[i], r[i], force_.data());
}

const AlignedVector<double>& NodeResponse::velocities(const Impulses& r) {
  if (!r_.empty() && r == r_) return velocity_;
  if (std::ranges::all_of(r, [](const Eigen::Vector3d& impulse) { return impulse.isZero(0.0); })) {
    r_ = r, is_measured_ = false;
    return velocity_ = space_.free_velocity;
  }
  push(r);
  parallel_for(space_.blocks.size(),
               [&](std::size_t b) { space_.respond(space_.blocks[b], force_.data(), velocity_.data()); });
  return velocity_;
}

void NodeResponse::measure(std::size_t i, const Eigen::Vector3d& r) {
  errors_[i] = space_.error(space_.contacts[i], r, velocity_.data());
}

double NodeResponse::worst() const { return largest(errors_); }

double NodeResponse::error(const Impulses& r) {
  velocities(r);
  if (!is_measured_) parallel_for(space_.size(), [&](std::size_t i) { measure(i, r[i]); });
  is_measured_ = true;
  return worst();
}

double NodeResponse::error(const Impulses& r, std::span<const std::uint32_t> changed_blocks) {
  push(r);
  parallel_for(changed_blocks.size(), [&](std::size_t k) {
    space_.respond(space_.blocks[changed_blocks[k]], force_.data(), velocity_.data());
  });
  std::vector<char> has_changed(space_.blocks.size(), 0);
  for (const std::uint32_t b : changed_blocks) has_changed[b] = 1;
  parallel_for(space_.size(), [&](std::size_t i) {
    const auto feels_it = [&](std::uint32_t block) { return has_changed[block] != 0; };
    const NodeContact& contact = space_.contacts[i];
    bool changed = false;
    for (const std::int32_t b : contact.block) changed = changed || (b != Side::none && feels_it(std::uint32_t(b)));
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
      changed = changed || feels_it(space_.terms[t].block);
    if (changed) measure(i, r[i]);
  });
  is_measured_ = true;
  return worst();
}

}  // namespace tendril::contact
