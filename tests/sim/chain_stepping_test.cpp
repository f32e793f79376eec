// Time steps of chains as scenes take them, one by one and in lanes: reference runs, small oscillations, rest, momenta,
// held points and loads (docs/theory/chain.md, "Time stepping").
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "support/chains.hpp"
#include "tendril/rods/der/strands.hpp"
#include "tendril/sim/models/strand_model.hpp"
#include "tendril/sim/validation/hanging.hpp"

namespace tendril::testing {
namespace {

using nlohmann::json;

enum class Integrator : std::uint8_t { euler, bdf2, shake };
constexpr Integrator all[] = {Integrator::euler, Integrator::bdf2, Integrator::shake};

// With a limit of iterations a chain goes by itself; without, in lanes if it can. Both as far as round-off lets them.
enum class Path : std::uint8_t { alone, lanes };

// A limp chain, how it moves, and how the last step went. Points of no inverse mass are held.
class Motion {
 public:
  std::vector<Vector3d> x, v;                    // [m], [m/s]
  std::vector<Vector3d> held;                    // where held points end; empty: they stay
  std::vector<Vector3d> forces;                  // [N]; empty: none
  Vector3d gravity = Vector3d(0.0, 0.0, -9.81);  // [m/s²]
  der::StepReport found;
  double worst_length = 0.0;

  // Takes the lengths of x unless there are some.
  Motion(std::vector<Vector3d> points, std::vector<double> w, double dt, Integrator integrator,
         std::vector<double> lengths = {}, Path path = Path::alone)
      : x(std::move(points)),
        w_(std::move(w)),
        lengths_(std::move(lengths)),
        dt_(dt),
        integrator_(integrator),
        path_(path) {
    v.assign(x.size(), Vector3d::Zero());
    for (std::size_t i = 0; lengths_.size() + 1 < x.size(); ++i) lengths_.push_back((x[i + 1] - x[i]).norm());
  }

  void step() {
    if (!strands_) build();
    const der::StepOptions options = step_options();
    if (v != reached_) static_cast<void>(der::set_velocities(*strands_, v, state_));  // BDF2 then begins anew
    strands_->drive(drive(), state_, targets_);
    const PartState from = state_;
    found = step_->take({*strands_, targets_, roots_, options, {}, scratch_}, state_, trial_);
    if (found.outcome == Outcome::failed) return;
    der::commit(trial_, dt_, integrator_ == Integrator::bdf2, state_);
    state_.own.swap(trial_.own);
    der::gather_positions(*strands_, state_, x), der::gather_velocities(*strands_, state_, v);
    reached_ = v;
    tensions_ = model_->tensions(*strands_, options, from, state_, {});
    for (std::size_t i = 0; i + 1 < x.size(); ++i)
      worst_length = std::max(worst_length, std::abs((x[i + 1] - x[i]).norm() / lengths_[i] - 1.0));
  }
  void run(int steps) {
    for (int k = 0; k < steps; ++k) {
      step();
      EXPECT_EQ(found.outcome, Outcome::converged);
    }
  }
  double mass(std::size_t i) const { return w_[i] > 0.0 ? 1.0 / w_[i] : 1.0; }
  double link_tension(std::size_t i) const { return tensions_[i]; }
  std::vector<StrandTrouble> troubles() const { return step_->troubles(); }

