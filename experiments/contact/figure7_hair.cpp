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

Course run(const Options& solver, double turn) {
  BareHairOptions options;
  options.solver = solver, options.turn = turn;
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
  exact.tolerance = 1e-9;
  const double by_cone = change_by_turning(problem, exact),
               by_pyramid = change_by_turning(problem, pyramid(1e-9, 1000));
  out.claim(fmt::format("tangents turned by 45 degrees, in a step with {} contacts", problem.size()),
            "a pyramid depends on its tangents",
            fmt::format("velocities change by {:.1e} with the cone, {:.1e} with the pyramid", by_cone, by_pyramid),
            "by less than 1e-5 with the cone, more than 1e-3 with the pyramid", by_cone < 1e-5 && by_pyramid > 1e-3);
}

}  // namespace

Findings figure7_hair(const Context&) {
  // The same effort for all.
  const Course exact = run(cone(1e-3, 100), 0.0), rough = run(pyramid(1e-3, 100), 0.0),
               rough_turned = run(pyramid(1e-3, 100), quarter);
  Findings out;
  out.claim("clusters of strands, mean of the second half", "more clumping with the exact cone",
            fmt::format("{:.1f} with the cone, {:.1f} with the pyramid, {:.1f} with a turned one", exact.mean_clusters,
                        rough.mean_clusters, rough_turned.mean_clusters),
            "more with the cone", exact.mean_clusters > std::max(rough.mean_clusters, rough_turned.mean_clusters));
  out.tell("strands in clusters, at the end", "not given",
           fmt::format("{} with the cone, {} with the pyramid; {} and {} pairs", exact.last.strands, rough.last.strands,
                       exact.last.pairs, rough.last.pairs));
  claim_turning(exact.problem, out);
  plot::Chart chart{.title = "Clusters",
                    .description = "Strands within four radii of each other over a quarter of their length.",
                    .x = {"time", "s"},
                    .y = {.label = "clusters", .whole = true}};
  chart.add("exact cone", exact.times, exact.clusters), chart.add("pyramid", rough.times, rough.clusters);
  chart.add("pyramid, tangents turned", rough_turned.times, rough_turned.clusters);
  out.charts.push_back(std::move(chart));
  out.notes.push_back("All by Gauss-Seidel, 100 sweeps per step at most.");
  return out;
}

}  // namespace tendril::experiments::contact
