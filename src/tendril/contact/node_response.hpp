// Velocities of the nodes under impulses, and how far from the law these are: what every solver measures itself by.
#pragma once

#include <span>
#include <vector>

#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

class NodeResponse {
 public:
  explicit NodeResponse(const NodeSpace& space)
      : space_(space),
        force_(space.free_velocity.size(), 0.0),
        velocity_(space.free_velocity.size(), 0.0),
        errors_(space.size()) {}

  // free + C Hᵀ r, four numbers per node, until the next call. Nothing is done if r is that of the last call.
  const AlignedVector<double>& velocities(const Impulses& r);
  // [m/s] of the worst contact at r and the velocities under it. NaN if a number is.
  double error(const Impulses& r);
  // The same after it was called and then impulses of contacts on some blocks alone have changed.
  double error(const Impulses& r, std::span<const std::uint32_t> changed_blocks);
  // As of the last call: what velocities() gave, and errors [m/s] of every contact.
  std::span<const double> velocities() const { return velocity_; }
  std::span<const double> errors() const { return errors_; }
  double worst() const;  // of these; NaN if one is

 private:
  void push(const Impulses& r);

  const NodeSpace& space_;
  AlignedVector<double> force_, velocity_;
  Impulses r_;  // that these belong to; empty at first
  bool is_measured_ = false;
  std::vector<double> errors_;
  std::vector<std::uint32_t> changed_;  // contacts, of the last call
};

}  // namespace tendril::contact