 private:
  void build() {
    const Curves curves{x, {0, x.size()}};
    der::Clamps clamps;
    clamps.root = w_.front() == 0.0 ? der::Clamp::point : der::Clamp::free;
    clamps.tip = w_.back() == 0.0 ? der::Clamp::point : der::Clamp::free;
    der::Description description = der::describe(curves, {}, clamps);
    description.reference_length = lengths_, description.reference_length.push_back(0.0);
    std::vector<der::Hold> holds;
    for (std::size_t i = 0; i < x.size(); ++i) {
      description.mass.push_back(mass(i));
      if (w_[i] == 0.0 && i > 0 && i + 1 < x.size()) holds.push_back({0, int(i)}), held_.push_back(i);
    }
    Result<der::Strands> made = der::Strands::create(std::move(description), holds);
    ASSERT_TRUE(made) << made.error().message();
    strands_ = std::move(made.value());
    StrandSet set;
    set.model = StrandModelKind::chain, set.links.bending = 0.0;
    if (integrator_ == Integrator::shake) set.links.method = chain::Method::shake;
    if (path_ == Path::alone) set.links.max_iterations = 1000;
    set.links.tolerance = integrator_ == Integrator::shake ? 1e-13 : 1e-14;
    Result<ModelHandle> model = make_model(set, *strands_);
    ASSERT_TRUE(model) << model.error().message();
    model_ = std::move(model.value());
    for (std::size_t i = 0; i < forces.size(); ++i) {
      const der::Load load{0, int(i), forces[i], 0.0};
      ASSERT_TRUE(w_[i] == 0.0 || (strands_->add_load(load) && model_->add_load(load)));
    }
    step_ = model_->make_step();
    state_ = PartState(strands_->start()), model_->start(*strands_, state_);
    targets_ = strands_->make_targets(), start_ = x;
  }

  der::StepOptions step_options() const {
    der::StepOptions options;
    options.dt = dt_, options.gravity = gravity;
    options.integrator = integrator_ == Integrator::bdf2 ? der::Integrator::bdf2 : der::Integrator::euler;
    return options;
  }
  der::Drive drive() const {
    const auto moved = [&](std::size_t i) {
      return Pose{Eigen::Quaterniond::Identity(), held.empty() ? Vector3d(0, 0, 0) : Vector3d(held[i] - start_[i])};
    };
    der::Drive drive;
    if (w_.front() == 0.0) drive.root = {moved(0)};
    if (w_.back() == 0.0) drive.tip = {moved(x.size() - 1)};
    for (const std::size_t i : held_) drive.holds.push_back(moved(i));
    return drive;
  }

