// Chains that resist bending, with compliant links, and with links that may go slack (docs/theory/chain.md, "Bending",
// "Any chain"): their conditions of optimality by central differences of the objective, lanes against chains that are
// solved as a whole, and shapes that are known.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>

#include "support/chains.hpp"
#include "tendril/base/random.hpp"
#include "tendril/rods/chain/general_chain.hpp"
#include "tendril/rods/chain/kkt_band.hpp"

namespace tendril::testing {
namespace {

using chain::Projections;
using chain::Status;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// One chain with joints, compliance and slack of its own memory.
struct General {
  ChainCase chain;
  std::vector<double> stiffness, share, compliance;
  std::vector<Vector3d> rest;
  bool slack = false;

  chain::Chains view() const {
    chain::Chains all = chain.view();
    if (!stiffness.empty()) all.joints = {stiffness, share, rest};
    all.compliance = compliance, all.slack = slack;
    return all;
  }
  Projections project(double tolerance = 1e-11, Isa isa = active_isa()) const {
    chain::Options options;
    options.tolerance = tolerance, options.isa = isa;
    Projections found;
    chain::Projector().project(view(), options, found);
    return found;
  }
  std::size_t points() const { return chain.prediction.size(); }

  // Of x alone: links that are compliant count with their energy.
  double objective(std::span<const Vector3d> x) const {
    double twice = 0.0;
    for (std::size_t i = 0; i < points(); ++i)
      if (chain.inverse_mass[i] > 0.0) twice += (x[i] - chain.prediction[i]).squaredNorm() / chain.inverse_mass[i];
    for (std::size_t i = 0; i + 1 < points() && !stiffness.empty(); ++i) {
      Vector3d off = share[i] * (x[i + 1] - x[i]) - rest[i];
      if (i > 0) off -= share[i - 1] * (x[i] - x[i - 1]);
      twice += stiffness[i] * off.squaredNorm();
    }
    return 0.5 * twice;
  }
  double gap(std::span<const Vector3d> x, std::size_t i) const {
    return 0.5 * ((x[i] - x[i + 1]).squaredNorm() - chain.length[i] * chain.length[i]);
  }

