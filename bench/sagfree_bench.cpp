#include "sagfree_bench.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "experiments/grooms.hpp"
#include "experiments/motion.hpp"
#include "sagfree_comparisons.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/sagfree/optimise.hpp"
#include "tendril/sim/sag_free_report.hpp"

namespace tendril::bench {
namespace {

struct Case {
  std::string name;
  Curves curves;
  double longest_seconds;  // what it may take on one thread
};

struct Measured {
  sagfree::Summary summary;
  double seconds = 0.0;        // with stability
  double sweep_seconds = 0.0;  // without
  double drift = 0.0;          // of stable strands after one second, over their lengths
};

// How far stable strands stray in a second, over their lengths.
double drift_of(const der::Strands& strands, const sagfree::Outcome& outcome) {
  experiments::Motion motion(strands);
  motion.run(240);
  return largest_drift(strands, outcome, motion.state);
}

Measured measure(const Case& c, int rounds) {
  Measured best;
  best.seconds = best.sweep_seconds = 1e300;
  for (int round = 0; round < rounds; ++round) {
    sagfree::Options options;
    der::Strands strands = experiments::human_hair(c.curves);
    const sagfree::Outcome outcome = sagfree::optimise(options, strands.start(), strands).value();
    best.seconds = std::min(best.seconds, outcome.seconds);
    best.summary = sagfree::summarise(outcome.strands);
    if (round == 0) best.drift = drift_of(strands, outcome);
    options.mu = 0.5, options.check_stability = false;
    der::Strands again = experiments::human_hair(c.curves);
    best.sweep_seconds = std::min(best.sweep_seconds, sagfree::optimise(options, again.start(), again).value().seconds);
  }
  return best;
}

void add(const Case& c, const Measured& m, Report& report) {
  const sagfree::Summary& s = m.summary;
  report.values[c.name] = {{"strands", s.strands},
                           {"vertices", c.curves.points.size()},
                           {"converged", s.converged},
                           {"failed", s.failed},
                           {"unstable", s.unstable},
                           {"imbalance_max", s.imbalance_max},
                           {"imbalance_median", s.imbalance_median},
                           {"drift_max_relative", m.drift},
                           {"stiffness_factor_median", s.stiffness_factor_median},
                           {"stiffness_factor_max", s.stiffness_factor_max},
                           {"seconds", m.seconds},
                           {"sweep_seconds", m.sweep_seconds},
                           {"strands_per_second", double(s.strands) / m.sweep_seconds}};
  report.bars.push_back({c.name + ".seconds", m.seconds, c.longest_seconds});
  report.bars.push_back({c.name + ".imbalance_max", s.imbalance_max, 1e-9});
  report.bars.push_back({c.name + ".drift", m.drift, 1e-6});
  report.bars.push_back({c.name + ".failed", double(s.failed), 0.0});
  report.lines.push_back(fmt::format(
      "{:10} {:6} strands: {:.3f} s with stability, {:.3f} s for the sweep alone; imbalance "
      "{:.1e}, drift {:.1e}, {} unstable, stiffness {:.2f} times (median)",
      c.name, s.strands, m.seconds, m.sweep_seconds, s.imbalance_max, m.drift, s.unstable, s.stiffness_factor_median));
}

void add_groom(const experiments::RealGroom& groom, int rounds, Report& report) {
  if (!groom.curves) {
    report.lines.push_back(fmt::format("{:10} left out: {}", groom.name, groom.curves.error().message()));
    return;
  }
  const Case c{groom.name, groom.curves.value(), 0.5};
  add(c, measure(c, rounds), report);
}

}  // namespace

Report bench_sagfree(const SagfreeBenchOptions& options) {
  Report report;
  report.values = environment();
  report.values["benchmark"] = "sagfree";
  const int threads = thread_count();
  set_thread_count(1);
  const Case generated{"curls", experiments::curls(options.strands, options.vertices), 0.2};
  add(generated, measure(generated, options.rounds), report);
  if (options.data.empty()) {
    report.lines.push_back("real grooms left out: give --data, or set TENDRIL_DATA");
  } else {
    for (const experiments::RealGroom& groom : experiments::real_grooms(options.data))
      add_groom(groom, options.rounds, report);
  }
  compare_with_lagrangian(options.rounds, report);
  compare_programs(options.rounds, report);
  set_thread_count(threads);
  return report;
}

}  // namespace tendril::bench