  std::vector<double> w_, lengths_, tensions_;
  double dt_;
  Integrator integrator_;
  Path path_;
  std::vector<std::size_t> held_;
  std::vector<Vector3d> start_, reached_;  // places at the start, velocities after the last step
  std::vector<Pose> roots_ = {Pose{}};
  std::optional<der::Strands> strands_;
  ModelHandle model_;
  std::shared_ptr<ModelStep> step_;
  PartState state_, trial_;
  der::Targets targets_;
  der::StepWorkspace scratch_;
};

TEST(ChainStepping, FollowsTheReferenceRuns) {
  int runs = 0;
  const json data = chain_reference("dynamics");
  constexpr double tolerance = 1e-8;
  for (const Path path : {Path::alone, Path::lanes})
    for (const json& from : data["runs"]) {
      const auto start = [&](Integrator integrator) {
        Motion motion(vectors(from["x0"]), from["w"], from["h"], integrator, from["l"], path);
        motion.v = vectors(from["v0"]);
        motion.gravity = vectors(json::array({from["acc"]}))[0];
        return motion;
      };
      Motion euler = start(Integrator::euler), bdf2 = start(Integrator::bdf2);
      euler.run(5);
      EXPECT_LT(apart(euler.x, vectors(from["be_x5"])), tolerance);
      euler.run(15), bdf2.run(20);
      EXPECT_LT(apart(euler.x, vectors(from["be_x20"])), tolerance);
      EXPECT_LT(apart(bdf2.x, vectors(from["bdf2_x20"])), tolerance);
      EXPECT_LT(std::max(euler.worst_length, bdf2.worst_length), 1e-12);
      ++runs;
    }
  EXPECT_EQ(runs, 6);
}

// A chain of n equal masses and links, hanging, with sideways displacements u: as they are at rest, turned by u.
std::vector<Vector3d> hanging(const Eigen::VectorXd& u, double length) {
  std::vector<Vector3d> x = {Vector3d::Zero()};
  const double l = length / double(u.size());
  for (Eigen::Index i = 0; i < u.size(); ++i) {
    const double side = u[i] - (i == 0 ? 0.0 : u[i - 1]);
    x.push_back({u[i], 0.0, x.back().z() - std::sqrt(l * l - side * side)});
  }
  return x;
}

TEST(ChainStepping, SmallModesTurnAndShrinkAsOfBackwardEuler) {
  const json data = chain_reference("statics_modes");
  double worst = 0.0;
  for (const json& from : data["hanging_chain"]) {
    const int n = from["n"];
    const double length = from["L"], g = from["g"], h = 0.01, amplitude = 1e-6;
    const double l = length / n;
    Eigen::MatrixXd stiffness = Eigen::MatrixXd::Zero(n, n);  // over the mass
    for (int i = 0; i < n; ++i) {
      const double pull = g * (n - i) / l;
      stiffness(i, i) += pull;
      if (i > 0) stiffness(i - 1, i - 1) += pull, stiffness(i - 1, i) -= pull, stiffness(i, i - 1) -= pull;
    }
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> modes(stiffness);
    for (int mode = 0; mode < std::min(n, 3); ++mode) {
      const double omega = from["omega"][std::size_t(mode)];
      EXPECT_NEAR(std::sqrt(modes.eigenvalues()[mode]), omega, 1e-11 * omega);
      const Eigen::VectorXd shape = modes.eigenvectors().col(mode).normalized();
      const Eigen::VectorXd u = shape * (amplitude / shape.cwiseAbs().maxCoeff());
      std::vector<double> w(std::size_t(n) + 1, 1.0);
      w[0] = 0.0;
      Motion motion(hanging(u, length), w, h, Integrator::euler, std::vector<double>(std::size_t(n), l));
      motion.gravity = Vector3d(0.0, 0.0, -g);
      const std::complex<double> r = std::complex<double>(1.0, h * omega) / (1.0 + h * h * omega * omega);
      for (int k = 1; k <= 100; ++k) {
        motion.run(1);
        const double share = std::pow(r, k).real();
        for (int i = 0; i < n; ++i)
          worst = std::max(worst, std::abs(motion.x[std::size_t(i) + 1].x() - share * u[i]) / amplitude);
      }
    }
  }
  EXPECT_LT(worst, 1e-8);
}

// B8-hanging-chain holds chains to these, to second order in their links.
TEST(ChainStepping, IsHeldToTheContinuumOfTheReference) {
  const json from = chain_reference("statics_modes")["continuum"];
  const std::vector<double> omega = from["omega"];
  ASSERT_EQ(omega.size(), 4u);
  for (int k = 1; k <= 4; ++k)
    EXPECT_NEAR(0.5 * validation::zero_of_bessel(k) * std::sqrt(from["g"].get<double>() / from["L"].get<double>()),
                omega[std::size_t(k - 1)], 1e-10 * omega[std::size_t(k - 1)]);
}

std::vector<double> held_at_both_ends(const json& masses) {
  std::vector<double> w;
  for (const json& m : masses) w.push_back(1.0 / m.get<double>());
  w.front() = w.back() = 0.0;
  return w;
}

TEST(ChainStepping, CatenariesStayWithTheirTensions) {
  const json data = chain_reference("statics_modes");
  for (const json& from : data["catenary"])
    for (const Integrator integrator : all) {
      double worst = 0.0, drift = 0.0;
      const std::vector<Vector3d> rest = vectors(from["x"]);
      Motion motion(rest, held_at_both_ends(from["m"]), 0.01, integrator, from["l"]);
      motion.gravity = Vector3d(0.0, 0.0, -from["g"].get<double>());
      for (int k = 0; k < 10; ++k) {
        motion.run(1);
        for (std::size_t i = 0; i < from["tension"].size(); ++i)
          worst = std::max(worst, std::abs(motion.link_tension(i) / from["tension"][i].get<double>() - 1.0));
        drift = std::max(drift, apart(motion.x, rest));
      }
      EXPECT_LT(worst, 1e-9);
      EXPECT_LT(drift, 1e-12);
    }
}

TEST(ChainStepping, InvertedArcsFallToTheCatenary) {
  const json data = chain_reference("statics_modes");
  for (const json& from : data["catenary"]) {
    const std::vector<Vector3d> rest = vectors(from["x"]);
    const Vector3d along = (rest.back() - rest.front()).normalized();
    std::vector<Vector3d> arc = rest;  // turned over its ends, nearly to the top
    const Eigen::AngleAxisd turn(3.0, along);
    for (Vector3d& x : arc) x = rest.front() + turn * (x - rest.front());
    arc.back() = rest.back();
    Motion motion(arc, held_at_both_ends(from["m"]), 0.05, Integrator::euler, from["l"]);
    motion.gravity = Vector3d(0.0, 0.0, -from["g"].get<double>());
    int steps = 0;
    for (; steps < 400 && (steps == 0 || apart(motion.x, rest) > 1e-11); ++steps) {
      motion.run(1);
      for (Vector3d& v : motion.v) v *= 0.8;
    }
    EXPECT_LT(apart(motion.x, rest), 1e-11);
    EXPECT_LT(motion.worst_length, 1e-12);
    EXPECT_LT(steps, 400);
  }
}

TEST(ChainStepping, DumbbellsSlowDownAsTheirMapSays) {
  double worst = 0.0;
  for (const double first : {0.01, 0.1, 0.5, 1.0, 2.0}) {
    const double length = 0.3, h = 0.01;
    const std::vector<double> w = {1.0, 0.25};
    const auto at = [&](double angle) {
      const Vector3d direction(std::cos(angle), std::sin(angle), 0.0);
      return std::vector<Vector3d>{0.8 * length * direction, -0.2 * length * direction};
    };
    Motion motion(at(0.0), w, h, Integrator::euler, {length});
    motion.gravity.setZero();
    for (std::size_t i = 0; i < 2; ++i) motion.v[i] = (at(0.0)[i] - at(-first)[i]) / h;
    double angle = 0.0, turn = first;
    for (int k = 0; k < 20; ++k) {
      motion.run(1);
      turn = std::atan2(std::sin(turn), 2.0 - std::cos(turn)), angle += turn;
      worst = std::max(worst, apart(motion.x, at(angle)));
    }
  }
  EXPECT_LT(worst, 1e-8);
}

struct Momenta {
  Vector3d linear = Vector3d::Zero(), angular = Vector3d::Zero();
  double sizes = 0.0, energy = 0.0;  // the first: of the linear momenta of points