  // Largest |d/dx (objective + sum lam c)| over free points, by central differences, relative to its largest term.
  double stationarity(const Projections& found) const {
    std::vector<Vector3d> x = found.positions;
    const auto lagrangian = [&] {
      double sum = objective(x);
      for (std::size_t i = 0; i + 1 < points(); ++i) sum += found.multipliers[i] * gap(x, i);
      return sum;
    };
    double worst = 0.0, largest = 0.0;
    for (std::size_t i = 0; i < points(); ++i) {
      if (chain.inverse_mass[i] == 0.0) continue;
      largest = std::max(largest, (x[i] - chain.prediction[i]).norm() / chain.inverse_mass[i]);
      for (double& number : x[i]) {
        const double kept = number;
        constexpr double h = 1e-5;
        number = kept + h;
        const double above = lagrangian();
        number = kept - h;
        worst = std::max(worst, std::abs(above - lagrangian()) / (2.0 * h));
        number = kept;
      }
    }
    return worst / std::max(largest, 1e-12);
  }
};

// A random chain with noise, joints of a stiffness about some rest, and points held.
General bent_chain(std::uint64_t seed, std::size_t points, double stiffness, std::vector<std::size_t> held = {0}) {
  General out{noisy_chain(seed, points, 0.2), {}, {}, {}, {}, false};
  Random random(seed, 3);
  std::ranges::fill(out.chain.inverse_mass, 1.0);
  for (const std::size_t i : held) {
    out.chain.inverse_mass[i] = 0.0;
    out.chain.prediction[i] = out.chain.start[i];
  }
  for (std::size_t i = 0; i < points; ++i) {
    out.stiffness.push_back(i == 0 || i + 1 == points ? 0.0 : stiffness * random.uniform(0.5, 1.5));
    out.rest.emplace_back(0.1 * random.normal(), 0.1 * random.normal(), 0.1 * random.normal());
    if (i + 1 < points) out.share.push_back(random.uniform(0.8, 1.2));
  }
  return out;
}

TEST(BentChain, IsStationaryForEveryStiffness) {
  for (const double stiffness : {0.01, 1.0, 100.0, 1e4})
    for (const std::vector<std::size_t>& held : {std::vector<std::size_t>{0}, {0, 1}, {}, {0, 12}, {0, 29}, {5}})
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        const General bent = bent_chain(seed, 30, stiffness, held);
        const Projections found = bent.project(stiffness > 1e3 ? 1e-9 : 1e-11);  // above what rounding leaves
        SCOPED_TRACE(::testing::Message() << "stiffness " << stiffness << " held " << held.size() << " seed " << seed
                                          << " status " << name(found.chains[0].status) << " iterations "
                                          << found.chains[0].iterations << " residual " << found.chains[0].residual);
        EXPECT_EQ(found.chains[0].status, Status::ok);
        EXPECT_LE(found.chains[0].iterations, stiffness > 1e3 ? 60 : 15);
        EXPECT_LT(violation(bent.chain, found.positions), 1e-12);
        EXPECT_LT(bent.stationarity(found), 1e-6 * (1.0 + stiffness));
      }
}

// Lanes hold chains whose first points alone are held; the other road takes any.
TEST(BentChain, LanesAgreeWithTheChainAsAWhole) {
  for (const Isa isa : {Isa::reference, Isa::v2, Isa::avx2, Isa::avx512})
    for (const std::vector<std::size_t>& held : {std::vector<std::size_t>{0}, {0, 1}, {}})
      for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        if (!machine_has(isa)) continue;
        const General bent = bent_chain(seed, 5 + 7 * seed, 3.0, held);
        const Projections lanes = bent.project(1e-11, isa);
        chain::Options options;
        options.tolerance = 1e-11;
        Projections whole{bent.chain.start, std::vector<double>(bent.points() - 1), {}};
        const chain::Outcome outcome = project_general(bent.view(), 0, options, whole.positions, whole.multipliers);
        EXPECT_EQ(outcome.status, Status::ok);
        EXPECT_EQ(outcome.certified, lanes.chains[0].certified);
        for (std::size_t i = 0; i < bent.points(); ++i)
          EXPECT_LT((whole.positions[i] - lanes.positions[i]).norm(), 1e-9);
        for (std::size_t i = 0; i + 1 < bent.points(); ++i)
          EXPECT_NEAR(whole.multipliers[i], lanes.multipliers[i], 1e-9 * (1.0 + std::abs(whole.multipliers[i])));
      }
}

// The result of a chain does not depend on what lies beside it.
TEST(BentChain, HasTheSameBitsInAnyCompany) {
  General all{{}, {}, {}, {}, {}, false};
  std::vector<Projections> alone;
  for (std::uint64_t seed = 1; seed <= 18; ++seed) {
    General bent = bent_chain(seed, 4 + 3 * (seed % 9), 0.5,
                              seed % 3 == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{0, 1});
    // Pushed together, so that steps are damped beside others that are not.
    if (seed % 2 == 0)
      for (Vector3d& p : bent.chain.prediction) p = 0.6 * p + 0.4 * bent.chain.prediction.front();
    alone.push_back(bent.project());
    all.chain.add(bent.chain);
    all.stiffness.insert(all.stiffness.end(), bent.stiffness.begin(), bent.stiffness.end());
    all.share.insert(all.share.end(), bent.share.begin(), bent.share.end());
    all.rest.insert(all.rest.end(), bent.rest.begin(), bent.rest.end());
  }
  const Projections together = all.project();
  for (std::size_t c = 0; c < alone.size(); ++c)
    for (std::size_t i = 0; i < alone[c].positions.size(); ++i)
      EXPECT_EQ(alone[c].positions[i], together.positions[all.chain.offsets[c] + i]) << c << " " << i;
}

