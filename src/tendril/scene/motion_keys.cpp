#include "tendril/scene/motion_keys.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "tendril/io/atomic_file.hpp"
#include "tendril/scene/csv.hpp"

namespace tendril {
namespace {

constexpr std::string_view header = "time,tx,ty,tz,qw,qx,qy,qz";

// What is wrong with the line, or nothing.
std::optional<std::string> read_key(std::string_view line, KeyedMotion& motion) {
  std::vector<double> key;
  if (auto fault = csv_numbers(line, header, key)) return fault;
  return add_key(motion, key[0], {key[1], key[2], key[3]}, Eigen::Quaterniond(key[4], key[5], key[6], key[7]));
}

}  // namespace

std::optional<std::string> add_key(KeyedMotion& motion, double time, const Eigen::Vector3d& translation,
                                   Eigen::Quaterniond rotation) {
  if (!motion.times.empty() && time <= motion.times.back())
    return fmt::format("time {} does not come after {}; times must ascend", time, motion.times.back());
  if (const double length = rotation.norm(); !(std::abs(length - 1.0) <= 0.01))
    return fmt::format("the quaternion has the length {:.6g}; that of a rotation is 1", length);
  rotation.normalize();
  motion.times.push_back(time);
  motion.poses.push_back({rotation, translation});
  return std::nullopt;
}

Result<KeyedMotion> parse_motion_keys(std::string_view text, const std::string& filename) {
  KeyedMotion motion;
  bool has_header = false;
  const auto read_line = [&](std::string_view line) -> std::optional<std::string> {
    if (has_header) return read_key(line, motion);
    has_header = is_csv_header(line, header);
    return has_header ? std::nullopt : std::optional(fmt::format("the first line must be {}", header));
  };
  if (Status status = for_each_csv_line(text, filename, read_line); !status) return status.error();
  if (!has_header) return Error{filename, fmt::format("the first line must be {}", header)};
  if (motion.times.empty()) return Error{filename, "there is no key below the header line"};
  return motion;
}

Result<KeyedMotion> read_motion_keys(const std::filesystem::path& path) {
  const auto text = read_text(path, std::uint64_t{1} << 26);
  if (!text) return text.error();
  return parse_motion_keys(text.value(), path.string());
}

}  // namespace tendril
