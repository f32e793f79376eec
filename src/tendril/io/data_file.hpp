// USC-HairSalon's .data files, little-endian: i32 strands; for each strand i32 points and f32 x, y, z of each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

Result<Groom> decode_data(std::span<const std::byte> bytes, const std::string& name);
Result<std::vector<std::byte>> encode_data(const Groom& groom, const std::string& name);  // positions only

}  // namespace tendril
