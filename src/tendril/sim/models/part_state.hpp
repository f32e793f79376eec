// Where the strands of one set are, and how they move. Every model shows them as vertices with frames (der::State),
// which is what caches, pages, probes and detection read; a model with unknowns of other kinds keeps these beside it.
#pragma once

#include <utility>
#include <vector>

#include "tendril/rods/der/strands.hpp"

namespace tendril {

struct PartState : der::State {
  std::vector<double> own;  // unknowns of the model (models/strand_model.hpp); empty: what is shown is all there is

  PartState() = default;
  PartState(der::State shown) : der::State(std::move(shown)) {}

  void swap(PartState& other) noexcept {
    der::State::swap(other);
    own.swap(other.own);
  }
};

}  // namespace tendril