// No joint resists: the plain projection.
TEST(BentChain, WithoutStiffnessIsThePlainChain) {
  General bent = bent_chain(4, 25, 0.0);
  const Projections with = bent.project();
  bent.stiffness.clear();
  const Projections without = bent.project();
  for (std::size_t i = 0; i < bent.points(); ++i) EXPECT_LT((with.positions[i] - without.positions[i]).norm(), 1e-9);
}

// 30 points, noise 0.3, k = 3 m: 6 iterations to 1e-10.
TEST(BentChain, TakesSixIterationsWhereTheReferenceDoes) {
  double sum = 0.0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    General bent{noisy_chain(seed, 30, 0.3), std::vector<double>(30, 3.0), {}, {}, {}, false};
    bent.share.assign(29, 1.0), bent.rest.assign(30, Vector3d::Zero());
    bent.stiffness.front() = bent.stiffness.back() = 0.0;
    const Projections found = bent.project(1e-10);
    EXPECT_EQ(found.chains[0].status, Status::ok);
    sum += found.chains[0].iterations;
  }
  EXPECT_LE(sum / 10.0, 6.5);
}

// A clamped chain under an even load: Euler and Bernoulli's beam, to second order in the links.
TEST(BentChain, HangsAsABeamDoes) {
  std::vector<double> errors;
  for (const std::size_t links : {10, 20, 40}) {
    const double l = 1.0 / double(links), load = 1e-3;  // deflection load / 8 of a beam of length and stiffness 1
    General beam{{}, {}, {}, {}, {}, false};
    for (std::size_t i = 0; i <= links; ++i) {
      const Vector3d x(double(i) * l, 0.0, 0.0);
      const double mass = i == 0 ? 0.0 : i == links ? 0.5 * l : l;
      beam.chain.start.push_back(x), beam.chain.prediction.push_back(i == 0 ? x : x + Vector3d(0.0, load, 0.0));
      beam.chain.inverse_mass.push_back(i == 0 ? 0.0 : 1e12 / mass);  // next to nothing against bending
      beam.stiffness.push_back(i == links ? 0.0 : i == 0 ? 2.0 / l : 1.0 / l);
      beam.rest.push_back(i == 0 ? Vector3d(1.0, 0.0, 0.0) : Vector3d(0.0, 0.0, 0.0));
      if (i == 0) continue;
      beam.chain.length.push_back(l), beam.share.push_back(1.0 / l);
      beam.chain.prediction.back() = x + Vector3d(0.0, load * 1e12, 0.0);  // mass times the way is the load
    }
    beam.chain.offsets.push_back(std::uint32_t(links) + 1);
    const Projections found = beam.project(1e-6);
    errors.push_back(std::abs(found.positions.back().y() / (load / 8.0) - 1.0));
  }
  EXPECT_LT(errors[2], 1e-3);
  EXPECT_NEAR(std::log2(errors[0] / errors[1]), 2.0, 0.2);
  EXPECT_NEAR(std::log2(errors[1] / errors[2]), 2.0, 0.2);
}

TEST(CompliantChain, StretchesByItsComplianceAndIsStationary) {
  for (const double softness : {1e-6, 1e-2, 0.3})
    for (const std::vector<std::size_t>& held : {std::vector<std::size_t>{0}, {0, 1}, {}, {0, 19}})
      for (const double stiffness : {0.0, 2.0})
        for (std::uint64_t seed = 1; seed <= 4; ++seed) {
          General soft = bent_chain(seed, 20, stiffness, held);
          if (stiffness == 0.0) soft.stiffness.clear();
          soft.compliance.assign(19, softness);
          const Projections found = soft.project();
          SCOPED_TRACE(::testing::Message() << softness << " held " << held.size() << " seed " << seed << " status "
                                            << name(found.chains[0].status) << " " << found.chains[0].iterations);
          EXPECT_EQ(found.chains[0].status, Status::ok);
          EXPECT_LT(soft.stationarity(found), 1e-6);
          for (std::size_t i = held.size() == 2 && held[1] == 1 ? 1 : 0; i < 19; ++i)
            EXPECT_NEAR(soft.gap(found.positions, i), softness * found.multipliers[i], 1e-11);
        }
}

