// Names of files that are numbered by frame: the # in "hair.####.ply" stand for the number, with at least so many
// digits.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace tendril {

inline bool is_numbered(const std::filesystem::path& path) {
  return path.filename().string().find('#') != std::string::npos;
}

// "hair.####.ply" and 7 give "hair.0007.ply"; a name without # is what it is.
inline std::filesystem::path numbered_name(const std::filesystem::path& path, int number) {
  const std::string name = path.filename().string();
  const std::size_t begin = name.find('#');
  if (begin == std::string::npos) return path;
  const std::size_t end = std::min(name.size(), name.find_first_not_of('#', begin));
  return path.parent_path() / fmt::format("{}{:0{}}{}", name.substr(0, begin), number, end - begin, name.substr(end));
}

}  // namespace tendril