  explicit Momenta(const Motion& motion) {
    for (std::size_t i = 0; i < motion.x.size(); ++i) {
      const Vector3d &x = motion.x[i], &v = motion.v[i];
      linear += motion.mass(i) * v, angular += motion.mass(i) * x.cross(v);
      sizes += motion.mass(i) * v.norm();
      energy += 0.5 * motion.mass(i) * v.squaredNorm();
    }
  }
};

// A bent chain of 20 that tumbles freely.
Motion tumbling(double h, Integrator integrator) {
  std::vector<Vector3d> x = {Vector3d::Zero()};
  std::vector<double> w;
  for (int i = 0; i < 20; ++i) {
    w.push_back(1.0 / (0.01 + 0.0005 * i));
    const double s = 0.1 * i;
    if (i < 19) x.push_back(x.back() + 0.05 * Vector3d(std::cos(s), std::sin(s), 0.3 * std::sin(2.0 * s)).normalized());
  }
  Motion motion(x, w, h, integrator);
  motion.gravity.setZero();
  Vector3d centre = Vector3d::Zero();
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) centre += motion.mass(i) * x[i], sum += motion.mass(i);
  centre /= sum;
  const Vector3d turning(1.0, -0.5, 2.0), moving(0.2, 0.1, -0.3);
  for (std::size_t i = 0; i < x.size(); ++i) {
    motion.x[i] -= centre;
    motion.v[i] = turning.cross(motion.x[i]) + moving;
  }
  return motion;
}

struct Errors {
  double linear = 0.0, angular = 0.0, energy = 0.0;  // relative; the last ones, of shake the largest
};

Errors tumble(double h, Integrator integrator) {
  Motion motion = tumbling(h, integrator);
  const Momenta before(motion);
  Errors errors;
  const int steps = int(std::lround(1.0 / h));
  for (int k = 1; k <= steps; ++k) {
    motion.run(1);
    const Momenta now(motion);
    errors.linear = std::max(errors.linear, (now.linear - before.linear).norm() / before.sizes);
    if (k < steps && integrator != Integrator::shake) continue;
    errors.angular = std::max(errors.angular, (now.angular - before.angular).norm() / before.angular.norm());
    errors.energy = std::max(errors.energy, std::abs(now.energy / before.energy - 1.0));
  }
  EXPECT_LT(motion.worst_length, 1e-12);
  return errors;
}

TEST(ChainStepping, KeepsMomentaAndEnergyToTheOrderOfTheIntegrator) {
  for (const Integrator integrator : all) {
    const Errors a = tumble(0.01, integrator), b = tumble(0.005, integrator), c = tumble(0.0025, integrator);
    EXPECT_LT(std::max(a.linear, b.linear), 1e-12);
    EXPECT_LT(c.linear, 4e-12);  // round-off of places, over the step
    const auto falls = [](double from, double to, double least, double most) {
      EXPECT_GT(from / to, least);
      EXPECT_LT(from / to, most);
    };
    if (integrator == Integrator::euler) {
      falls(b.angular, c.angular, 1.6, 2.4), falls(b.energy, c.energy, 1.6, 2.4);
      falls(a.angular, b.angular, 1.5, 2.5), falls(a.energy, b.energy, 1.5, 2.5);
    } else if (integrator == Integrator::bdf2) {
      falls(b.angular, c.angular, 3.4, 6.0), falls(b.energy, c.energy, 3.4, 6.0);
      falls(a.angular, b.angular, 3.4, 6.0), falls(a.energy, b.energy, 3.4, 6.0);
    } else {
      for (const Errors& one : {a, b, c}) EXPECT_LT(one.angular, 1e-10);
      falls(a.energy, b.energy, 3.8, 4.2), falls(b.energy, c.energy, 3.8, 4.2);
    }
  }
}

TEST(ChainStepping, ShakeIsOfSecondOrderFromHalfAStepBefore) {
  const auto swing = [](double h) {
    Motion motion({Vector3d::Zero(), Vector3d(0.6, 0.0, -0.8)}, {0.0, 1.0}, h, Integrator::shake, {1.0});
    motion.v[1] = Vector3d(0.0, 0.3, 0.0) - 0.5 * h * motion.gravity;
    motion.run(int(std::lround(1.0 / h)));
    return motion.x[1];
  };
  const Vector3d exact = swing(1.0 / 3200);
  const double coarse = (swing(0.02) - exact).norm(), fine = (swing(0.01) - exact).norm();
  EXPECT_NEAR(coarse / fine, 4.0, 0.1);
}

TEST(ChainStepping, ALoadSwingsAsAPendulumOfTheWholeLength) {
  constexpr std::size_t links = 20;
  const double load = 1e4, length = 1.0;
  const Vector3d direction(0.8, 0.0, -0.6);
  std::vector<Vector3d> x;
  for (std::size_t i = 0; i <= links; ++i) x.push_back(direction * (length * double(i) / links));
  std::vector<double> w(links + 1, 100.0);  // 1e6 times heavier
  w.front() = 0.0, w.back() = 1.0 / load;
  for (const Integrator integrator :
       {Integrator::euler, Integrator::bdf2}) {  // the light points are too stiff for shake
    Motion chain(x, w, 0.01, integrator, std::vector<double>(links, length / links));
    Motion pendulum({x.front(), x.back()}, {0.0, 1.0 / load}, 0.01, integrator, {length});
    double worst = 0.0, pull = 0.0;
    for (int k = 0; k < 100; ++k) {
      chain.run(1), pendulum.run(1);
      worst = std::max(worst, (chain.x.back() - pendulum.x.back()).norm());
      pull = std::max(pull, std::abs(chain.link_tension(links - 1) / pendulum.link_tension(0) - 1.0));
    }
    EXPECT_LT(worst, 1e-5);
    EXPECT_LT(pull, 1e-5);
    EXPECT_LT(chain.worst_length, 1e-12);
  }
}

TEST(ChainStepping, HeldPointsMoveExactly) {
  for (const Integrator integrator : all) {
    std::vector<Vector3d> x = {Vector3d(0.1, 0.2, 0.3)};
    for (int i = 0; i < 12; ++i) x.push_back(x.back() + 0.1 * Vector3d(1.0, i % 2 ? 0.7 : -0.7, 0.1 * i).normalized());
    std::vector<double> w(x.size(), 50.0);
    w[0] = w[5] = w[12] = 0.0;
    Motion motion(x, w, 0.005, integrator);
    for (int k = 1; k <= 60; ++k) {
      const double t = 0.005 * k;
      std::vector<Vector3d> held(x.size(), Vector3d::Constant(std::numeric_limits<double>::quiet_NaN()));
      for (const std::size_t i : {0, 5, 12})
        held[i] = x[i] + 0.03 * Vector3d(1.0 - std::cos(7.0 * t), std::sin(5.0 * t), double(i) * 0.1 * t);
      const std::vector<Vector3d> before = motion.x;
      motion.held = held;
      motion.run(1);
      for (const std::size_t i : {0, 5, 12}) {
        EXPECT_EQ(motion.x[i], held[i]);
        if (integrator == Integrator::bdf2) continue;
        EXPECT_EQ(motion.v[i], (held[i] - before[i]) / 0.005);
      }
    }
    EXPECT_LT(motion.worst_length, 1e-12);
  }
}

TEST(ChainStepping, ForcesAreAccelerationsByTheMass) {
  for (const Integrator integrator : all) {
    const std::vector<Vector3d> x = {Vector3d::Zero(), Vector3d(0.06, 0.0, -0.08), Vector3d(0.1, 0.1, -0.1)};
    Motion weight(x, {0.0, 2.0, 5.0}, 0.01, integrator), force = weight;
    std::vector<Vector3d> forces = {Vector3d(7.0, 7.0, 7.0)};
    for (std::size_t i = 1; i < 3; ++i) forces.push_back(weight.mass(i) * weight.gravity);
    force.gravity.setZero(), force.forces = forces;
    weight.run(20), force.run(20);
    EXPECT_LT(apart(weight.x, force.x), 1e-12);
  }
}

TEST(ChainStepping, WhatIsNoNumberFailsAndLeavesTheStateAlone) {
  for (const Integrator integrator : all) {
    const std::vector<Vector3d> start = {Vector3d::Zero(), Vector3d(1.0, 0.0, 0.0), Vector3d(1.0, 1.0, 0.0)};
    Motion motion(start, {0.0, 1.0, 1.0}, 0.01, integrator);
    motion.gravity = Vector3d(0.0, 0.0, std::numeric_limits<double>::infinity());
    motion.step();
    EXPECT_EQ(motion.found.outcome, Outcome::failed);
    EXPECT_EQ(motion.troubles().at(0).status, "bad_input");
    EXPECT_EQ(motion.x, start);
    motion.gravity = Vector3d(0.0, 0.0, -9.81);
    motion.run(1);
    EXPECT_LT(apart(motion.x, start), 0.01);
  }
}

TEST(ChainStepping, OverstretchedChainsFollowTheirEnds) {
  for (const Integrator integrator : {Integrator::euler, Integrator::bdf2}) {
    const std::vector<Vector3d> x = {Vector3d::Zero(), Vector3d(1.0, 0.0, 0.0), Vector3d(1.0, 1.0, 0.0)};
    Motion motion(x, {0.0, 1.0, 0.0}, 0.01, integrator);
    std::vector<Vector3d> held = x;
    held[2] = Vector3d(3.0, 0.0, 0.0), motion.held = held;
    motion.step();
    EXPECT_EQ(motion.found.outcome, Outcome::usable);
    EXPECT_EQ(motion.troubles().at(0).status, "overstretched");
    EXPECT_LT((motion.x[1] - Vector3d(1.5, 0.0, 0.0)).norm(), 1e-14);
    EXPECT_EQ(motion.x[2], held[2]);
    held[2] = x[2], motion.held = held;
    for (int k = 0; k < 5; ++k) motion.step();
    EXPECT_EQ(motion.found.outcome, Outcome::converged);
    for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR((motion.x[i + 1] - motion.x[i]).norm(), 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace tendril::testing