// Ends that are farther apart than the links are long: they share the stretch.
TEST(CompliantChain, ReachesFartherThanItIsLong) {
  General rope{{}, {}, {}, std::vector<double>(10, 0.05), {}, false};
  for (int i = 0; i <= 10; ++i) rope.chain.start.emplace_back(i, 0.0, 0.0), rope.chain.inverse_mass.push_back(1.0);
  rope.chain.prediction = rope.chain.start;
  rope.chain.prediction.back().x() = 12.0;
  rope.chain.inverse_mass.front() = rope.chain.inverse_mass.back() = 0.0;
  rope.chain.length.assign(10, 1.0), rope.chain.offsets.push_back(11);
  const Projections found = rope.project();
  EXPECT_EQ(found.chains[0].status, Status::ok);
  EXPECT_LT(rope.stationarity(found), 1e-6);
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_GT(found.multipliers[i], 0.0);
    EXPECT_NEAR(rope.gap(found.positions, i), 0.05 * found.multipliers[i], 1e-11);
  }
}

TEST(SlackChain, PullsAndNeverPushes) {
  int slack_in_all = 0;
  for (const std::vector<std::size_t>& held : {std::vector<std::size_t>{0}, {}, {0, 24}, {0, 10, 24}})
    for (const double stiffness : {0.0, 0.5})
      for (const double softness : {0.0, 1e-3})
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
          General rope = bent_chain(seed, 25, stiffness, held);
          if (stiffness == 0.0) rope.stiffness.clear();
          if (softness > 0.0) rope.compliance.assign(24, softness);
          rope.slack = true;
          const Projections found = rope.project();
          SCOPED_TRACE(::testing::Message() << stiffness << " held " << held.size() << " seed " << seed << " status "
                                            << name(found.chains[0].status) << " " << found.chains[0].iterations);
          EXPECT_EQ(found.chains[0].status, Status::ok);
          EXPECT_TRUE(found.chains[0].certified);
          EXPECT_LE(found.chains[0].iterations, 30);
          EXPECT_LT(rope.stationarity(found), 1e-6);
          int slack = 0;
          for (std::size_t i = 0; i < 24; ++i) {
            const double gap = rope.gap(found.positions, i), lam = found.multipliers[i];
            EXPECT_GE(lam, 0.0);
            EXPECT_LT(gap - softness * lam, 1e-12);
            EXPECT_LT(std::abs(gap - softness * lam) * lam, 1e-12);  // one of them is zero
            if (lam == 0.0) ++slack;
          }
          EXPECT_LT(slack, 24);
          slack_in_all += slack;
        }
  EXPECT_GT(slack_in_all, 100);
}

// A rope that is short of its predicted way falls freely until it is taut.
TEST(SlackChain, FallsFreelyUntilItIsTaut) {
  General rope{dropped_chain(1, 20, 0.0), {}, {}, {}, {}, true};
  for (std::size_t i = 0; i < 20; ++i) rope.chain.prediction[i] = 0.7 * rope.chain.start[i];
  const Projections found = rope.project();
  for (std::size_t i = 0; i < 20; ++i) EXPECT_LT((found.positions[i] - rope.chain.prediction[i]).norm(), 1e-14);
  EXPECT_EQ(found.chains[0].iterations, 0);
}

