// Key poses from a CSV file, as written by hand or exported from an animation program.
//
// Layout: text. Empty lines and lines that begin with # are skipped. The first other line is the header
//   time,tx,ty,tz,qw,qx,qy,qz
// and each line after it is one key with these eight numbers: the time [s], the translation [m] and the unit quaternion
// of the pose x -> R x + t that carries the drawn points. Blanks around numbers and a carriage return at the end of a
// line do no harm.
// Valid is a file with at least one key, finite numbers, ascending times and quaternions of length 1 to within 1 %;
// these are then made exact.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "tendril/base/error.hpp"
#include "tendril/scene/motion.hpp"

namespace tendril {

// Appends a key that passes these checks; otherwise says what is wrong with it.
std::optional<std::string> add_key(KeyedMotion& motion, double time, const Eigen::Vector3d& translation,
                                   Eigen::Quaterniond rotation);

Result<KeyedMotion> parse_motion_keys(std::string_view text, const std::string& filename);
Result<KeyedMotion> read_motion_keys(const std::filesystem::path& path);

}  // namespace tendril
