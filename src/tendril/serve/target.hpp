// The address of a request, taken apart: the path split at its slashes, then each piece decoded once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tendril::serve {

struct Target {
  std::vector<std::string> path;  // "/api/x%20y" is {"api", "x y"}, "/" is {""}
  std::string query;              // what stands behind the question mark, not decoded
};

// Nothing: it does not begin with a slash, or an escape is broken. Pieces may hold any byte, slashes and zeros too:
// they are looked up in lists and never become a part of a file's path.
std::optional<Target> parse_target(std::string_view target);

// Digits only, without leading zeros; nothing if it is too large for an int, too.
std::optional<int> whole_number(std::string_view text);

// The number in "after=12"; nothing if the query is anything else.
std::optional<int> query_number(std::string_view query, std::string_view key);

}  // namespace tendril::serve