// Held points nearer than their link is long, and a tail that is free: only links that are too long pull.
TEST(SlackChain, IsSlackWhereHeldPointsAreNear) {
  General rope{{}, {}, {}, {}, {}, true};
  for (int i = 0; i < 8; ++i) rope.chain.start.emplace_back(i < 2 ? 0.5 * i : 0.5 + 0.8 * (i - 1), 0.0, 0.0);
  rope.chain.prediction = rope.chain.start;
  rope.chain.prediction[7].x() += 2.0;
  rope.chain.inverse_mass = {0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
  rope.chain.length.assign(7, 1.0), rope.chain.offsets.push_back(8);
  const Projections found = rope.project();
  EXPECT_EQ(found.chains[0].status, Status::ok);
  EXPECT_TRUE(found.chains[0].certified);
  EXPECT_LT(rope.stationarity(found), 1e-6);
  EXPECT_GT(std::ranges::max(found.multipliers), 0.0);
  EXPECT_GT(std::ranges::count(found.multipliers, 0.0), 2);
  rope.chain.prediction[1].x() = 1.1;  // too far
  EXPECT_EQ(rope.project().chains[0].status, Status::rigid_mismatch);
}

// Links of 2 and 1 between points 1 apart could only lie folded on each other if they kept their lengths.
TEST(SlackChain, IsSlackAtTheLimitOfFolding) {
  for (const double apart : {1.0, 0.4}) {
    General rope{{}, {}, {}, {}, {}, true};
    rope.chain.start = {Vector3d(0.0, 0.0, 0.0), Vector3d(0.3, -0.5, 0.0), Vector3d(apart, 0.0, 0.0)};
    rope.chain.prediction = rope.chain.start;
    rope.chain.inverse_mass = {0.0, 1.0, 0.0}, rope.chain.length = {2.0, 1.0}, rope.chain.offsets.push_back(3);
    const Projections found = rope.project();
    EXPECT_EQ(found.chains[0].status, Status::ok);
    for (std::size_t i = 0; i < 3; ++i)  // nothing pulls
      EXPECT_LT((found.positions[i] - rope.chain.prediction[i]).norm(), 1e-14);
    rope.chain.prediction[1] = Vector3d(0.5, -4.0, 0.0);
    const Projections pulled = rope.project();
    EXPECT_EQ(pulled.chains[0].status, Status::ok);
    EXPECT_LT(rope.stationarity(pulled), 1e-6);
    EXPECT_LT(rope.gap(pulled.positions, 1), 1e-12);
    EXPECT_GT(pulled.multipliers[1], 0.0);
  }
}

// How far points would still go is asked for, and told; links have their lengths for any tolerance.
TEST(SlackChain, GoesAsFarAsItsToleranceAsks) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    General rope = bent_chain(seed, 25, 0.0, {0, 24});
    rope.stiffness.clear(), rope.slack = true;
    const Projections exact = rope.project(1e-12);
    int last = 1000;
    for (const double tolerance : {1e-10, 1e-4, 0.1}) {
      const Projections found = rope.project(tolerance);
      EXPECT_EQ(found.chains[0].status, Status::ok);
      EXPECT_LE(found.chains[0].residual, tolerance);
      EXPECT_LE(found.chains[0].iterations, last);
      last = found.chains[0].iterations;
      double left = 0.0;
      for (std::size_t i = 0; i < 25; ++i) left += (found.positions[i] - exact.positions[i]).squaredNorm();
      EXPECT_LT(std::sqrt(left / 23.0), 2.0 * tolerance);
      for (std::size_t i = 0; i < 24; ++i) EXPECT_LT(rope.gap(found.positions, i), 1e-11);
    }
    EXPECT_LT(last, exact.chains[0].iterations);
  }
}

