#include "tendril/scene/motion_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

constexpr std::array<std::string_view, 8> columns = {"time", "tx", "ty", "tz", "qw", "qx", "qy", "qz"};
constexpr std::string_view header = "time,tx,ty,tz,qw,qx,qy,qz";

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view blank = " \t\r";
  const auto first = text.find_first_not_of(blank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

// The part before the separator, which is removed from `rest` together with it.
std::string_view next_part(std::string_view& rest, char separator) {
  const std::size_t end = rest.find(separator);
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return trimmed(part);
}

// What is wrong with the line, or nothing.
std::optional<std::string> check_header(std::string_view line) {
  for (const std::string_view column : columns)
    if (next_part(line, ',') != column) return fmt::format("the first line must be {}", header);
  if (!line.empty()) return fmt::format("the first line must be {}", header);
  return std::nullopt;
}

std::optional<std::string> read_numbers(std::string_view line, std::array<double, 8>& numbers) {
  const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
  if (commas + 1 != columns.size())
    return fmt::format("{} numbers are expected ({}), but there are {}", columns.size(), header, commas + 1);
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const std::string_view part = next_part(line, ',');
    const char* const end = part.data() + part.size();
    const auto [stop, fault] = std::from_chars(part.data(), end, numbers[c]);
    if (fault != std::errc{} || stop != end || !std::isfinite(numbers[c]))
      return fmt::format("{} = '{}' is not a finite number", columns[c], part);
  }
  return std::nullopt;
}

}  // namespace

Result<KeyedMotion> parse_motion_keys(std::string_view text, const std::string& filename) {
  KeyedMotion motion;
  bool has_header = false;
  for (std::size_t line_number = 1; !text.empty(); ++line_number) {
    const std::string_view line = next_part(text, '\n');
    const auto refuse = [&](const std::string& what) {
      return Error{fmt::format("{}:{}", filename, line_number), what};
    };
    if (line.empty() || line.front() == '#') continue;
    if (!has_header) {
      if (const auto fault = check_header(line)) return refuse(*fault);
      has_header = true;
      continue;
    }
    std::array<double, 8> key{};
    if (const auto fault = read_numbers(line, key)) return refuse(*fault);
    const auto [time, tx, ty, tz, qw, qx, qy, qz] = key;
    if (!motion.times.empty() && time <= motion.times.back())
      return refuse(fmt::format("time {} does not come after {}; times must ascend", time, motion.times.back()));
    Eigen::Quaterniond rotation(qw, qx, qy, qz);
    if (const double length = rotation.norm(); !(std::abs(length - 1.0) <= 0.01))
      return refuse(fmt::format("the quaternion has the length {:.6g}; that of a rotation is 1", length));
    rotation.normalize();
    motion.times.push_back(time);
    motion.poses.push_back({rotation, {tx, ty, tz}});
  }
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
