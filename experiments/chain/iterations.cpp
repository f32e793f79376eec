// How many iterations a projection takes: kinds of predictions, numbers of points, loads.
#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "experiments/chain/chain.hpp"
#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::experiments::chain {
namespace {

using tendril::chain::Method;
using tendril::chain::Problem;
using Make = std::function<Problem(std::uint64_t seed)>;

constexpr int limit = 400;  // of two stages; the hybrid has its own

struct Counts {
  double mean = 0.0;
  int most = 0, unfinished = 0;

  std::string text() const {
    return fmt::format("{:.1f} / {}{}", mean, most, unfinished > 0 ? fmt::format(" ({} unfinished)", unfinished) : "");
  }
};

Counts count(const Make& make, Method method, double tolerance, int runs) {
  Counts counts;
  for (int seed = 0; seed < runs; ++seed) {
    tendril::chain::Options options;
    options.method = method, options.tolerance = tolerance,
    options.max_iterations = method == Method::two_stage ? limit : 0;
    const auto outcome = project(make(std::uint64_t(seed)), options).chains[0];
    counts.mean += double(outcome.iterations) / runs, counts.most = std::max(counts.most, outcome.iterations);
    counts.unfinished += outcome.status > tendril::chain::Status::round_off;
  }
  return counts;
}

struct Row {
  std::string name, known;  // hybrid to 1e-10, as it was measured with another program
  Make make;
  bool is_strong = false;  // compression by more than 10 %, of smooth chains or of very uneven ones: no bound
};

std::vector<Row> rows() {
  using namespace tendril::chain;
  std::vector<Row> all;
  const auto add = [&](std::string name, std::string known, Make make, bool is_strong = false) {
    all.push_back({std::move(name), std::move(known), std::move(make), is_strong});
  };
  for (const auto& [n, known] : {std::pair{5, "4.0"}, {20, "4.8"}, {50, "6.0"}, {200, "6.8"}})
    add(fmt::format("noise 0.1, {} points", n), known, [n](auto s) { return noisy_chain(s, std::size_t(n), 0.1); });
  for (const auto& [noise, known] : {std::pair{0.01, "3.0"}, {0.3, "7.2"}, {3.0, "8.0"}})
    add(fmt::format("noise {}", noise), known, [noise](auto s) { return noisy_chain(s, 40, noise); });
  for (const auto& [by, known] : {std::pair{0.1, "3.6"}, {1.0, "5.4"}, {10.0, "10.6"}, {100.0, "9.8"}})
    add(fmt::format("dropped by {}", by), known, [by](auto s) { return dropped_chain(s, 40, by); });
  for (const auto& [share, known] :
       {std::pair{0.02, "4.2"}, {0.05, "6.6"}, {0.1, "11.0"}, {0.5, "20 to 90"}, {0.9, "20 to 90"}})
    add(
        fmt::format("compressed by {:.0f} %", 100.0 * share), known,
        [share](auto s) { return compressed_chain(s, 40, share); }, share > 0.1);
  for (const double turn : {0.1, 0.03})
    for (const double share : {0.02, 0.05, 0.1})
      add(
          fmt::format("turning by {} rad, compressed by {:.0f} %", turn, 100.0 * share), "none",
          [share, turn](auto s) { return compressed_chain(s, 40, share, turn); }, true);
  for (const double share : {0.1, 0.5})
    add(
        fmt::format("every third point 1e6 times as heavy, compressed by {:.0f} %", 100.0 * share), "none",
        [share](auto s) { return with_heavy_points(s, compressed_chain(s, 40, share)); }, true);
  for (const auto& [mass, known] : {std::pair{1.0, "4.4"}, {1e2, "4.8"}, {1e4, "5.2"}, {1e6, "5.2"}})
    add(fmt::format("root jerked, tip mass {:g}", mass), known,
        [mass](auto s) { return jerked_chain(s, 40, 0.1, mass); });
  return all;
}

}  // namespace

Findings iterations(const Context& context) {
  const int runs = context.quick ? 20 : 100;
  Findings out;
  plot::Table table{.caption = fmt::format("Iterations, mean / most of {} chains of 40 points", runs),
                    .columns = {{"prediction"},
                                {"two-stage 1e-4", true},
                                {"two-stage 1e-10", true},
                                {"hybrid 1e-4", true},
                                {"hybrid 1e-10", true}},
                    .rows = {}};
  int most = 0;
  double worst_mean = 0.0, short_chains = 0.0, long_chains = 0.0, light = 0.0, heavy = 0.0;
  int unfinished = 0;
  plot::Chart loads{.title = "Iterations against the mass of the tip",
                    .description = "To a residual of 1e-10; the root is jerked by a tenth of a link.",
                    .x = {.label = "tip mass over that of a point", .kind = plot::AxisKind::logarithmic},
                    .y = {.label = "iterations", .whole = true}};
  std::vector<double> masses, of_hybrid, of_two_stage;
  for (const Row& row : rows()) {
    const Counts loose = count(row.make, Method::two_stage, 1e-4, runs),
                 tight = count(row.make, Method::two_stage, 1e-10, runs);
    const Counts hybrid_loose = count(row.make, Method::hybrid, 1e-4, runs),
                 hybrid = count(row.make, Method::hybrid, 1e-10, runs);
    table.rows.push_back({row.name, loose.text(), tight.text(), hybrid_loose.text(), hybrid.text()});
    out.tell(fmt::format("{}: hybrid to 1e-10", row.name), no_figure(row.known), hybrid.text());
    if (!row.is_strong) worst_mean = std::max(worst_mean, hybrid.mean), most = std::max(most, hybrid.most);
    unfinished += hybrid.unfinished;
    if (row.name == "noise 0.1, 20 points") short_chains = hybrid.mean;
    if (row.name == "noise 0.1, 200 points") long_chains = hybrid.mean;
    if (row.name.starts_with("root jerked")) {
      masses.push_back(masses.empty() ? 1.0 : 100.0 * masses.back());
      of_hybrid.push_back(hybrid.mean), of_two_stage.push_back(tight.mean);
    }
  }
  light = of_hybrid.front(), heavy = *std::ranges::max_element(of_hybrid);
  loads.add("hybrid", masses, of_hybrid), loads.add("two-stage", masses, of_two_stage);
  out.claim("mean of the hybrid, largest, without strong compression", no_figure("10.6"),
            fmt::format("{:.1f}", worst_mean), "at most 11", worst_mean <= 11.0);
  out.claim("most of one chain, the same", no_figure("23"), fmt::format("{}", most), "at most 25", most <= 25);
  out.claim("200 points against 20", no_figure("1.4 times"), fmt::format("{:.2f} times", long_chains / short_chains),
            "less than 2 times", long_chains < 2.0 * short_chains);
  out.claim("a load of up to 1e6 against none", no_figure("1.2 times"), fmt::format("{:.2f} times", heavy / light),
            "at most 2 times", heavy <= 2.0 * light);
  out.claim("chains that the hybrid leaves unfinished", no_figure("0"), fmt::format("{}", unfinished), "0",
            unfinished == 0);
  out.tables.push_back(std::move(table)), out.charts.push_back(std::move(loads));
  out.notes.push_back("The chains are our own: how much those of the other program turn is not known.");
  return out;
}

}  // namespace tendril::experiments::chain
