#include "tendril/scene/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tendril {
namespace {

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

}  // namespace

Status for_each_csv_line(std::string_view text, const std::string& filename,
                         const std::function<std::optional<std::string>(std::string_view line)>& read) {
  if (constexpr std::string_view mark = "\xEF\xBB\xBF"; text.starts_with(mark)) text.remove_prefix(mark.size());
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::string_view line = next_part(text, '\n');
    if (line.empty() || line.front() == '#') continue;
    if (const std::optional<std::string> fault = read(line))
      return Error{fmt::format("{}:{}", filename, number), *fault};
  }
  return ok();
}

std::optional<std::string> csv_numbers(std::string_view line, std::string_view header, std::vector<double>& out) {
  const auto columns = [](std::string_view text) { return std::count(text.begin(), text.end(), ',') + 1; };
  if (columns(line) != columns(header))
    return fmt::format("{} numbers are expected ({}), but there are {}", columns(header), header, columns(line));
  out.clear();
  while (!header.empty()) {
    const std::string_view name = next_part(header, ','), part = next_part(line, ',');
    const char* const end = part.data() + part.size();
    double number = 0.0;
    const auto [stop, fault] = std::from_chars(part.data(), end, number);
    if (fault != std::errc{} || stop != end || !std::isfinite(number))
      return fmt::format("{} = '{}' is not a finite number", name, part);
    out.push_back(number);
  }
  return std::nullopt;
}

bool is_csv_header(std::string_view line, std::string_view header) {
  while (!line.empty() || !header.empty())
    if (next_part(line, ',') != next_part(header, ',')) return false;
  return true;
}

}  // namespace tendril
