#include "tendril/plot/frame_charts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

namespace tendril::plot {
namespace {

struct Source {
  const char* key;
  const char* name;
};
constexpr std::array energy_columns = {Source{"energy_kinetic", "kinetic"},   Source{"energy_stretch", "stretch"},
                                       Source{"energy_bend", "bend"},         Source{"energy_twist", "twist"},
                                       Source{"energy_external", "external"}, Source{"energy_total", "total"}};
constexpr std::array stage_columns = {Source{"step_seconds", "step"}, Source{"measure_seconds", "measure"},
                                      Source{"record_seconds", "record"}};
// Parts of the step.
constexpr std::array contact_stage_columns = {Source{"contact_seconds", "contact"},
                                              Source{"detection_seconds", "detection"}};

const Axis frame_number{.label = "frame", .whole = true};

FrameAxis frame_axis(const Report& report, const char* key, Axis axis) {
  if (const std::vector<double>* column = report.frame_column(key)) return {std::move(axis), *column};
  FrameAxis out{frame_number, {}};
  const std::size_t frames = report.frames.empty() ? 0 : report.frames.front().second.size();
  for (std::size_t i = 0; i < frames; ++i) out.values.push_back(double(i + 1));
  return out;
}

template <std::size_t N>
void add_columns(const Report& report, const std::array<Source, N>& sources, const FrameAxis& across, Chart& chart) {
  for (const Source& source : sources)
    if (const std::vector<double>* column = report.frame_column(source.key))
      chart.add(source.name, across.values, *column);
}

// Frames with a step that stayed above tolerance carry a marker.
void add_usable(const Report& report, const FrameAxis& across, const std::vector<double>& values, Chart& chart) {
  const std::vector<double>* usable = report.frame_column("usable");
  if (usable == nullptr) return;
  std::vector<double> xs, ys;
  for (std::size_t i = 0; i < values.size(); ++i)
    if ((*usable)[i] > 0.0) xs.push_back(across.values[i]), ys.push_back(values[i]);
  if (!xs.empty()) chart.add("accepted above tolerance", std::move(xs), std::move(ys), Mark::points);
}

Chart residual(const Report& report, const char* key, Chart chart) {
  const FrameAxis across = time_axis(report);
  chart.x = across.axis;
  if (const std::vector<double>* column = report.frame_column(key)) {
    chart.add(chart.y.label, across.values, *column);
    add_usable(report, across, *column, chart);
  }
  return chart;
}

Chart count(const Report& report, const char* key, Chart chart) {
  const FrameAxis across = number_axis(report);
  chart.x = across.axis;
  if (const std::vector<double>* column = report.frame_column(key))
    chart.add(chart.y.label, across.values, *column, Mark::steps);
  return chart;
}

bool all_zero(const Chart& chart) {
  return std::ranges::all_of(chart.series, [](const Series& s) {
    return std::ranges::all_of(s.y, [](double value) { return value == 0.0; });
  });
}

// What columns that share a unit have in common.
std::string quantity_of(std::string_view unit) {
  constexpr std::array<std::pair<std::string_view, const char*>, 4> names = {
      {{"N", "force"}, {"N m", "moment"}, {"m", "position"}, {"m/s", "velocity"}}};
  const auto found = std::ranges::find(names, unit, [](const auto& name) { return name.first; });
  return found == names.end() ? "value" : found->second;
}

}  // namespace

FrameAxis time_axis(const Report& report) { return frame_axis(report, "time", {"time", "s"}); }
FrameAxis number_axis(const Report& report) { return frame_axis(report, "frame", frame_number); }

std::vector<double> time_per_frame(const Report& report) {
  std::vector<double> sum;
  for (const Source& stage : stage_columns)
    if (const std::vector<double>* column = report.frame_column(stage.key)) {
      sum.resize(column->size(), 0.0);
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*column)[i];
    }
  return sum;
}

Chart energies(const Report& report) {
  const FrameAxis across = time_axis(report);
  Chart chart{.title = "Energy by kind",
              .description = "Kinetic, elastic and external energy of all simulated strands, and their sum.",
              .x = across.axis,
              .y = {"energy", "J"}};
  add_columns(report, energy_columns, across, chart);
  return chart;
}

