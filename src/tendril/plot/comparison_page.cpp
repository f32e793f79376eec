// Several runs on one page.
#include <fmt/format.h>

#include <algorithm>

#include "tendril/plot/frame_charts.hpp"
#include "tendril/plot/report_facts.hpp"
#include "tendril/plot/run_page.hpp"

namespace tendril::plot {
namespace {

// The runs' names, or where those are not all different the files' names, numbered if need be.
std::vector<std::string> labels_of(std::span<const Report> reports) {
  std::vector<std::string> labels;
  const auto all_different = [&] {
    std::vector<std::string> sorted = labels;
    std::ranges::sort(sorted);
    return std::ranges::adjacent_find(sorted) == sorted.end();
  };
  for (const Report& r : reports) labels.push_back(title_of(r));
  if (all_different()) return labels;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = reports[i].file;
  if (all_different()) return labels;
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] += fmt::format(" ({})", i + 1);
  return labels;
}

Table summary(std::span<const Report> reports, const std::vector<std::string>& labels) {
  Table table{"Summary", {{""}}, {}};
  for (std::size_t r = 0; r < reports.size(); ++r) {
    table.columns.push_back({labels[r], true});
    for (const Fact& fact : facts_of(reports[r])) {
      auto row = std::ranges::find(table.rows, fact.name, [](const auto& cells) { return cells.front().text; });
      if (row == table.rows.end()) {
        table.rows.push_back({fact.name});
        row = table.rows.end() - 1;
      }
      row->resize(r + 1, "");
      row->emplace_back(fact.value, fact.tone);
    }
  }
  return table;
}

// One series per run: the first one of the chart that the run has by itself.
Chart overlay(std::span<const Report> reports, const std::vector<std::string>& labels, Chart (*of_run)(const Report&)) {
  Chart out;
  for (std::size_t r = 0; r < reports.size(); ++r) {
    Chart chart = of_run(reports[r]);
    if (chart.series.empty()) continue;
    Series first = std::move(chart.series.front());
    first.name = labels[r];
    if (out.series.empty()) out = {.title = chart.title, .description = chart.description, .x = chart.x, .y = chart.y};
    out.series.push_back(std::move(first));
  }
  return out;
}

Chart total_time(const Report& report) {
  const FrameAxis across = number_axis(report);
  Chart chart{.title = "Time per frame", .description = "All stages together.", .x = across.axis, .y = {"time", "s"}};
  if (std::vector<double> times = time_per_frame(report); !times.empty())
    chart.add("time", across.values, std::move(times));
  return chart;
}

BarChart stages(std::span<const Report> reports, const std::vector<std::string>& labels) {
  BarChart chart{.title = "Time per stage", .description = "Over the whole run.", .value = {"time", "s"}};
  for (const Report& report : reports)
    for (const auto& [stage, time] : report.stages)
      if (std::ranges::find(chart.categories, stage) == chart.categories.end()) chart.categories.push_back(stage);
  for (std::size_t r = 0; r < reports.size(); ++r) {
    std::vector<double> times(chart.categories.size(), unknown);
    for (const auto& [stage, time] : reports[r].stages)
      times[std::size_t(std::ranges::find(chart.categories, stage) - chart.categories.begin())] = time;
    chart.add(labels[r], std::move(times));
  }
  return chart;
}

}  // namespace

Result<Page> comparison_page(std::span<const Report> reports) {
  for (const Report& report : reports)
    if (!report.is_run())
      return Error{report.file, "is not the report of a run, and only runs can be compared; plot it alone"};
  const std::vector<std::string> labels = labels_of(reports);
  Page page(fmt::format("Comparison of {} runs", reports.size()));
  page.add_table(summary(reports, labels));

  const Chart total = overlay(reports, labels, total_energy), residual = overlay(reports, labels, force_residual);
  const Chart strain = overlay(reports, labels, stretch), times = overlay(reports, labels, total_time);
  page.add_heading("Results");
  for (const Chart* chart : {&total, &residual, &strain})
    if (!chart->series.empty()) page.add(*chart);
  const BarChart per_stage = stages(reports, labels);
  if (!per_stage.categories.empty() || !times.series.empty()) page.add_heading("Time");
  if (!per_stage.categories.empty()) page.add(per_stage);
  if (!times.series.empty()) page.add(times);
  return page;
}

}  // namespace tendril::plot
