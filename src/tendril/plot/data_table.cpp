#include "tendril/plot/data_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

std::string data_text(double value) { return std::isnan(value) ? "" : number_text(value, 7); }

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double p, double q) { return p == q || (std::isnan(p) && std::isnan(q)); });
}

std::string caption_text(const std::string& title, std::size_t stride) {
  if (stride == 1) return "Data of " + title;
  const std::size_t tens = stride % 100;
  const char* ending = tens > 10 && tens < 20 ? "th"
                       : stride % 10 == 1     ? "st"
                       : stride % 10 == 2     ? "nd"
                       : stride % 10 == 3     ? "rd"
                                              : "th";
  return fmt::format("Data of {}, every {}{} value", title, stride, ending);
}

Table shared_rows(const Chart& chart) {
  const std::vector<double>& x = chart.series.front().x;
  const std::size_t stride = (x.size() + most_data_rows - 1) / most_data_rows;
  Table table{caption_text(chart.title, std::max<std::size_t>(1, stride)), {{chart.x.title(), true}}, {}};
  for (const Series& s : chart.series) table.columns.push_back({with_unit(s.name, chart.y.unit), true});
  for (std::size_t i = 0; i < x.size(); i += stride) {
    std::vector<Cell> row = {data_text(x[i])};
    for (const Series& s : chart.series) row.emplace_back(i < s.y.size() ? data_text(s.y[i]) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table separate_rows(const Chart& chart) {
  std::size_t total = 0;
  for (const Series& s : chart.series) total += s.size();
  const std::size_t stride = std::max<std::size_t>(1, (total + most_data_rows - 1) / most_data_rows);
  Table table{caption_text(chart.title, stride), {{"series"}, {chart.x.title(), true}, {chart.y.title(), true}}, {}};
  for (const Series& s : chart.series)
    for (std::size_t i = 0; i < s.size(); i += stride)
      table.rows.push_back({s.name, data_text(s.x[i]), data_text(s.y[i])});
  return table;
}

}  // namespace

Table data_table(const Chart& chart) {
  const bool shared = !chart.series.empty() && chart.series.size() <= most_series &&
                      std::ranges::all_of(chart.series, [&](const Series& s) { return same(s.x, chart.series[0].x); });
  return shared ? shared_rows(chart) : separate_rows(chart);
}

Table data_table(const BarChart& chart) {
  const std::size_t stride = std::max<std::size_t>(1, (chart.categories.size() + most_data_rows - 1) / most_data_rows);
  Table table{caption_text(chart.title, stride), {{""}}, {}};
  for (const BarSeries& s : chart.series) table.columns.push_back({with_unit(s.name, chart.value.unit), true});
  for (std::size_t c = 0; c < chart.categories.size(); c += stride) {
    std::vector<Cell> row = {chart.categories[c]};
    for (const BarSeries& s : chart.series) row.emplace_back(c < s.values.size() ? data_text(s.values[c]) : "");
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tendril::plot
