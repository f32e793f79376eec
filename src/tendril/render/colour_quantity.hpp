// What strands can be coloured by: everything that a frame, or what holds for all frames, says about them, and what
// follows from positions. A run that lacks a channel lacks the quantity.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/frame_file.hpp"

namespace tendril::render {

struct ColourQuantity {
  enum class Source : std::uint8_t { frame, rest, derived };
  std::string id;     // "stiffness"
  std::string label;  // "bending stiffness"
  std::string unit;   // "N m2"; empty: none
  bool signed_values = false;
  Source source = Source::derived;
  std::string channel;  // that it is, or that it is derived from
  PerElement per = PerElement::vertex;
};

// Without "strand", which is no quantity. `rest` may be null.
std::vector<ColourQuantity> colour_quantities(const Frame& frame, const Frame* rest);

// One value per vertex; of edges a vertex gets the mean of its two. NaN: none.
Result<std::vector<float>> quantity_values(const std::string& id, const Frame& frame, const Frame* rest);

}  // namespace tendril::render
