// A groom as a file holds it: curves in the file's own unit, what else the file says about them, and nothing made up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/curves.hpp"

namespace tendril {

enum class UpAxis : std::uint8_t { y, z };

// Further numbers by name, such as "color" or "groom_id".
struct GroomAttribute {
  std::string name;
  bool per_vertex = false;  // else per strand
  int components = 1;
  std::vector<double> values;
};

struct Groom {
  Curves curves;
  std::vector<double> radius;  // per vertex, in the unit of the curves; empty: the file has none
  std::vector<GroomAttribute> attributes;
  std::optional<double> metres_per_unit;  // nothing: the file does not say
  std::optional<UpAxis> up;               // likewise

  const GroomAttribute* attribute(std::string_view name) const;  // nullptr if there is none
};

// What had to be mended so that every strand is a curve: named and counted, never silent.
struct GroomRepairs {
  std::size_t not_finite_dropped = 0;  // strands with a coordinate that is not a finite number in float32
  std::size_t short_dropped = 0;       // strands with fewer than two different points
  std::size_t points_merged = 0;       // points at the place of the one before
  std::size_t spikes_removed = 0;      // points at which a strand turned back onto itself

  std::map<std::string, std::size_t> counts() const;  // by name, for reports
  GroomRepairs& operator+=(const GroomRepairs& other);
  bool any() const { return not_finite_dropped + short_dropped + points_merged + spikes_removed > 0; }
  std::string text() const;  // "3 strands with fewer than two points dropped, ..."; empty: none
};

// Points nearer than `shortest` (in the groom's unit) are the same.
GroomRepairs repair(Groom& groom, double shortest);

// Every strand that `keep` marks, with its attributes.
Groom selected(const Groom& groom, const std::vector<char>& keep);

// Into metres with y up. `scale` is in metres per unit; z up turns (x, y, z) into (x, z, -y).
void to_metres(Groom& groom, double scale, UpAxis up);

}  // namespace tendril
