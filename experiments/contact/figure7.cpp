// Figure 7, top: a rod whose free end lies on a ball that turns to and fro, with friction, by every local solver. The
// rod is a super-helix of three elements; the one contact is at its tip (docs/theory/superhelix.md,
// docs/theory/contact.md, "Local solvers").
#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "experiments/contact/contact.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/contact/local_solver.hpp"
#include "tendril/rods/superhelix/one_step.hpp"

namespace tendril::experiments::contact {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;
using tendril::contact::LocalMethod;
using tendril::contact::LocalOptions;
using tendril::contact::LocalProblem;

constexpr double length = 0.2, curvature = 8.0;           // [m], [1/m]
constexpr double dt = 2e-3;                               // [s]
constexpr int periods = 10, steps_per_period = 500;       // of 1 s
constexpr double ball_radius = 0.08, margin = 2e-3;       // [m]
constexpr double swing = 0.15, mu = 1.0;                  // [rad]
constexpr double one_orbit = 1e-9, another_orbit = 1e-3;  // [m]

// An arc of a circle in the plane of x and y: EI = 4e-6, GJ = 3e-6 N m2, 1e-4 kg/m.
superhelix::Strands bent_rod() {
  constexpr double radius = 1e-3;
  der::Material material;
  material.radius = radius;
  material.young = 4e-6 * 4.0 / (pi * std::pow(radius, 4)), material.shear = 3e-6 * 2.0 / (pi * std::pow(radius, 4));
  material.density = 1e-4 / (pi * radius * radius), material.damping = 0.01;
  Curves curves;
  for (int i = 0; i <= 20; ++i) {
    const double turn = curvature * length * i / 20.0;
    curves.points.push_back({std::sin(turn) / curvature, (1.0 - std::cos(turn)) / curvature, 0.0});
  }
  curves.offsets = {0, curves.points.size()};
  der::Description d = der::describe(curves, material, {der::Clamp::point, der::Clamp::free});
  d.root_director = {Vector3d::UnitY()};
  return std::move(superhelix::Strands::create(std::move(d), {3, 3, 3}).value());
}

struct Orbit {
  std::string name;
  std::vector<Vector3d> tip;  // [m], step by step
  double stuck = 0.0;         // share of the steps in contact
  double residual = 0.0;      // worst distance from Coulomb's law, over the speed without contact

  std::span<const Vector3d> period(int which) const {
    return std::span(tip).subspan(std::size_t(which * steps_per_period), steps_per_period);
  }
  Vector3d extent() const {
    Vector3d low = tip.back(), high = low;
    for (const Vector3d& x : period(periods - 1)) low = low.cwiseMin(x), high = high.cwiseMax(x);
    return high - low;
  }
};

double distance(std::span<const Vector3d> a, std::span<const Vector3d> b) {
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}
double distance(const Orbit& a, const Orbit& b) { return distance(a.period(periods - 1), b.period(periods - 1)); }

class RodOnBall {
 public:
  explicit RodOnBall(const LocalOptions& local)
      : strands_(bent_rod()), state_(strands_.start()), local_(local), x_(strands_.vertex_count()) {
    const Pose still;
    strands_.drive(std::span(&still, 1), targets_);
    options_.dt = dt, options_.gravity = {0.0, 0.0, -9.81}, options_.velocity_terms = false;
    superhelix::gather_positions(strands_, state_, x_);
    centre_ = Vector3d(x_.back().x(), x_.back().y(), -0.015 - ball_radius);
  }

  Orbit run(std::string name) {
    Orbit orbit{std::move(name), {}};
    for (int i = 1; i <= periods * steps_per_period; ++i) {
      step(i * dt, orbit);
      orbit.tip.push_back(x_.back());
    }
    orbit.stuck = double(stuck_) / std::max(1, touching_);
    return orbit;
  }

 private:
  void step(double time, Orbit& orbit) {
    superhelix::OneStep system(strands_, targets_, options_, state_, work_);
    const Vector3d away = x_.back() - centre_;
    if (const double gap = away.norm() - ball_radius; gap < margin)
      touch(system, away.normalized(), gap, time, orbit);
    else
      impulse_.setZero();
    if (system.advance(trial_).outcome != Outcome::converged) throw std::runtime_error("the rod on the ball blew up");
    state_.swap(trial_);
    superhelix::gather_positions(strands_, state_, x_);
  }

  // The tip against the ball: W and b of one contact, its impulse, and the velocities that this leads to.
  void touch(superhelix::OneStep& system, const Vector3d& n, double gap, double time, Orbit& orbit) {
    Matrix3d frame;
    frame.row(0) = n, frame.row(1) = n.cross(Vector3d::UnitY()).normalized();
    frame.row(2) = n.cross(frame.row(1).transpose());
    const double rate = swing * 2.0 * pi * std::cos(2.0 * pi * time);
    const Vector3d axis = Vector3d(1.0, 0.5, 0.2).normalized();
    const MaterialPoint tip{0, strands_.vertices(0) - 2, 1.0};
    const std::size_t size = system.block_size(0);
    velocity_.assign(size, 0.0), columns_.assign(3 * size, 0.0);
    system.free_velocity(0, velocity_);
    const auto column = [&](int c) { return std::span(&columns_[std::size_t(c) * size], size); };
    for (int c = 0; c < 3; ++c) system.add_point_impulse(tip, frame.row(c).transpose(), column(c));
    system.apply_inverse(0, 3, columns_);
    LocalProblem problem{Matrix3d::Zero(), Vector3d::Zero(), mu};
    for (int c = 0; c < 3; ++c) problem.w.col(c) = frame * system.point_velocity(tip, column(c));
    problem.b = frame * (system.point_velocity(tip, velocity_) - rate * axis.cross(ball_radius * n));
    problem.b[0] += std::max(0.0, gap) / dt;
    const auto found = tendril::contact::solve_local(problem, local_, impulse_);
    impulse_ = found.r;
    orbit.residual = std::max(orbit.residual, found.residual / problem.b.norm());
    const Vector3d u = problem.w * impulse_ + problem.b;
    if (impulse_[0] > 0.0) ++touching_, stuck_ += u.tail<2>().norm() < 1e-9;
    for (std::size_t k = 0; k < size; ++k)
      for (int c = 0; c < 3; ++c) velocity_[k] += impulse_[c] * column(c)[k];
    system.set_velocity(0, velocity_);
  }

