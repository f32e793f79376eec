#include "tendril/plot/run_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "tendril/plot/check_sections.hpp"
#include "tendril/plot/frame_charts.hpp"
#include "tendril/plot/report_facts.hpp"
#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

constexpr std::size_t most_worst_bars = 12;

void add_notes(const Report& report, Page& page) {
  std::vector<std::string> notes;
  if (const std::string reason = report.text("stopped"); !reason.empty()) notes.push_back("Stopped early: " + reason);
  notes.insert(notes.end(), report.notes.begin(), report.notes.end());
  for (const auto& [what, count] : report.repairs)
    if (count != 0.0) notes.push_back(fmt::format("Repaired: {} {}", count_text(count), words(what)));
  if (notes.empty()) return;
  page.add_heading("Notes and repairs");
  page.add_list(notes);
}

void add_frame_section(const char* heading, std::initializer_list<Chart> charts, Page& page) {
  if (std::ranges::all_of(charts, [](const Chart& c) { return c.series.empty(); })) return;
  page.add_heading(heading);
  for (const Chart& chart : charts)
    if (!chart.series.empty()) page.add(chart);
}

void add_timings(const Report& report, Page& page) {
  const Chart per_frame = frame_times(report);
  if (report.stages.empty() && per_frame.series.empty()) return;
  page.add_heading("Time");
  if (!report.stages.empty()) {
    BarChart chart{.title = "Time per stage", .description = "Over the whole run.", .value = {"time", "s"}};
    std::vector<double> seconds;
    auto stages = report.stages;
    std::ranges::stable_sort(stages, std::greater(), [](const auto& stage) { return stage.second; });
    for (const auto& [stage, time] : stages) chart.categories.push_back(stage), seconds.push_back(time);
    chart.add("time", std::move(seconds));
    page.add(chart);
  }
  if (!per_frame.series.empty()) page.add(per_frame);
}

std::string strand_name(const WorstStrand& s) {
  const std::string number = std::isnan(s.strand) ? "" : number_text(s.strand, 12);
  return s.set.empty() ? "strand " + number : fmt::format("{} {}", s.set, number);
}

void add_worst_chart(const Report& report, double WorstStrand::*measure, Axis axis, Page& page) {
  std::vector<const WorstStrand*> strands;
  for (const WorstStrand& s : report.worst)
    if (std::isfinite(s.*measure)) strands.push_back(&s);
  if (strands.empty()) return;
  std::ranges::stable_sort(strands, std::greater(), [&](const WorstStrand* s) { return s->*measure; });
  BarChart chart{.title = "Worst strands: " + axis.label,
                 .description = "The strands of the table, the largest first.",
                 .value = std::move(axis)};
  std::vector<double> values;
  for (const WorstStrand* s : std::span(strands).first(std::min(most_worst_bars, strands.size())))
    chart.categories.push_back(strand_name(*s)), values.push_back(s->*measure);
  chart.add(chart.value.label, std::move(values));
  page.add(chart);
}

void add_worst_strands(const Report& report, Page& page) {
  if (report.worst.empty()) return;
  page.add_heading("Worst strands");
  const auto text = [](double value) { return std::isnan(value) ? "" : count_text(value); };
  Table table{"Strands that stretched most, at the frame where they did",
              {{"strand"}, {"frame", true}, {"stretch", true}, {"curvature [1/m]", true}, {"speed [m/s]", true}},
              {}};
  for (const WorstStrand& s : report.worst)
    table.rows.push_back({strand_name(s), text(s.frame), text(s.stretch), text(s.curvature), text(s.speed)});
  page.add_table(table);
  add_worst_chart(report, &WorstStrand::stretch, {"stretch", ""}, page);
  add_worst_chart(report, &WorstStrand::curvature, {"curvature", "1/m"}, page);
  add_worst_chart(report, &WorstStrand::speed, {"speed", "m/s"}, page);
}

void add_probes(const Report& report, Page& page) {
  bool begun = false;
  for (const ProbeColumns& probe : report.probes)
    for (const Chart& chart : probe_charts(probe)) {
      if (!begun) page.add_heading("Probes");
      begun = true;
      page.add(chart);
    }
}

}  // namespace

Page report_page(const Report& report) {
  Page page(title_of(report));
  page.add_facts(facts_of(report));
  add_bars(report, page);
  add_claims(report, page);
  add_cases(report, page);
  add_notes(report, page);
  add_frame_section("Energies", {energies(report), total_energy(report)}, page);
  add_frame_section("Residuals", {force_residual(report), stretch(report)}, page);
  add_frame_section("Contact", {contact_count(report), contact_error(report), penetration(report)}, page);
  add_timings(report, page);
  add_frame_section("Effort", {iterations(report), retries(report)}, page);
  add_worst_strands(report, page);
  add_probes(report, page);
  return page;
}

}  // namespace tendril::plot
