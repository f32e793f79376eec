#include "contact_batches.hpp"

#include <fmt/format.h>

#include <Eigen/QR>
#include <algorithm>
#include <array>
#include <cmath>

#include "contact_runs.hpp"
#include "experiments/bundle.hpp"
#include "tendril/base/random.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/contact/local_solver.hpp"

namespace tendril::bench {

using experiments::bundle;
using experiments::BundleOptions;
namespace {

using contact::Solver;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double tight = 1e-6;

struct Batch {
  std::string name;
  int problems = 0, reached = 0;
  double worst = 0.0, slowest = 0.0;  // slowest: [s]
  Timer timer{};

  void solve(const BundleOptions& options) {
    const contact::Problem problem = bundle(options);
    const Timer own;
    const double error = contact::solve(problem, by(Solver::automatic, tight)).report.error;
    ++problems, reached += error <= tight;
    worst = std::max(worst, error), slowest = std::max(slowest, own.seconds());
  }

  void add_to(Report& report) const {
    report.values[name] = {{"problems", problems},
                           {"reached", reached},
                           {"error_max", worst},
                           {"slowest", slowest},
                           {"seconds", timer.seconds()}};
    report.bars.push_back({name + ".over_tolerance", double(problems - reached), 0.0});
    report.say(fmt::format("{:10} {} of {} reach 1e-6, the worst {:.1e}; {:.1f} s, the slowest {:.1f} s", name, reached,
                           problems, worst, timer.seconds(), slowest));
  }
};

BundleOptions with_friction(double mu) {
  BundleOptions options;
  options.mu = mu, options.mu_body = mu / 0.6;
  return options;
}

void add_random(Report& report) {
  Batch batch{"batch"};
  for (const double mu : {0.3, 0.6, 1.0})
    for (int k = 0; k < 20; ++k) {
      BundleOptions options = with_friction(mu);
      options.strands = 6 + 54 * k / 19, options.seed = std::uint64_t(100 + k), options.margin = 0.05 * (k % 3);
      batch.solve(options);
    }
  batch.add_to(report);
}

// 51 bundles, each with several frictions and margins: 306 problems.
constexpr int bundles = 51;
BundleOptions numbered(int k, double mu) {
  BundleOptions options = with_friction(mu);
  options.strands = 4 + 56 * k / (bundles - 1), options.seed = std::uint64_t(1000 + k);
  return options;
}

void add_easy(Report& report) {
  Batch batch{"batch_easy"};
  for (int k = 0; k < bundles; ++k)
    for (const double mu : {0.3, 0.6})
      for (const double margin : {0.0, 0.05, 0.1}) {
        BundleOptions options = numbered(k, mu);
        options.margin = margin;
        batch.solve(options);
      }
  batch.add_to(report);
}

// Strands that stretch a thousand times less than those of the others have a direction in which W_ii is nearly zero.
void add_hard(Report& report) {
  Batch batch{"batch_hard"};
  for (int k = 0; k < bundles; ++k)
    for (const double mu : {1.0, 2.0, 3.0})
      for (const double stiffer : {1.0, 1e3}) {
        BundleOptions options = numbered(k, mu);
        options.strands = 4 + 26 * k / (bundles - 1);
        options.mu_body = mu, options.stretching *= stiffer, options.margin = 0.05 * (k % 3);
        batch.solve(options);
      }
  batch.add_to(report);
}

Vector3d random_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

contact::LocalProblem random_contact(Random& random, double condition, double mu) {
  Matrix3d any;
  for (int column = 0; column < 3; ++column) any.col(column) = random_vector(random);
  const Matrix3d frame = Eigen::HouseholderQR<Matrix3d>(any).householderQ();
  const Vector3d eigenvalues(1.0, std::pow(condition, -random.uniform()), 1.0 / condition);
  const Matrix3d w = frame * eigenvalues.asDiagonal() * frame.transpose();
  const Vector3d b = random_vector(random);
  return {0.5 * (w + w.transpose()), Vector3d(-std::abs(b[0]), b[1], b[2]), mu};
}

// Friction to 10, conditions to 1e12, all units, pressed together or apart, from rest or from anywhere.
void add_single(Report& report) {
  constexpr int count = 100'000;
  Random random(12);
  int unsolved = 0, not_finite = 0, rescued = 0;
  const Timer timer;
  for (int k = 0; k < count; ++k) {
    const double condition = std::pow(10.0, random.uniform(0.0, 12.0)),
                 mobility = std::pow(10.0, random.uniform(-6.0, 6.0)),
                 speed = std::pow(10.0, random.uniform(-6.0, 3.0));
    contact::LocalProblem problem = random_contact(random, condition, k % 7 == 0 ? 0.0 : random.uniform(0.0, 10.0));
    problem.w *= mobility, problem.b *= k % 5 == 0 ? -speed : speed;
    const Vector3d start = k % 2 == 0 ? Vector3d::Zero() : Vector3d(random_vector(random) * speed / mobility);
    contact::LocalOptions options;
    options.tolerance = 1e-10 * speed;
    const contact::LocalReport found = contact::solve_local(problem, options, start);
    unsolved += found.outcome == contact::LocalOutcome::unsolved;
    rescued += found.outcome == contact::LocalOutcome::rescued;
    not_finite += !found.r.allFinite() || !std::isfinite(found.residual);
  }
  report.values["single"] = {{"problems", count},
                             {"unsolved", unsolved},
                             {"rescued", rescued},
                             {"not_finite", not_finite},
                             {"seconds", timer.seconds()}};
  report.bars.push_back({"single.unsolved", double(unsolved), 0.0});
  report.bars.push_back({"single.not_finite", double(not_finite), 0.0});
  report.say(fmt::format("single     {} contacts: {} unsolved, {} by the fail-safe, {} not finite; {:.1f} s", count,
                         unsolved, rescued, not_finite, timer.seconds()));
}

}  // namespace

void add_contact_batches(Report& report) {
  add_random(report);
  add_easy(report);
  add_hard(report);
  add_single(report);
}

}  // namespace tendril::bench
