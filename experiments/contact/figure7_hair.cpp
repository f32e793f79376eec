// Figure 7, bottom: a head of hair with the exact cone and with a pyramid in its place. A pyramid has corners: friction
// depends on how the tangents happen to lie.
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <numbers>

#include "experiments/contact/bare_hair.hpp"
#include "experiments/contact/contact.hpp"
#include "experiments/contact/hair.hpp"
#include "tendril/contact/explicit_delassus.hpp"

namespace tendril::experiments::contact {
namespace {

using tendril::contact::LocalMethod;
using tendril::contact::LocalOptions;
using tendril::contact::Options;
using tendril::contact::Problem;
using tendril::contact::Solver;

constexpr double seconds = 1.6, quarter = 0.25 * std::numbers::pi;
constexpr int steps_between_counts = 10;

Options sweeps_by(LocalMethod method, bool fail_safe, double tolerance, int most) {
  Options options;
  options.solver = Solver::gauss_seidel, options.tolerance = tolerance, options.max_sweeps = most;
  options.local = LocalOptions{.method = method, .fail_safe = fail_safe};
  return options;
}
Options cone(double tolerance, int most) { return sweeps_by(LocalMethod::mfb, true, tolerance, most); }
Options pyramid(double tolerance, int most) { return sweeps_by(LocalMethod::four_sides, false, tolerance, most); }

struct Course {
  std::vector<double> times, clusters;
  Clusters last;
  double mean_clusters = 0.0;  // of the second half
  Problem problem;             // the largest that was looked at
};

Course run(const Options& solver, double turn, std::uint64_t seed) {
  BareHairOptions options;
  options.solver = solver, options.turn = turn, options.seed = seed;
  BareHair hair(options);
  Course out;
  for (int i = 1; hair.time() < seconds; ++i) {
    hair.step();
    if (i % steps_between_counts != 0) continue;
    if (hair.problem().size() > out.problem.size()) out.problem = hair.problem();
    out.last = clusters(hair.positions(), hair.offsets(), hair.radius());
    out.times.push_back(hair.time()), out.clusters.push_back(double(out.last.count));
  }
  const std::size_t half = out.clusters.size() / 2;
  for (std::size_t i = half; i < out.clusters.size(); ++i)
    out.mean_clusters += out.clusters[i] / double(out.clusters.size() - half);
  return out;
}

// The same problem, with the tangents of every contact turned about its normal.
Problem turned(Problem problem) {
  const Eigen::Matrix3d turn(Eigen::AngleAxisd(quarter, Eigen::Vector3d::UnitX()));
  for (tendril::contact::Contact& contact : problem.contacts) contact.drift = turn * contact.drift;
  for (tendril::contact::Entry& entry : problem.entries) entry.coefficient = turn * entry.coefficient;
  return problem;
}

// Largest change of a velocity of the strands, over the largest speed of contacts without contact.
double change_by_turning(const Problem& problem, const Options& options) {
  const double speed = tendril::contact::ExplicitDelassus(problem).free_velocity().lpNorm<Eigen::Infinity>();
  return (solve(problem, options).v - solve(turned(problem), options).v).lpNorm<Eigen::Infinity>() / speed;
}

void claim_turning(const Problem& problem, Findings& out) {
  Options exact;
  exact.tolerance = 1e-9, exact.effort = tendril::contact::Effort::full;
  const double by_cone = change_by_turning(problem, exact),
               by_pyramid = change_by_turning(problem, pyramid(1e-9, 1000));
  out.claim(fmt::format("tangents turned by 45 degrees, in a step with {} contacts", problem.size()),
            "a pyramid depends on its tangents",
            fmt::format("velocities change by {:.1e} with the cone, {:.1e} with the pyramid", by_cone, by_pyramid),
            "by less than 1e-5 with the cone, more than 1e-3 with the pyramid", by_cone < 1e-5 && by_pyramid > 1e-3);
}

// The same effort for all.
struct Head {
  Course exact, rough, rough_turned;

  explicit Head(std::uint64_t seed)
      : exact(run(cone(1e-3, 100), 0.0, seed)),
        rough(run(pyramid(1e-3, 100), 0.0, seed)),
        rough_turned(run(pyramid(1e-3, 100), quarter, seed)) {}
};

double mean_clusters(const std::vector<Head>& heads, Course Head::*course) {
  double sum = 0.0;
  for (const Head& head : heads) sum += (head.*course).mean_clusters;
  return sum / double(heads.size());
}

plot::Chart chart_of(const Head& head) {
  plot::Chart chart{.title = "Clusters",
                    .description = "Strands within four radii of each other over a quarter of their length.",
                    .x = {"time", "s"},
                    .y = {.label = "clusters", .whole = true}};
  chart.add("exact cone", head.exact.times, head.exact.clusters);
  chart.add("pyramid", head.rough.times, head.rough.clusters);
  chart.add("pyramid, tangents turned", head.rough_turned.times, head.rough_turned.clusters);
  return chart;
}

}  // namespace

Findings figure7_hair(const Context& context) {
  std::vector<Head> heads;
  for (std::uint64_t seed = 1; seed <= (context.quick ? 1 : 4); ++seed) heads.emplace_back(seed);
  const double exact = mean_clusters(heads, &Head::exact), rough = mean_clusters(heads, &Head::rough),
               rough_turned = mean_clusters(heads, &Head::rough_turned);
  Findings out;
  out.claim(fmt::format("clusters of strands, mean of the second half and of {} heads", heads.size()),
            "more clumping with the exact cone",
            fmt::format("{:.1f} with the cone, {:.1f} with the pyramid, {:.1f} with a turned one", exact, rough,
                        rough_turned),
            "more with the cone", exact > std::max(rough, rough_turned));
  const Head& first = heads.front();
  out.tell("strands in clusters, at the end", "not given",
           fmt::format("{} with the cone, {} with the pyramid; {} and {} pairs", first.exact.last.strands,
                       first.rough.last.strands, first.exact.last.pairs, first.rough.last.pairs));
  claim_turning(first.exact.problem, out);
  out.charts.push_back(chart_of(first));
  out.notes.push_back("All by Gauss-Seidel, 100 sweeps per step at most.");
  return out;
}

}  // namespace tendril::experiments::contact
