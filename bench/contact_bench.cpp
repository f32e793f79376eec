#include "contact_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "contact_batches.hpp"
#include "contact_rivals.hpp"
#include "contact_runs.hpp"
#include "contact_scene.hpp"
#include "experiments/bundle.hpp"
#include "tendril/base/cpu_seconds.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"
#include "tendril/contact/solver.hpp"

namespace tendril::bench {
namespace {

using contact::Impulses;
using contact::Options;
using contact::Problem;
using contact::Solver;
using experiments::bundle;
using experiments::BundleOptions;

constexpr int many = 1000000;  // sweeps: until the tolerance is met, or nothing moves

void add_speed(const ContactCase& c, int rounds, nlohmann::json& values, Report& report) {
  const ContactRun sweeps = run(c.problem, by(Solver::gauss_seidel, 1e-12, 200), rounds);
  const ContactRun gradients = run(c.problem, by(Solver::apgd, 1e-12, 300), rounds);
  values["gs_ns_per_contact_sweep"] = ns_per_visit(sweeps, c.problem);
  values["apgd_ns_per_contact_iteration"] = ns_per_visit(gradients, c.problem);
  report.bars.push_back({c.name + ".gs_ns", ns_per_visit(sweeps, c.problem), 150.0});
  report.bars.push_back({c.name + ".apgd_ns", ns_per_visit(gradients, c.problem), 40.0});
}

void add_coarse(const ContactCase& c, int rounds, nlohmann::json& values, Report& report) {
  const ContactRun sweeps = run(c.problem, by(Solver::gauss_seidel, 1e-3, many), 1);
  const ContactRun automatic = run(c.problem, by(Solver::automatic, 1e-3), rounds);
  const contact::Report& swept = sweeps.solution.report;
  const bool arrived = swept.outcome == contact::Outcome::converged;
  const double ratio = sweeps.seconds / automatic.seconds;
  values["gs_seconds_to_1e3"] = sweeps.seconds, values["gs_error"] = swept.error, values["gs_arrived"] = arrived;
  values["auto_seconds_to_1e3"] = automatic.seconds;
  values["auto_iterations_to_1e3"] = automatic.solution.report.sweeps;
  values["auto_over_gs"] = ratio;
  values["auto_error_at_1e3"] = automatic.solution.report.error;
  report.bars.push_back({c.name + ".auto_error_at_1e3", automatic.solution.report.error, 1e-3});
  if (c.strands >= 132) report.bars.push_back({c.name + ".auto_over_gs", ratio, 5.0, false});
  report.say(fmt::format(
      "{:10} {:6} contacts: gs {:.0f} ns per contact and sweep, apgd {:.0f} per iteration; 1e-3 in {:.3f} s by auto, "
      "{} {:.3f} s by gs ({:.1f} times)",
      c.name, c.problem.size(), values["gs_ns_per_contact_sweep"].get<double>(),
      values["apgd_ns_per_contact_iteration"].get<double>(), automatic.seconds,
      arrived ? "in" : fmt::format("not there ({:.1e}) after", swept.error), sweeps.seconds, ratio));
}

void add_tight(const ContactCase& c, nlohmann::json& values, Report& report) {
  const ContactRun tight = run(c.problem, by(Solver::automatic, 1e-6), 1);
  const double error = tight.solution.report.error;
  values["auto_seconds_to_1e6"] = tight.seconds, values["auto_error"] = error;
  report.bars.push_back({c.name + ".error", error, 1e-6});
  report.say(fmt::format("{:10} error {:.1e} after {:.2f} s", c.name, error, tight.seconds));
}

// How far it gets in a minute.
void add_minute(const ContactCase& c, nlohmann::json& values, Report& report) {
  constexpr double minute = 60.0;
  Options options = by(Solver::automatic, 1e-6);
  double error = 1.0, last = 0.0;
  const double start = cpu_seconds();
  options.interrupted = [&] { return cpu_seconds() - start > minute; };
  options.observer = [&](const contact::Sample& sample) {
    if (cpu_seconds() - start > minute) return;
    last = cpu_seconds() - start, error = std::min(error, sample.error);
  };
  contact::solve(c.problem, options);
  values["auto_seconds_to_1e6"] = last, values["auto_error"] = error;
  report.say(fmt::format("{:10} error {:.1e} after {:.2f} s", c.name, error, last));
}

// The free velocities shaken by 1 % of the largest: a next step in time.
Problem shaken(const Problem& problem, Random& random) {
  Problem out = problem;
  for (const contact::Block& block : out.blocks) {
    Eigen::VectorXd change(Eigen::Index(block.size));
    for (double& entry : change) entry = 0.01 * 0.5 * random.normal() / 3.0;
    const Eigen::VectorXd push = out.matrix(block) * change;
    for (std::size_t k = 0; k < block.size; ++k) out.f[block.first + k] += push[Eigen::Index(k)];
  }
  return out;
}

// Several steps, each from the impulses of the one before and from rest: iterations of a single one are chaotic.
void add_warm(const ContactCase& c, nlohmann::json& values, Report& report) {
  const Options options = by(Solver::automatic, 1e-3);
  const int steps = c.strands >= 520 ? 3 : 8;
  Random random(7);
  Problem problem = c.problem;
  Impulses r = contact::solve(problem, options).r;
  int warm = 0, cold = 0;
  double error = 0.0;
  for (int step = 0; step < steps; ++step) {
    problem = shaken(problem, random);
    contact::Solution next = contact::solve(problem, options, r);
    const contact::Report from_rest = contact::solve(problem, options).report;
    warm += next.report.sweeps, cold += from_rest.sweeps;
    error = std::max({error, next.report.error, from_rest.error});
    r = std::move(next.r);
  }
  values["warm_iterations"] = double(warm) / steps, values["cold_iterations"] = double(cold) / steps;
  values["warm_and_cold_error"] = error;
  report.bars.push_back({c.name + ".cold_over_warm", double(cold) / std::max(warm, 1), 3.0, false});
  report.bars.push_back({c.name + ".warm_and_cold_error", error, 1e-3});
  report.say(fmt::format("{:10} {:.0f} iterations from the step before, {:.0f} from rest", c.name, double(warm) / steps,
                         double(cold) / steps));
}

bool same_bits(const Impulses& a, const Impulses& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

void add_threads(const ContactCase& c, int rounds, nlohmann::json& values, Report& report) {
  for (const auto& [name, options] :
       {std::pair{"apgd", by(Solver::apgd, 1e-12, 300)}, std::pair{"gs", by(Solver::gauss_seidel, 1e-12, 100)}}) {
    const ContactRun one = run(c.problem, options, rounds);
    set_thread_count(2);
    const ContactRun two = run(c.problem, options, rounds);
    set_thread_count(1);
    const double speedup = one.sweep_wall_seconds / two.sweep_wall_seconds;
    const bool same = same_bits(one.solution.r, two.solution.r);
    values[fmt::format("{}_two_threads", name)] = speedup, values[fmt::format("{}_same_bits", name)] = same;
    report.bars.push_back({fmt::format("{}.{}_two_threads", c.name, name), speedup, 1.5, false});
    report.bars.push_back({fmt::format("{}.{}_same_bits", c.name, name), same ? 1.0 : 0.0, 1.0, false});
    report.say(fmt::format("{:10} {}: two threads {:.2f} times one, {}", c.name, name, speedup,
                           same ? "the same bits" : "OTHER BITS"));
  }
}

// Strands of 20 free nodes, where the velocities of blocks cost more than contacts.
void add_long_strands(Report& report) {
  BundleOptions options;
  options.strands = 620, options.nodes = 21, options.pieces = 1;
  const Problem problem = bundle(options);
  const ContactRun found = run(problem, by(Solver::automatic, 1e-4), 1);
  report.values["long_strands"] = {{"contacts", problem.size()},
                                   {"seconds", found.seconds},
                                   {"error", found.solution.report.error},
                                   {"iterations", found.solution.report.sweeps}};
  report.bars.push_back({"long_strands.seconds", found.seconds, 1.0});
  report.bars.push_back({"long_strands.error", found.solution.report.error, 1e-4});
  report.say(fmt::format("long       {} contacts on strands of 20 nodes: error {:.1e} after {:.2f} s", problem.size(),
                         found.solution.report.error, found.seconds));
}

void add_bundles(const ContactBenchOptions& options, Report& report) {
  const std::vector<int> sizes = options.quick ? std::vector{28, 132} : std::vector{28, 132, 520};
  for (const int strands : sizes)
    for (const double mu : {0.3, 0.6}) {
      const ContactCase c = bundle_case(strands, mu);
      nlohmann::json values = {{"contacts", c.problem.size()}, {"strands", strands}, {"mu", mu}};
      add_speed(c, options.rounds, values, report);
      add_coarse(c, options.rounds, values, report);
      add_warm(c, values, report);
      const bool is_largest = strands == sizes.back();
      if (is_largest && mu == 0.3) {
        add_threads(c, options.rounds, values, report);
        add_unordered(c, options.rounds, values, report);
      }
      if (!options.quick && strands >= 132 && mu == 0.3) add_siconos(c, values, report);
      if (strands == 520 && mu == 0.6)
        add_minute(c, values, report);
      else if (!options.quick || strands == 28)
        add_tight(c, values, report);
      report.values["bundles"][c.name] = values;
    }
  if (!options.quick) add_long_strands(report);
}

}  // namespace

Report bench_contact(const ContactBenchOptions& options) {
  Report report;
  report.listener = options.listener;
  report.values = environment();
  report.values["benchmark"] = "contact";
  const int threads = thread_count();
  set_thread_count(1);
  const auto wanted = [&](ContactPart part) { return !options.only || *options.only == part; };
  if (wanted(ContactPart::bundles)) add_bundles(options, report);
  if (wanted(ContactPart::batches) && !options.quick) add_contact_batches(report);
  if (wanted(ContactPart::scenes)) add_contact_scenes(options.quick, report);
  set_thread_count(threads);
  return report;
}

}  // namespace tendril::bench
