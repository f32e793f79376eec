#include "contact_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "experiments/bundle.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"
#include "tendril/base/timer.hpp"
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

struct Case {
  std::string name;
  Problem problem;
  double mu;
  int strands;
};

Case make_case(int strands, double mu) {
  BundleOptions options;
  options.strands = strands, options.mu = mu, options.mu_body = mu / 0.6;
  return {fmt::format("n{}_mu{:02.0f}", strands, 10.0 * mu), bundle(options), mu, strands};
}

struct Run {
  contact::Solution solution;
  double seconds = 1e300;        // with what is prepared
  double sweep_seconds = 1e300;  // without
};

// The best of several rounds.
Run run(const Problem& problem, Options options, int rounds, const Impulses& start = {}) {
  Run best;
  for (int round = 0; round < rounds; ++round) {
    double sweeping = 0.0, last = 0.0;
    options.observer = [&](const contact::Sample& sample) {
      if (sample.seconds < last) sweeping += last;
      last = sample.seconds;
    };
    const Timer timer;
    contact::Solution solution = contact::solve(problem, options, start);
    best.seconds = std::min(best.seconds, timer.seconds());
    best.sweep_seconds = std::min(best.sweep_seconds, sweeping + last);
    best.solution = std::move(solution);
  }
  return best;
}

Options by(Solver solver, double tolerance, int max_sweeps = 0) {
  Options options;
  options.solver = solver, options.tolerance = tolerance, options.max_sweeps = max_sweeps, options.freezing = false;
  return options;
}

double ns_per_visit(const Run& run, const Problem& problem) {
  return 1e9 * run.sweep_seconds / double(run.solution.report.sweeps) / double(problem.size());
}

void add_speed(const Case& c, int rounds, nlohmann::json& values, Report& report) {
  const Run sweeps = run(c.problem, by(Solver::gauss_seidel, 1e-12, 200), rounds);
  const Run gradients = run(c.problem, by(Solver::apgd, 1e-12, 300), rounds);
  values["gs_ns_per_contact_sweep"] = ns_per_visit(sweeps, c.problem);
  values["apgd_ns_per_contact_iteration"] = ns_per_visit(gradients, c.problem);
  report.bars.push_back({c.name + ".gs_ns", ns_per_visit(sweeps, c.problem), 150.0});
  report.bars.push_back({c.name + ".apgd_ns", ns_per_visit(gradients, c.problem), 40.0});
}

void add_coarse(const Case& c, int rounds, nlohmann::json& values, Report& report) {
  const Run sweeps = run(c.problem, by(Solver::gauss_seidel, 1e-3, many), 1);
  const Run automatic = run(c.problem, by(Solver::automatic, 1e-3), rounds);
  const double ratio = sweeps.seconds / automatic.seconds;
  values["gs_seconds_to_1e3"] = sweeps.seconds, values["gs_error"] = sweeps.solution.report.error;
  values["auto_seconds_to_1e3"] = automatic.seconds,
  values["auto_iterations_to_1e3"] = automatic.solution.report.sweeps;
  values["auto_over_gs"] = ratio;
  if (c.strands >= 132) report.bars.push_back({c.name + ".auto_over_gs", ratio, 5.0, false});
  report.lines.push_back(fmt::format(
      "{:10} {:6} contacts: gs {:.0f} ns per contact and sweep, apgd {:.0f} per iteration; 1e-3 in {:.3f} s by auto, "
      "{:.3f} s by gs ({:.1f} times)",
      c.name, c.problem.size(), values["gs_ns_per_contact_sweep"].get<double>(),
      values["apgd_ns_per_contact_iteration"].get<double>(), automatic.seconds, sweeps.seconds, ratio));
}

void add_tight(const Case& c, bool is_bar, nlohmann::json& values, Report& report) {
  const Run tight = run(c.problem, by(Solver::automatic, 1e-6, is_bar ? 0 : 800), 1);
  const double error = tight.solution.report.error;
  values["auto_seconds_to_1e6"] = tight.seconds, values["auto_error"] = error;
  if (is_bar) report.bars.push_back({c.name + ".error", error, 1e-6});
  report.lines.push_back(fmt::format("{:10} error {:.1e} after {:.2f} s", c.name, error, tight.seconds));
}

// The free velocities shaken by 1 % of the largest: a next step in time.
Problem shaken(const Problem& problem) {
  Problem out = problem;
  Random random(7);
  for (const contact::Block& block : out.blocks) {
    Eigen::VectorXd change(Eigen::Index(block.size));
    for (double& entry : change) entry = 0.01 * 0.5 * random.normal() / 3.0;
    const Eigen::VectorXd push = out.matrix(block) * change;
    for (std::size_t k = 0; k < block.size; ++k) out.f[block.first + k] += push[Eigen::Index(k)];
  }
  return out;
}

