// What methods take to the same tolerance, on the same predictions.
#include <fmt/format.h>

#include <algorithm>

#include "experiments/chain/chain.hpp"
#include "tendril/base/cpu_seconds.hpp"
#include "tendril/rods/chain/sample_problems.hpp"

namespace tendril::experiments::chain {
namespace {

using tendril::chain::Method;

struct Speed {
  double nanoseconds = 0.0, iterations = 0.0;  // per point; of a chain
  std::size_t unfinished = 0;
};

Speed measure(const tendril::chain::Problem& crowd, Method method, bool single) {
  constexpr int runs = 5;
  tendril::chain::Projector projector;
  tendril::chain::Projections found;
  tendril::chain::Options options;
  options.method = method, options.single_precision = single, options.tolerance = single ? 1e-5 : 1e-6;
  Speed speed{.nanoseconds = 1e300};
  for (int run = 0; run < runs; ++run) {
    const double start = cpu_seconds();
    projector.project(crowd.view(), options, found);
    speed.nanoseconds = std::min(speed.nanoseconds, 1e9 * (cpu_seconds() - start) / double(crowd.prediction.size()));
    if (method == Method::pbd) break;  // long enough by itself
  }
  for (const tendril::chain::Outcome& chain : found.chains) {
    speed.iterations += double(chain.iterations) / double(found.chains.size());
    speed.unfinished += chain.status > tendril::chain::Status::round_off;
  }
  return speed;
}

}  // namespace

Findings speed(const Context& context) {
  tendril::chain::Problem crowd;
  const std::uint64_t chains = context.quick ? 200 : 2000;
  for (std::uint64_t seed = 1; seed <= chains; ++seed) crowd.add(tendril::chain::jerked_chain(seed, 32, 0.1, 1.0));
  Findings out;
  plot::Table table{
      .caption = fmt::format(
          "{} chains of 32 points whose roots are jerked by a tenth of a link, least CPU time of five runs", chains),
      .columns = {{"method"}, {"ns per point", true}, {"iterations", true}, {"unfinished", true}},
      .rows = {}};
  const auto add = [&](const char* name, Method method, bool single) {
    const Speed found = measure(crowd, method, single);
    table.rows.push_back({name, fmt::format("{:.0f}", found.nanoseconds), fmt::format("{:.1f}", found.iterations),
                          fmt::format("{}", found.unfinished)});
    return found;
  };
  const Speed hybrid = add("hybrid", Method::hybrid, false);
  add("two stages", Method::two_stage, false), add("Newton", Method::newton, false), add("banded", Method::kkt, false);
  add("hybrid, single precision", Method::hybrid, true);
  const Speed fast = add("fast projection", Method::fast, false), pbd = add("PBD", Method::pbd, false);
  out.tell("time of PBD over that of the hybrid, to 1e-6", no_figure("none"),
           fmt::format("{:.0f}", pbd.nanoseconds / hybrid.nanoseconds));
  out.claim("chains that the hybrid leaves unfinished", no_figure("0"), fmt::format("{}", hybrid.unfinished), "0",
            hybrid.unfinished == 0);
  out.tell("time of the hybrid over that of fast projection, which ends elsewhere", no_figure("none"),
           fmt::format("{:.1f}", hybrid.nanoseconds / fast.nanoseconds));
  out.tell("hybrid, per point and iteration", "none (a prototype: 12 to 37 ns in lanes)",
           fmt::format("{:.0f} ns", hybrid.nanoseconds / std::max(1.0, hybrid.iterations)));
  out.tables.push_back(std::move(table));
  return out;
}

}  // namespace tendril::experiments::chain
