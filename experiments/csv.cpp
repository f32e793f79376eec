#include "experiments/csv.hpp"

#include <fmt/format.h>

namespace tendril::experiments {
namespace {

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string to_csv(const plot::Chart& chart) {
  std::string out = fmt::format("series,{},{}\n", cell(chart.x.title()), cell(chart.y.title()));
  for (const plot::Series& series : chart.series)
    for (std::size_t i = 0; i < series.size(); ++i)
      out += fmt::format("{},{},{}\n", cell(series.name), series.x[i], series.y[i]);
  return out;
}

std::string to_csv(const plot::Table& table) {
  std::string out;
  for (std::size_t c = 0; c < table.columns.size(); ++c) out += (c > 0 ? "," : "") + cell(table.columns[c].name);
  out += "\n";
  for (const auto& row : table.rows) {
    for (std::size_t c = 0; c < row.size(); ++c) out += (c > 0 ? "," : "") + cell(row[c].text);
    out += "\n";
  }
  return out;
}

}  // namespace tendril::experiments
