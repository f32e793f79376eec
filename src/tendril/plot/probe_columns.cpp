#include "tendril/plot/probe_columns.hpp"

#include <charconv>
#include <limits>
#include <utility>

namespace tendril::plot {
namespace {

// The part of text before the separator; text loses both.
std::string_view cut(std::string_view& text, char separator) {
  const std::size_t end = text.find(separator);
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  return part;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") + 1 - first);
}

// "fx [N]"
ProbeColumns::Column column_of(std::string_view header) {
  header = without_blanks(header);
  const std::size_t bracket = header.find(" [");
  if (bracket == std::string_view::npos || !header.ends_with(']')) return {std::string(header), "", {}};
  return {
      std::string(header.substr(0, bracket)), std::string(header.substr(bracket + 2, header.size() - bracket - 3)), {}};
}

double number_of(std::string_view text) {
  text = without_blanks(text);
  double value = 0.0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = fault == std::errc() && end == text.data() + text.size();
  return whole ? value : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

ProbeColumns parse_probe(std::string_view text, std::string name) {
  ProbeColumns probe{std::move(name), {}};
  text = text.substr(0, text.rfind('\n') + 1);  // rfind + 1 is 0 where there is no line end
  for (std::string_view header = cut(text, '\n'); !header.empty();)
    probe.columns.push_back(column_of(cut(header, ',')));
  while (!text.empty()) {
    std::string_view line = cut(text, '\n');
    if (without_blanks(line).empty()) continue;
    for (ProbeColumns::Column& column : probe.columns) column.values.push_back(number_of(cut(line, ',')));
  }
  return probe;
}

}  // namespace tendril::plot