  const superhelix::Strands strands_;
  superhelix::State state_, trial_;
  superhelix::Workspace work_;
  superhelix::StepOptions options_;
  std::vector<Pose> targets_;
  LocalOptions local_;
  std::vector<Vector3d> x_;
  std::vector<double> velocity_, columns_;
  Vector3d centre_, impulse_ = Vector3d::Zero();
  int stuck_ = 0, touching_ = 0;
};

std::vector<Orbit> all_orbits() {
  struct Contestant {
    const char* name;
    LocalMethod method;
    bool fail_safe;
  };
  constexpr Contestant contestants[] = {
      {"mfb+enum", LocalMethod::mfb, true},       {"mfb", LocalMethod::mfb, false},
      {"enum", LocalMethod::enumerative, false},  {"dac", LocalMethod::dac, false},
      {"pac", LocalMethod::pac, false},           {"duriez08", LocalMethod::duriez08, false},
      {"4sides", LocalMethod::four_sides, false}, {"duriez06", LocalMethod::duriez06, false},
  };
  std::vector<Orbit> orbits(std::size(contestants));
  parallel_for(orbits.size(), [&](std::size_t i) {
    LocalOptions local;
    local.method = contestants[i].method, local.fail_safe = contestants[i].fail_safe, local.tolerance = 1e-14;
    orbits[i] = RodOnBall(local).run(contestants[i].name);
  });
  return orbits;
}

plot::Chart chart_of(const std::vector<Orbit>& orbits) {
  plot::Chart chart{.title = "The last period of the tip, from above",
                    .description = "All exact solvers are on the line of mfb+enum.",
                    .x = {"x", "mm"},
                    .y = {"y", "mm"}};
  for (const Orbit& orbit : orbits) {
    if (orbit.name != "mfb+enum" && orbit.name != "4sides" && orbit.name != "duriez06") continue;
    std::vector<double> x, y;
    for (const Vector3d& p : orbit.period(periods - 1)) x.push_back(1e3 * p.x()), y.push_back(1e3 * p.y());
    chart.add(orbit.name, x, y);
  }
  return chart;
}

plot::Table table_of(const std::vector<Orbit>& orbits) {
  plot::Table table{"The last of ten periods, by local solver.",
                    {{"solver"},
                     {"from mfb+enum [m]", true},
                     {"extent in x [mm]", true},
                     {"in y [mm]", true},
                     {"steps that stick [%]", true},
                     {"worst residual", true},
                     {"change in the last period [mm]", true}},
                    {}};
  for (const Orbit& orbit : orbits)
    table.rows.push_back({orbit.name, fmt::format("{:.1e}", distance(orbit, orbits.front())),
                          fmt::format("{:.1f}", 1e3 * orbit.extent().x()),
                          fmt::format("{:.1f}", 1e3 * orbit.extent().y()), fmt::format("{:.0f}", 100.0 * orbit.stuck),
                          fmt::format("{:.1e}", orbit.residual),
                          fmt::format("{:.2g}", 1e3 * distance(orbit.period(periods - 1), orbit.period(periods - 2)))});
  return table;
}

}  // namespace

Findings figure7(const Context&) {
  Findings out;
  const std::vector<Orbit> orbits = all_orbits();
  const Orbit& reference = orbits.front();
  double apart = 0.0;
  for (const Orbit& orbit : orbits)
    if (orbit.name != "4sides" && orbit.name != "duriez06") apart = std::max(apart, distance(orbit, reference));
  out.claim("mfb, enum, dac, pac, duriez08 and mfb+enum", "share one periodic orbit",
            fmt::format("within {:.1e} m of each other", apart), fmt::format("within {:.0e} m", one_orbit),
            apart < one_orbit);
  const double change = distance(reference.period(periods - 1), reference.period(periods - 2));
  const Vector3d extent = reference.extent();
  out.claim("the orbit is periodic", "closed",
            fmt::format("{:.1f} by {:.1f} mm, {:.2g} mm from one period to the next", 1e3 * extent.x(),
                        1e3 * extent.y(), 1e3 * change),
            "changes by less than 5 % of its size", change < 0.05 * extent.head<2>().maxCoeff());
  for (const Orbit& orbit : orbits)
    if (orbit.name == "4sides" || orbit.name == "duriez06") {
      const double off = distance(orbit, reference);
      out.claim(orbit.name, "another orbit",
                fmt::format("{:.1f} mm off, worst residual {:.2f}", 1e3 * off, orbit.residual),
                fmt::format("more than {:.0f} mm off", 1e3 * another_orbit), off > another_orbit);
    }
  out.charts.push_back(chart_of(orbits));
  out.tables.push_back(table_of(orbits));
  out.notes.push_back("The paper does not give the rod, the ball or the step; docs/experiments/contact.md has ours.");
  return out;
}

}  // namespace tendril::experiments::contact
