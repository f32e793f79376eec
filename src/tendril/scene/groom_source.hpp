// A groom file made ready to simulate: read, mended, brought to metres with y up, thinned or resampled. What had to be
// mended or assumed is told.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

struct GroomRequest {
  std::filesystem::path file;
  std::optional<double> scale;  // metres per unit; nothing: what the file says, or else metres
  std::optional<UpAxis> up;     // likewise, or else y
  int subsample = 1;            // takes every so-manieth strand
  int resample = 0;             // vertices per strand; 0: as they are
};

struct LoadedGroom {
  Groom groom;
  GroomRepairs repairs;
  std::vector<std::string> assumptions;  // "the file has no unit: metres were assumed"
};

Result<LoadedGroom> load_groom(const GroomRequest& request);
// The same for a groom in hand.
Result<LoadedGroom> prepare_groom(Groom groom, const GroomRequest& request);

// Every strand with `vertices` points at equal distances; radius and attributes by arc length.
Groom resampled(const Groom& groom, std::size_t vertices);

}  // namespace tendril
