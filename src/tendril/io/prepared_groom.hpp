// A groom with its rest state, as `tendril sagfree` writes it: all that the strands are made of, so that what was in
// equilibrium still is after reading. HDF5 behind a seal (sealed_file.hpp); docs/files.md lists what is inside.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"
#include "tendril/rods/der/description.hpp"
#include "tendril/sagfree/outcome.hpp"

namespace tendril {

struct PreparedGroom {
  Groom groom;                   // in metres, y up
  der::Description description;  // of the same strands
  sagfree::Outcome outcome;
  Eigen::Vector3d gravity = Eigen::Vector3d::Zero();  // [m/s2] that it was prepared for
};

Result<std::vector<std::byte>> encode_prepared(const PreparedGroom& prepared);
Result<PreparedGroom> decode_prepared(std::span<const std::byte> bytes, const std::string& name);

Result<PreparedGroom> read_prepared(const std::filesystem::path& path);

}  // namespace tendril