// Links that cannot be are where they would be by themselves, and all else is what it would be beside held points.
TEST(GeneralChain, BendsBesideARunThatCannotBe) {
  for (const bool is_far : {true, false})
    for (const bool slack : {false, true}) {
      General rope = bent_chain(2, 20, 2.0, {0, 6, 9});
      rope.slack = slack;
      // Between points 6 and 9: farther apart than three links, or nearer than one that is too long.
      rope.chain.prediction[9] = rope.chain.prediction[6] + Vector3d(is_far ? 3.3 : 0.2, 0.0, 0.0);
      if (!is_far) rope.chain.length[7] = 4.0;
      const Projections found = rope.project();
      const bool is_amiss = is_far || !slack;
      EXPECT_EQ(found.chains[0].status, is_far ? Status::overstretched : is_amiss ? Status::too_long_link : Status::ok);
      EXPECT_EQ(std::isnan(found.chains[0].residual), is_amiss);
      EXPECT_EQ(found.chains[0].certified, !is_amiss);
      if (!is_amiss) continue;
      General held = rope;
      for (const std::size_t i : {7, 8})
        held.chain.prediction[i] = found.positions[i], held.chain.inverse_mass[i] = 0.0;
      EXPECT_LT(held.stationarity(found), 1e-6);
      General without = rope;
      without.stiffness.clear();
      const Projections unbent = without.project();
      EXPECT_LT(held.objective(found.positions), 0.99 * held.objective(unbent.positions));
      for (const std::size_t i : {7, 8}) EXPECT_EQ(found.positions[i], unbent.positions[i]);
      for (std::size_t i = 0; i < 19; ++i) {
        const double gap = i < 6 || i > 8 ? rope.gap(found.positions, i) : 0.0;
        EXPECT_LT(slack ? gap : std::abs(gap), 1e-11);
      }
    }
}

// A number is missing of one of its runs: of the whole, too, whichever comes first.
TEST(GeneralChain, HasNoResidualIfAPieceHasNone) {
  ChainCase chain = noisy_chain(3, 12, 0.1);
  for (const std::size_t i : {0, 4, 11}) chain.inverse_mass[i] = 0.0;
  chain.prediction[4] = chain.prediction[0] + Vector3d(10.0, 0.0, 0.0);
  chain.prediction[11] = chain.prediction[4] + Vector3d(0.0, 5.0, 0.0);
  chain::Options options;
  const auto residual = [&] { return project(chain, options).chains[0].residual; };
  EXPECT_TRUE(std::isnan(residual()));
  std::ranges::reverse(chain.prediction), std::ranges::reverse(chain.start), std::ranges::reverse(chain.inverse_mass);
  EXPECT_TRUE(std::isnan(residual()));
}

