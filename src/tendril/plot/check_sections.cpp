#include "tendril/plot/check_sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

Cell verdict(const std::optional<bool>& held, const char* yes, const char* no) {
  if (!held) return "";
  return *held ? Cell(std::string("✓ ") + yes, Tone::good) : Cell(std::string("✗ ") + no, Tone::bad);
}

std::string known(double value, int digits = 6) { return std::isnan(value) ? "" : number_text(value, digits); }

template <class T>
std::string held_text(const std::vector<T>& list, std::optional<bool> T::*held, const char* what) {
  const auto good = std::ranges::count_if(list, [&](const T& item) { return (item.*held).value_or(false); });
  return fmt::format("{} of {} {}.", good, list.size(), what);
}

// One line per case, however many quantities it has: the one nearest to its limit.
BarChart worst_per_case(const Report& report) {
  BarChart chart{.title = "Nearest to the limit",
                 .description = "The largest error of each case as a share of what is allowed; beyond 1 a case fails.",
                 .value = {"error/allowed", "", AxisKind::logarithmic}};
  std::vector<double> worst;
  for (const Case& c : report.cases) {
    const auto found = std::ranges::find(chart.categories, c.name);
    const auto i = std::size_t(found - chart.categories.begin());
    if (found == chart.categories.end()) chart.categories.push_back(c.name), worst.push_back(unknown);
    worst[i] = std::fmax(worst[i], c.error_relative / c.tolerance);
  }
  chart.add("error/allowed", std::move(worst));
  chart.mark(1.0, "allowed");
  return chart;
}

// The slope that the errors should have, a little below the worst series.
void add_expected_orders(const std::vector<const Case*>& quantities, Chart& chart) {
  std::set<double> orders;
  Range resolutions;
  double error = 0.0, at = 1.0;
  for (const Case* c : quantities) {
    if (std::isfinite(c->expected_order)) orders.insert(c->expected_order);
    for (const double n : c->resolutions)
      if (shows(AxisKind::logarithmic, n)) resolutions.include(n);
    if (c->errors.front() > error) error = c->errors.front(), at = c->resolutions.front();
  }
  const bool room = chart.series.size() + orders.size() <= most_series;
  if (!room || error == 0.0 || !shows(AxisKind::logarithmic, at)) return;
  for (const double order : orders) {
    const auto line = [&](double n) { return 0.5 * error * std::pow(at / n, order); };
    chart.add("order " + number_text(order), {resolutions.low, resolutions.high},
              {line(resolutions.low), line(resolutions.high)}, Mark::guide);
  }
}

void add_convergence(const std::vector<const Case*>& quantities, Page& page) {
  const Case& first = *quantities.front();
  const bool one_unit = std::ranges::all_of(quantities, [&](const Case* c) { return c->unit == first.unit; });
  Chart chart{.title = first.name,
              .description = "Errors against the exact values as the resolution n grows.",
              .x = {"n", "", AxisKind::logarithmic},
              .y = {"error", one_unit ? first.unit : "", AxisKind::logarithmic}};
  for (const Case* c : quantities)
    chart.add(one_unit ? c->quantity : with_unit(c->quantity, c->unit), c->resolutions, c->errors,
              Mark::line_and_points);
  add_expected_orders(quantities, chart);
  page.add(chart);
}

}  // namespace

void add_bars(const Report& report, Page& page) {
  if (report.bars.empty()) return;
  page.add_heading("Bars");
  page.add_text(held_text(report.bars, &Bar::holds, "bars hold"));
  Table table{"Values and their bounds", {{"bar"}, {"value", true}, {"bound", true}, {"verdict"}}, {}};
  BarChart chart{.title = "Values over their bounds",
                 .description = "Each value divided by its bound.",
                 .value = {"value/bound", ""}};
  std::vector<double> shares;
  for (const Bar& bar : report.bars) {
    table.rows.push_back({bar.name, known(bar.value), known(bar.bound), verdict(bar.holds, "holds", "missed")});
    chart.categories.push_back(bar.name), shares.push_back(bar.value / bar.bound);
  }
  chart.add("value/bound", std::move(shares));
  chart.mark(1.0, "bar");
  page.add_table(table);
  page.add(chart);
}

void add_cases(const Report& report, Page& page) {
  if (report.cases.empty()) return;
  page.add_heading("Cases");
  page.add_text(held_text(report.cases, &Case::pass, "quantities pass"));
  page.add(worst_per_case(report));
  Table table{"Quantities against their exact values; errors are relative, or absolute where the exact value is 0",
              {{"case"},
               {"quantity"},
               {"exact", true},
               {"ours", true},
               {"error", true},
               {"allowed", true},
               {"order", true},
               {"verdict"}},
              {}};
  for (const Case& c : report.cases)
    table.rows.push_back({c.name, with_unit(c.quantity, c.unit), known(c.exact, 7), known(c.ours, 7),
                          known(c.error_relative, 2), known(c.tolerance, 2), known(c.order, 3),
                          verdict(c.pass, "pass", "FAIL")});
  page.add_table(table);

  bool begun = false;
  for (std::size_t i = 0; i < report.cases.size();) {
    std::vector<const Case*> refined;
    const std::string& name = report.cases[i].name;
    for (; i < report.cases.size() && report.cases[i].name == name; ++i)
      if (report.cases[i].errors.size() > 1) refined.push_back(&report.cases[i]);
    if (refined.empty()) continue;
    if (!begun) page.add_heading("Convergence");
    begun = true;
    add_convergence(refined, page);
  }
}

void add_claims(const Report& report, Page& page) {
  if (report.claims.empty()) return;
  page.add_heading("Claims");
  page.add_text(held_text(report.claims, &Claim::held, "claims hold"));
  Table table{"Numbers of the paper and ours", {{"claim"}, {"paper"}, {"ours"}, {"required"}, {"verdict"}}, {}};
  for (const Claim& c : report.claims)
    table.rows.push_back({c.id, c.paper, c.ours, c.required, verdict(c.held, "holds", "missed")});
  page.add_table(table);
}

}  // namespace tendril::plot
