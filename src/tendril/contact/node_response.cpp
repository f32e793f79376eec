#include "tendril/contact/node_response.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/error_measure.hpp"
#include "tendril/contact/measure.hpp"

namespace tendril::contact {

void NodeResponse::push(const Impulses& r) {
  r_ = r, is_measured_ = false;
  std::ranges::fill(force_, 0.0);
  push_all(space_, r, force_.data());
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

double NodeResponse::worst() const { return largest(errors_); }

double NodeResponse::error(const Impulses& r) {
  velocities(r);
  if (!is_measured_) measure_errors(space_, r, velocity_.data(), errors_);
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
  const auto feels_it = [&](const NodeContact& contact) {
    const auto has = [&](std::int32_t block) { return block != Side::none && has_changed[std::size_t(block)] != 0; };
    bool changed = has(contact.block[0]) || has(contact.block[1]);
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
      changed = changed || has(std::int32_t(space_.terms[t].block));
    return changed;
  };
  changed_.clear();
  for (std::uint32_t i = 0; i < space_.size(); ++i)
    if (feels_it(space_.contacts[i])) changed_.push_back(i);
  measure_errors(space_, changed_, r, velocity_.data(), errors_);
  is_measured_ = true;
  return worst();
}

}  // namespace tendril::contact