Chart total_energy(const Report& report) {
  const FrameAxis across = time_axis(report);
  Chart chart{.title = "Total energy",
              .description = "The sum of all energies on a scale of its own.",
              .x = across.axis,
              .y = {"total energy", "J"}};
  if (const std::vector<double>* column = report.frame_column("energy_total"))
    chart.add(chart.y.label, across.values, *column);
  return chart;
}

Chart force_residual(const Report& report) {
  return residual(report, "force_residual",
                  {.title = "Force residual",
                   .description = "The force that is left over at the frame's state, over the load.",
                   .y = {"force residual", "", AxisKind::logarithmic}});
}

Chart stretch(const Report& report) {
  return residual(report, "stretch",
                  {.title = "Stretch",
                   .description = "The largest relative change of an edge's length.",
                   .y = {"stretch", "", AxisKind::logarithmic}});
}

Chart contact_count(const Report& report) {
  return count(report, "contacts",
               {.title = "Contacts",
                .description = "The most that a step of the frame had.",
                .y = {.label = "contacts", .whole = true}});
}

Chart contact_error(const Report& report) {
  return residual(report, "contact_error",
                  {.title = "Friction error",
                   .description = "How far the worst contact was from Coulomb's law, over the speed without contact.",
                   .y = {"friction error", "", AxisKind::logarithmic}});
}

Chart penetration(const Report& report) {
  Chart chart = residual(report, "penetration",
                         {.title = "Penetration",
                          .description = "The deepest vertex in a body, of those that did not start there.",
                          .y = {"penetration", "m"}});
  if (all_zero(chart)) chart.series.clear();
  return chart;
}

Chart frame_times(const Report& report) {
  const FrameAxis across = number_axis(report);
  Chart chart{.title = "Time per frame",
              .description = "What each stage took for each frame.",
              .x = across.axis,
              .y = {"time", "s"}};
  add_columns(report, stage_columns, across, chart);
  add_columns(report, contact_stage_columns, across, chart);
  return chart;
}

Chart iterations(const Report& report) {
  return count(report, "iterations",
               {.title = "Newton iterations",
                .description = "The most that a step of the frame took.",
                .y = {.label = "iterations", .whole = true}});
}

Chart retries(const Report& report) {
  Chart chart = count(report, "retries",
                      {.title = "Retries",
                       .description = "Steps of a frame that were halved.",
                       .y = {.label = "retries", .whole = true}});
  if (all_zero(chart)) chart.series.clear();  // the usual case, which the numbers on top of the page tell
  return chart;
}

std::vector<Chart> probe_charts(const ProbeColumns& probe) {
  using Column = ProbeColumns::Column;
  const auto named = [&](const char* name) { return std::ranges::find(probe.columns, name, &Column::name); };
  auto across = named("time");
  if (across == probe.columns.end()) across = named("frame");
  std::vector<Chart> charts;
  if (across == probe.columns.end() || across->values.empty()) return charts;
  for (const Column& column : probe.columns) {
    if (column.name == "frame" || column.name == "time") continue;
    const auto differs = [&](double value) { return value != column.values.front(); };
    if (column.unit.empty() && std::ranges::none_of(column.values, differs)) continue;
    auto chart = std::ranges::find(charts, column.unit, [](const Chart& c) { return c.y.unit; });
    if (chart == charts.end() || column.unit.empty()) {
      charts.push_back({.x = {across->name, across->unit}, .y = {"", column.unit}});
      chart = charts.end() - 1;
    }
    chart->add(column.name, across->values, column.values, column.unit.empty() ? Mark::steps : Mark::line);
  }
  for (Chart& chart : charts) {
    chart.y.label = chart.series.size() == 1 ? chart.series.front().name : quantity_of(chart.y.unit);
    chart.title = fmt::format("{}: {}", probe.name, chart.y.label);
  }
  return charts;
}

}  // namespace tendril::plot
