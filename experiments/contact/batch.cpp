#include "experiments/contact/batch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <stdexcept>

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"

namespace tendril::experiments::contact {
namespace {

using tendril::contact::LocalMethod;
using tendril::contact::LocalOptions;
using tendril::contact::Options;
using tendril::contact::Outcome;
using tendril::contact::Problem;
using tendril::contact::Solution;
using tendril::contact::Solver;

constexpr int all_problems = 306, few_problems = 6;

constexpr double inextensible = 5e4;  // [N] of stretching

std::vector<BundleOptions> bundles(int count, std::array<double, 2> mu, double stretching) {
  std::vector<BundleOptions> all;
  for (int i = 0; i < count; ++i) {
    BundleOptions options;
    options.seed = std::uint64_t(i + 1);
    options.strands = 4 + (i * 7) % 57;  // 4 to 60, each as often
    options.mu = options.mu_body = mu[std::size_t(i % 2)];
    options.margin = std::array{0.0, 0.05, 0.1}[std::size_t(i / 2 % 3)];
    options.stretching = stretching;
    all.push_back(options);
  }
  return all;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / double(std::max<std::size_t>(1, values.size()));
}

Options local_solver(const Batch& batch, LocalMethod method, bool fail_safe) {
  Options options;
  options.solver = Solver::gauss_seidel, options.tolerance = batch.tolerance, options.max_sweeps = batch.most_sweeps;
  options.local = LocalOptions{.method = method, .fail_safe = fail_safe};
  return options;
}

void note(const Solution& found, double seconds, std::size_t problem, Run& run) {
  run.sweeps[problem] = found.report.sweeps, run.errors[problem] = found.report.error;
  run.milliseconds[problem] = 1e3 * seconds;
  run.converged[problem] = found.report.outcome == Outcome::converged;
}

// Problems side by side, each on one thread: times are those of one.
Run run_all(const std::vector<Problem>& problems, const Contestant& contestant) {
  Run run{contestant};
  const std::size_t count = problems.size();
  run.sweeps.resize(count), run.errors.resize(count), run.milliseconds.resize(count), run.converged.resize(count);
  std::vector<tendril::contact::Report> reports(count);
  parallel_for(count, [&](std::size_t i) {
    const Timer timer;
    const Solution found = tendril::contact::solve(problems[i], contestant.options);
    note(found, timer.seconds(), i, run);
    reports[i] = found.report;
  });
  for (const tendril::contact::Report& report : reports) {
    run.local_solves += report.local_solves, run.failed += report.unsolved;
    run.alternated += report.rescued + (contestant.is_hybrid() ? report.unsolved : 0);
  }
  return run;
}

BatchResult solve_batch(Batch batch) {
  BatchResult result{std::move(batch)};
  std::vector<Problem> problems(result.batch.problems.size());
  parallel_for(problems.size(),
               [&](std::size_t i) { problems[i] = thinned(bundle(result.batch.problems[i]), result.batch.kept); });
  const auto [least, most] = std::ranges::minmax(problems, {}, &Problem::size);
  result.contacts_least = least.size(), result.contacts_most = most.size();
  for (const Contestant& contestant : contestants(result.batch)) result.runs.push_back(run_all(problems, contestant));
  return result;
}

}  // namespace

Batch plain_batch(bool quick) {
  return {"plain", bundles(quick ? few_problems : all_problems, {0.3, 0.6}, 5.0), 1.0, 1e-3};
}

Batch hard_batch(bool quick) {
  return {"hard", bundles(quick ? few_problems : all_problems, {1.0, 1.5}, inextensible), 0.05, 1e-6};
}

Batch extreme_batch(bool quick) {
  return {"extreme", bundles(quick ? few_problems : all_problems / 3, {3.0, 3.0}, inextensible), 0.05, 1e-6};
}

std::vector<Contestant> contestants(const Batch& batch) {
  std::vector<Contestant> all;
  const auto add = [&](LocalMethod method) {
    const std::string word(tendril::contact::name(method));
    const bool exact = method != LocalMethod::four_sides && method != LocalMethod::duriez06;
    all.push_back({word, local_solver(batch, method, false), {}, exact});
    if (method != LocalMethod::enumerative)
      all.push_back({word + "+enum", local_solver(batch, method, true), word, true});
  };
  for (const LocalMethod method : {LocalMethod::four_sides, LocalMethod::duriez06, LocalMethod::duriez08,
                                   LocalMethod::pac, LocalMethod::dac, LocalMethod::mfb, LocalMethod::enumerative})
    add(method);
  Options automatic;
  automatic.tolerance = batch.tolerance, automatic.effort = tendril::contact::Effort::full;
  all.push_back({"auto", automatic});
  automatic.tolerance = 1e-6;
  if (batch.tolerance > automatic.tolerance) all.push_back({"auto to 1e-6", automatic});
  return all;
}

std::size_t Run::over() const { return std::size_t(std::ranges::count(converged, char(0))); }
double Run::mean_sweeps() const { return mean({sweeps.begin(), sweeps.end()}); }
double Run::mean_milliseconds() const { return mean(milliseconds); }
double Run::worst_error() const { return std::ranges::max(errors); }

double Run::needing_more_than(int count) const {
  std::size_t more = 0;
  for (std::size_t i = 0; i < sweeps.size(); ++i) more += sweeps[i] > count || converged[i] == 0;
  return double(more) / double(sweeps.size());
}

const Run& BatchResult::of(const std::string& name) const {
  const auto found = std::ranges::find(runs, name, [](const Run& run) { return run.contestant.name; });
  if (found == runs.end()) throw std::logic_error(name + " is no solver of the batch");
  return *found;
}

const std::vector<BatchResult>& all_batches(bool quick) {
  static std::map<bool, std::vector<BatchResult>> done;
  std::vector<BatchResult>& results = done[quick];
  if (results.empty())
    for (const auto& make : {plain_batch, hard_batch, extreme_batch}) results.push_back(solve_batch(make(quick)));
  return results;
}

}  // namespace tendril::experiments::contact
