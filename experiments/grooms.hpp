// Hair for experiments and benchmarks: generated curls always, real grooms where their files are.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::experiments {

Curves curls(int count, int vertices);

struct RealGroom {
  std::string name;
  Result<Curves> curves;  // in metres, y up
};
// Of grooms/ in a folder of data.
std::vector<RealGroom> real_grooms(const std::filesystem::path& data);

der::Strands human_hair(const Curves& curves);

}  // namespace tendril::experiments