void add_warm(const Case& c, nlohmann::json& values, Report& report) {
  const Options options = by(Solver::automatic, 1e-3);
  const Impulses before = contact::solve(c.problem, options).r;
  const Problem next = shaken(c.problem);
  const int warm = contact::solve(next, options, before).report.sweeps,
            cold = contact::solve(next, options).report.sweeps;
  values["warm_iterations"] = warm, values["cold_iterations"] = cold;
  report.bars.push_back({c.name + ".cold_over_warm", double(cold) / std::max(warm, 1), 3.0, false});
  report.lines.push_back(fmt::format("{:10} {} iterations from the step before, {} from rest", c.name, warm, cold));
}

bool same_bits(const Impulses& a, const Impulses& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(a[0])) == 0;
}

void add_threads(const Case& c, int rounds, nlohmann::json& values, Report& report) {
  for (const auto& [name, options] :
       {std::pair{"apgd", by(Solver::apgd, 1e-12, 300)}, std::pair{"gs", by(Solver::gauss_seidel, 1e-12, 100)}}) {
    const Run one = run(c.problem, options, rounds);
    set_thread_count(2);
    const Run two = run(c.problem, options, rounds);
    set_thread_count(1);
    const double speedup = one.sweep_seconds / two.sweep_seconds;
    const bool same = same_bits(one.solution.r, two.solution.r);
    values[fmt::format("{}_two_threads", name)] = speedup, values[fmt::format("{}_same_bits", name)] = same;
    report.bars.push_back({fmt::format("{}.{}_two_threads", c.name, name), speedup, 1.5, false});
    report.bars.push_back({fmt::format("{}.{}_same_bits", c.name, name), same ? 1.0 : 0.0, 1.0, false});
    report.lines.push_back(fmt::format("{:10} {}: two threads {:.2f} times one, {}", c.name, name, speedup,
                                       same ? "the same bits" : "OTHER BITS"));
  }
}

// Sixty bundles of 200 to 2000 contacts, three frictions, three margins.
void add_batch(Report& report) {
  int reached = 0, count = 0;
  double worst = 0.0;
  const Timer timer;
  for (const double mu : {0.3, 0.6, 1.0})
    for (int k = 0; k < 20; ++k, ++count) {
      BundleOptions options;
      options.strands = 6 + 54 * k / 19, options.seed = std::uint64_t(100 + k), options.margin = 0.05 * (k % 3);
      options.mu = mu, options.mu_body = mu / 0.6;
      const double error = contact::solve(bundle(options), by(Solver::automatic, 1e-6)).report.error;
      reached += error <= 1e-6;
      worst = std::max(worst, error);
    }
  report.values["batch"] = {
      {"problems", count}, {"reached", reached}, {"error_max", worst}, {"seconds", timer.seconds()}};
  report.bars.push_back({"batch.reached", double(reached), double(count), false});
  report.lines.push_back(fmt::format("batch      {} of {} reach 1e-6, the worst {:.1e}; {:.1f} s", reached, count,
                                     worst, timer.seconds()));
}

// Strands of 20 free nodes, where the velocities of blocks cost more than contacts.
void add_long_strands(Report& report) {
  BundleOptions options;
  options.strands = 620, options.nodes = 21, options.pieces = 1;
  const Problem problem = bundle(options);
  const Run found = run(problem, by(Solver::automatic, 1e-4), 1);
  report.values["long_strands"] = {{"contacts", problem.size()},
                                   {"seconds", found.seconds},
                                   {"error", found.solution.report.error},
                                   {"iterations", found.solution.report.sweeps}};
  report.bars.push_back({"long_strands.seconds", found.seconds, 1.0});
  report.lines.push_back(fmt::format("long       {} contacts on strands of 20 nodes: error {:.1e} after {:.2f} s",
                                     problem.size(), found.solution.report.error, found.seconds));
}

}  // namespace

Report bench_contact(const ContactBenchOptions& options) {
  Report report;
  report.values = environment();
  report.values["benchmark"] = "contact";
  const int threads = thread_count();
  set_thread_count(1);
  const std::vector<int> sizes = options.quick ? std::vector{28, 132} : std::vector{28, 132, 520};
  for (const int strands : sizes)
    for (const double mu : {0.3, 0.6}) {
      const Case c = make_case(strands, mu);
      nlohmann::json values = {{"contacts", c.problem.size()}, {"strands", strands}, {"mu", mu}};
      add_speed(c, options.rounds, values, report);
      add_coarse(c, options.rounds, values, report);
      add_warm(c, values, report);
      if (strands == sizes.back() && mu == 0.3) add_threads(c, options.rounds, values, report);
      if (!options.quick || strands == 28) add_tight(c, strands < 520 || mu < 0.5, values, report);
      report.values["bundles"][c.name] = values;
    }
  if (!options.quick) add_batch(report), add_long_strands(report);
  set_thread_count(threads);
  return report;
}

}  // namespace tendril::bench