TEST(GeneralChain, RefusesWhatIsNoNumber) {
  General bent = bent_chain(1, 8, 1.0);
  bent.stiffness[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(bent.project().chains[0].status, Status::bad_input);
  bent = bent_chain(1, 8, 1.0), bent.rest[2].x() = std::numeric_limits<double>::infinity();
  EXPECT_EQ(bent.project().chains[0].status, Status::bad_input);
  bent = bent_chain(1, 8, 1.0), bent.share[2] = -1.0;
  EXPECT_EQ(bent.project().chains[0].status, Status::bad_input);
}

// Any points held, gaps that are not zero, multipliers.
TEST(GeneralChain, SolvesTheReferenceSystems) {
  int solved = 0;
  const nlohmann::json data = chain_reference("kkt");
  for (const nlohmann::json& from : data["systems"]) {
    const std::vector<double> w = from["w"], D = from["D"], mu = from["mu"];
    const std::vector<Vector3d> z = vectors(from["z"]), dx = vectors(from["dx"]);
    std::vector<Vector3d> moves = vectors(from["rx"]);
    std::vector<double> mass, gaps = from["rc"];
    std::vector<char> is_free;
    for (const double one : w) mass.push_back(one > 0.0 ? 1.0 / one : 0.0), is_free.push_back(one > 0.0 ? 1 : 0);
    chain::BendingMatrix unbent;
    unbent.assemble({}, w.size());
    chain::KktBand band;
    ASSERT_TRUE(band.factorise({mass, is_free, unbent, D, {}, {}}, z));
    band.solve(moves, gaps);
    for (std::size_t i = 0; i < w.size(); ++i) EXPECT_LT((moves[i] - dx[i]).norm(), 1e-11 * (1.0 + dx[i].norm()));
    for (std::size_t i = 0; i < mu.size(); ++i) EXPECT_NEAR(gaps[i], mu[i], 1e-11 * (1.0 + std::abs(mu[i])));
    ++solved;
  }
  EXPECT_EQ(solved, 5);
}

// The band against dense algebra, with everything that it can hold.
TEST(GeneralChain, SolvesTheSystemThatIsWritten) {
  Random random(5, 0);
  const std::size_t n = 9;
  std::vector<double> mass(n), D(n - 1), softness(n - 1), stiffness(n), share(n - 1);
  std::vector<char> is_free(n, 1), active(n - 1, 1);
  std::vector<Vector3d> z(n - 1), force(n);
  for (double& m : mass) m = random.uniform(0.5, 2.0);
  for (std::size_t i = 0; i < n; ++i)
    stiffness[i] = random.uniform(0.0, 2.0), force[i] = Vector3d(random.normal(), random.normal(), random.normal());
  for (std::size_t i = 0; i + 1 < n; ++i) {
    D[i] = random.uniform(0.0, 1.0), softness[i] = random.uniform(0.0, 0.3), share[i] = random.uniform(0.5, 2.0);
    z[i] = Vector3d(random.normal(), random.normal(), random.normal());
  }
  is_free[0] = is_free[5] = 0, active[6] = 0;
  chain::BendingMatrix bending;
  bending.assemble({stiffness, share, {}}, n);
  chain::KktBand band;
  ASSERT_TRUE(band.factorise({mass, is_free, bending, D, softness, active}, z));
  EXPECT_TRUE(band.is_definite());
  std::vector<Vector3d> moves = force;
  std::vector<double> gaps(n - 1, 0.25);
  band.solve(moves, gaps);

  MatrixXd joints = MatrixXd::Zero(Index(n), Index(n)), links = MatrixXd::Zero(Index(n), Index(n));
  for (Index i = 0; i < Index(n); ++i) {
    VectorXd row = VectorXd::Zero(Index(n)), difference = row;
    if (i > 0) row[i] -= share[std::size_t(i) - 1], row[i - 1] += share[std::size_t(i) - 1];
    if (i + 1 < Index(n)) {
      row[i] -= share[std::size_t(i)], row[i + 1] += share[std::size_t(i)];
      difference[i] = 1.0, difference[i + 1] = -1.0;
      links += D[std::size_t(i)] * difference * difference.transpose();
    }
    joints += stiffness[std::size_t(i)] * row * row.transpose();
  }
  for (std::size_t i = 0; i < n; ++i) {
    if (is_free[i] == 0) {
      EXPECT_EQ(moves[i], Vector3d::Zero());
      continue;
    }
    Vector3d left = mass[i] * moves[i] - force[i];
    for (std::size_t j = 0; j < n; ++j) left += (joints + links)(Index(i), Index(j)) * moves[j];
    if (i > 0) left -= gaps[i - 1] * z[i - 1];
    if (i + 1 < n) left += gaps[i] * z[i];
    EXPECT_LT(left.norm(), 1e-12);
  }
  for (std::size_t i = 0; i + 1 < n; ++i) {
    if (active[i] == 0)
      EXPECT_EQ(gaps[i], 0.0);
    else
      EXPECT_NEAR(z[i].dot(moves[i] - moves[i + 1]) - softness[i] * gaps[i], 0.25, 1e-12);
  }
}

}  // namespace
}  // namespace tendril::testing
