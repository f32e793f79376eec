// Figure 11: the share of problems that need more than k sweeps, over k, by local solver.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/contact/batch.hpp"
#include "experiments/contact/contact.hpp"

namespace tendril::experiments::contact {
namespace {

// Errors are measured at every sweep up to 5 and at every tenth: nothing changes in between.
std::vector<int> counts_of(const Batch& batch) {
  std::vector<int> counts;
  for (double k = 1.0; k < 1.05 * batch.most_sweeps; k *= 1.1)
    if (const int count = int(std::lround(k)); counts.empty() || count > counts.back()) counts.push_back(count);
  return counts;
}

plot::Chart chart_of(const BatchResult& result, const std::vector<int>& counts) {
  plot::Chart chart{.title = fmt::format("The {} batch: problems that need more sweeps", result.batch.name),
                    .description = fmt::format("To an error of {:.0e}; those that never get there count too.",
                                               result.batch.tolerance),
                    .x = {.label = "sweeps", .kind = plot::AxisKind::logarithmic},
                    .y = {.label = "share of problems"}};
  for (const Run& run : result.runs) {
    if (!run.contestant.options.local || (run.contestant.is_hybrid() && run.contestant.name != "mfb+enum")) continue;
    std::vector<double> x, y;
    for (const int k : counts) x.push_back(k), y.push_back(run.needing_more_than(k));
    chart.add(run.contestant.name, x, y, plot::Mark::steps);
  }
  return chart;
}

// The most by which the curve of mfb+enum is above that of a solver without the fail-safe.
struct Excess {
  double share = 0.0;
  std::string over;
};
Excess excess_of(const BatchResult& result, const std::vector<int>& counts) {
  Excess worst;
  const Run& hybrid = result.of("mfb+enum");
  for (const Run& run : result.runs)
    if (run.contestant.options.local && !run.contestant.is_hybrid())
      for (const int k : counts)
        if (const double excess = hybrid.needing_more_than(k) - run.needing_more_than(k); excess > worst.share)
          worst = {excess, fmt::format("{} at {} sweeps", run.contestant.name, k)};
  return worst;
}

}  // namespace

Findings figure11(const Context& context) {
  Findings out;
  for (const BatchResult& result : all_batches(context.quick)) {
    const std::vector<int> counts = counts_of(result.batch);
    const Excess worst = excess_of(result, counts);
    const std::size_t problems = result.batch.problems.size();
    out.claim(fmt::format("{} batch: mfb+enum against every solver without the fail-safe", result.batch.name),
              "lowest at every k",
              worst.over.empty() ? "lowest at every k"
                                 : fmt::format("at most {:.0f} of {} problems above {}", worst.share * double(problems),
                                               problems, worst.over),
              "nowhere above", worst.over.empty());
    out.charts.push_back(chart_of(result, counts));
  }
  return out;
}

}  // namespace tendril::experiments::contact
