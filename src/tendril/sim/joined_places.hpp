// Where joints hold strands together, or to the world, directly or by way of others: there they overlap by right.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tendril/collide/contact.hpp"

namespace tendril {

class JoinedPlaces {
 public:
  using Pair = std::pair<collide::StrandPoint, collide::StrandPoint>;

  JoinedPlaces() = default;
  // `pairs` stay together; what is held to nobody is pinned in the world.
  JoinedPlaces(std::size_t strands, std::span<const Pair> pairs);

  // Whether both points are within an edge of places that are one; with nobody, whether the first one is within an edge
  // of a place that is pinned.
  bool hold(const collide::StrandPoint& a, const collide::StrandPoint& b) const;

 private:
  struct Place {
    double arc = 0.0;
    std::uint32_t knot = 0;  // the same for all places that stay together
    bool is_pinned = false;
  };
  std::span<const Place> of(std::uint32_t strand) const {
    return std::span(places_).subspan(first_[strand], first_[strand + 1] - first_[strand]);
  }

  std::vector<std::uint32_t> first_;  // of each strand, and the end; empty: there are no joints
  std::vector<Place> places_;
};

}  // namespace tendril
