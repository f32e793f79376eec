#include "tendril/rods/chain/held_run.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/rods/chain/block.hpp"
#include "tendril/rods/chain/kkt_band.hpp"
#include "tendril/rods/chain/newton_search.hpp"

namespace tendril::chain {
namespace {

constexpr double rigid = 1e-9;      // of its length, that a link between held points may be off
constexpr double near_taut = 1e-9;  // of the length, below which nothing but the straight line is left
constexpr double at_all = 1e-12;    // likewise, for what cannot be
constexpr double on_links = 1e-13;  // |c| / l^2 of links that count as restored
constexpr double settled = 1e-9;    // a residual at which a saddle is seen
constexpr double kick_size = 0.01;  // in mean links
constexpr int most_kicks = 3;

Vector3d of(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
Vec3<double> of(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }

// Straight, every link as much too long as the others.
void place_straight(const Vector3d& a, const Vector3d& b, std::span<const double> l, std::span<Vector3d> x) {
  const double total = std::accumulate(l.begin(), l.end(), 0.0);
  double along = 0.0;
  for (std::size_t i = 0; i < l.size(); ++i) x[i] = a + (along / total) * (b - a), along += l[i];
  x.back() = b;
}

// On the line, the longest one way and all others back.
void place_folded(const Vector3d& a, const Vector3d& b, std::span<const double> l, std::span<Vector3d> x) {
  const double total = std::accumulate(l.begin(), l.end(), 0.0), d = (b - a).norm();
  const auto longest = std::size_t(std::ranges::max_element(l) - l.begin());
  const double share = (2.0 * l[longest] - d - total) / total;
  const Vector3d onward = d > 0.0 ? Vector3d((b - a) / d) : Vector3d::UnitX();
  x[0] = a;
  for (std::size_t i = 0; i < l.size(); ++i) {
    const double by = i == longest ? l[i] * (1.0 - share) : -l[i] * (1.0 + share);
    x[i + 1] = x[i] + by * onward;
  }
  x.back() = b;
}

// Newton's system of a block of one chain as a band: the method kkt, in place of the recursion of Eq. 9.
class BandedSystem {
 public:
  bool eliminate(const Block<double>& b, const Damping<double>& damping) {
    mass_.resize(b.points), free_.resize(b.points), D_.resize(b.links), z_.resize(b.links);
    for (std::size_t i = 0; i < b.points; ++i)
      mass_[i] = (1.0 + damping.heavier) * b.mass[i], free_[i] = b.w[i] > 0.0 ? 1 : 0;
    for (std::size_t i = 0; i < b.links; ++i) D_[i] = damped(b.lam[i], damping), z_[i] = of(b.z[i]);
    limp_.assemble({}, b.points);
    return band_.factorise({mass_, free_, limp_, D_, {}, {}}, z_) && band_.is_definite();
  }
  // As Block::newton_step().
  double newton_step(Block<double>& b) {
    moves_.resize(b.points), multipliers_.assign(b.links, 0.0);
    for (std::size_t i = 0; i < b.points; ++i) moves_[i] = of(b.g[i]);
    band_.solve(moves_, multipliers_);
    double gain = 0.0;
    for (std::size_t i = 0; i < b.points; ++i) b.dx[i] = of(moves_[i]), gain += dot(b.g[i], b.dx[i]);
    return gain;
  }

 private:
  KktBand band_;
  BendingMatrix limp_;
  std::vector<double> mass_, D_, multipliers_;
  std::vector<char> free_;
  std::vector<Vector3d> z_, moves_;
};

// Works on the run as a block of one chain whose tip is held. Keeps its memory from run to run.
class HeldRun {
 public:
  void set(const Chains& chains, const Run& run, const Options& options) {
    options_ = &options, kicks_ = 0, was_damped_ = false;
    memory_.assign(Block<double>::numbers(run.points), 0.0);
    block_ = Block<double>(run.points, memory_.data());
    Block<double>& b = block_;
    b.tip_held = true;
    origin_ = chains.prediction[run.first];
    double lightest = 0.0, heaviest = std::numeric_limits<double>::infinity();
    for (std::uint32_t i = 0; i < run.points; ++i) {
      b.p[i] = of(Vector3d(chains.prediction[run.point(i)] - origin_));
      b.w[i] = chains.inverse_mass[run.point(i)];
      if (b.w[i] > 0.0) lightest = std::max(lightest, b.w[i]), heaviest = std::min(heaviest, b.w[i]);
      if (i + 1 < run.points) b.length[i] = chains.length[run.link(i)];
    }
    b.set_masses();
    uneven_ = lightest / heaviest;
    mean_length_ = std::accumulate(b.length, b.length + b.links, 0.0) / double(b.links);
    trial_.resize(run.points), step_.resize(b.links), kept_.resize(run.points);
  }

  std::span<const double> lengths() const { return {block_.length, block_.links}; }
  Vector3d tip() const { return of(block_.p[block_.links]); }

  Outcome solve(std::span<const Vector3d> start) {
    std::ranges::copy(start, trial_.begin());
    for (Vector3d& x : trial_) x -= origin_;
    trial_.front().setZero(), trial_.back() = tip();
    bool is_there = restore(trial_);
    if (!is_there) {
      place_on_arc(Vector3d::Zero(), tip(), lengths(), middle(), trial_);
      is_there = restore(trial_);
    }
    take_trial();
    return is_there ? iterate() : Outcome{Status::stalled, 0, std::numeric_limits<double>::infinity(), false};
  }

  Vector3d point(std::size_t i) const { return origin_ + of(block_.x[i]); }
  double multiplier(std::size_t i) const { return block_.lam[i]; }

 private:
  Vector3d middle() const {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = 0; i < block_.points; ++i) sum += of(block_.p[i]);
    return sum / double(block_.points);
  }

  double objective(std::span<const Vector3d> x) const {
    double twice = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i) twice += block_.mass[i] * (of(block_.p[i]) - x[i]).squaredNorm();
    return 0.5 * twice;
  }

  // The largest |c| / l^2.
  double violation(std::span<const Vector3d> x) const {
    double worst = 0.0;
    for (std::size_t i = 0; i < block_.links; ++i) {
      const double off = std::abs(gap(x, i)) / (block_.length[i] * block_.length[i]);
      if (!(off <= worst)) worst = off;  // also if it is not a number
    }
    return worst;
  }
  double gap(std::span<const Vector3d> x, std::size_t i) const {
    const double size = (x[i] - x[i + 1]).norm(), l = block_.length[i];
    return 0.5 * (size - l) * (size + l);
  }

  // Damped fast projection (Eq. 14): moves points until all links have their lengths.
  bool restore(std::vector<Vector3d>& x) {
    constexpr int most = 60;
    double worst = violation(x);
    for (int k = 0; k < most && !(worst < on_links); ++k) {
      if (!std::isfinite(worst) || !find_correction(x)) return false;
      double alpha = 1.0, reached = 0.0;
      for (;; alpha *= 0.5) {
        for (std::size_t i = 0; i < x.size(); ++i) {
          const Vector3d after = i < block_.links ? step_[i] : Vector3d::Zero();
          const Vector3d before = i > 0 ? step_[i - 1] : Vector3d::Zero();
          kept_[i] = x[i] - alpha * block_.w[i] * (after - before);
        }
        reached = violation(kept_);
        if (reached <= (1.0 - 0.2 * alpha) * worst || reached < on_links) break;
        if (alpha < 1e-4) return worst < 1e2 * on_links;  // as far as round-off lets it
      }
      std::swap(x, kept_), worst = reached;
    }
    return worst < 1e2 * on_links;
  }

  // step_ := Qᵀ (Q S Qᵀ)^-1 c
  bool find_correction(std::span<const Vector3d> x) {
    Block<double>& b = block_;
    double pivot_inverse = 0.0, beside = 0.0, ratio = 0.0, last = 0.0;
    for (std::size_t i = 0; i < b.links; ++i) {
      const Vector3d z = x[i] - x[i + 1];
      const double pivot = (b.w[i] + b.w[i + 1]) * z.squaredNorm() - beside * beside * pivot_inverse;
      if (!(pivot > 0.0)) return false;
      last = gap(x, i) - ratio * last;
      pivot_inverse = 1.0 / pivot;
      beside = i + 1 < b.links ? -b.w[i + 1] * z.dot(x[i + 1] - x[i + 2]) : 0.0;
      ratio = beside * pivot_inverse;
      b.right[i] = last * pivot_inverse, b.ratio[i] = ratio;
    }
    double lam = 0.0;
    for (std::size_t i = b.links; i-- > 0;) {
      lam = b.right[i] - b.ratio[i] * lam;
      step_[i] = lam * (x[i] - x[i + 1]);
    }
    return true;
  }

  void take_trial() {
    for (std::size_t i = 0; i < block_.points; ++i) {
      block_.x[i] = of(trial_[i]);
      if (i > 0) block_.z[i - 1] = of(Vector3d(trial_[i - 1] - trial_[i]));
    }
    value_ = objective(trial_);
  }

  double measure() {
    block_.multipliers();
    if (uneven_ > 1e3) block_.refine(true);
    const auto& sizes = block_.sizes;
    const double relative = sizes.sum / (std::sqrt(block_.total_mass) * mean_length_);
    return uneven_ > 100.0 ? std::max(relative, sizes.largest / mean_length_) : relative;
  }

  Outcome iterate() {
    double last = std::numeric_limits<double>::infinity();
    double slow = 0.0;
    for (int k = 0;; ++k) {
      const double residual = measure();
      const auto end = [&](Status status) {
        return Outcome{status, k, residual, is_stationary(status, residual, *options_) && block_.is_convex()};
      };
      if (!std::isfinite(residual)) return end(Status::stalled);
      if (residual <= std::max(options_->tolerance, settled) && kicks_ < most_kicks && is_saddle()) {
        if (!kick()) return end(Status::stalled);
        continue;
      }
      if (residual <= options_->tolerance) return end(Status::ok);
      if (residual < 1e-7) slow += slowness<double>(residual, last, was_damped_);
      if (slow >= too_slow) return end(Status::round_off);
      if (k >= iteration_limit(*options_)) return end(Status::not_converged);
      if (!step()) return end(residual < 1e-7 ? Status::round_off : Status::stalled);
      last = residual;
    }
  }

  bool is_saddle() { return !block_.is_convex() && !eliminate({}); }

  bool by_band() const { return options_->method == Method::kkt; }
  bool eliminate(const Damping<double>& damping) {
    return by_band() ? banded_.eliminate(block_, damping) : block_.eliminate(damping);
  }
  double newton_step(const Damping<double>& damping) {
    return by_band() ? banded_.newton_step(block_) : block_.newton_step(damping);
  }

  // Out of a saddle: every point moved a little, in directions that are the same in every run.
  bool kick() {
    ++kicks_;
    Random random(7, std::uint64_t(kicks_));
    for (std::size_t i = 0; i < block_.points; ++i) {
      trial_[i] = of(block_.x[i]);
      if (i == 0 || i + 1 == block_.points) continue;
      for (double& x : trial_[i]) x += kick_size * mean_length_ * random.uniform(-1.0, 1.0);
    }
    if (!restore(trial_)) return false;
    take_trial();
    return true;
  }

  bool step() {
    const NewtonTask<double> task{true, false, value_, Precision<double>::noise};
    const auto factorise = [&](const Damping<double>& damping) { return eliminate(damping); };
    const auto solve = [&](const Damping<double>& damping) { return newton_step(damping); };
    const NewtonStep<double> newton =
        find_newton_step(task, factorise, solve, [&](double alpha) { return try_step(alpha); });
    was_damped_ = newton.is_damped;
    if (newton.stalled || !std::isfinite(newton.value)) return false;
    take_trial();
    return true;
  }
  // trial_ := x + alpha dx with its lengths. Returns the objective, infinite if it has none.
  double try_step(double alpha) {
    for (std::size_t i = 0; i < block_.points; ++i) trial_[i] = of(block_.x[i]) + alpha * of(block_.dx[i]);
    return restore(trial_) ? objective(trial_) : std::numeric_limits<double>::infinity();
  }

  const Options* options_ = nullptr;
  std::vector<double> memory_ = std::vector<double>(Block<double>::numbers(2));
  Block<double> block_{2, memory_.data()};
  BandedSystem banded_;  // of the method kkt
  Vector3d origin_ = Vector3d::Zero();
  double uneven_ = 1.0, mean_length_ = 0.0, value_ = 0.0;
  bool was_damped_ = false;  // by the last step
  int kicks_ = 0;
  std::vector<Vector3d> trial_, kept_, step_;
};

}  // namespace

Status reach(double d, std::span<const double> l) {
  const double total = std::accumulate(l.begin(), l.end(), 0.0), longest = std::ranges::max(l);
  if (l.size() == 1) return std::abs(d - l[0]) > rigid * l[0] ? Status::rigid_mismatch : Status::ok;
  if (d > total * (1.0 + at_all)) return Status::overstretched;
  if (d > total * (1.0 - near_taut)) return Status::taut;
  const double others = d + (total - longest);
  if (longest > others * (1.0 + at_all)) return Status::too_long_link;
  return longest > others * (1.0 - near_taut) ? Status::taut : Status::ok;
}

Status reach_at_most(double d, std::span<const double> l) {
  const double total = std::accumulate(l.begin(), l.end(), 0.0);
  if (l.size() == 1) return d > l[0] * (1.0 + rigid) ? Status::rigid_mismatch : Status::ok;
  if (d > total * (1.0 + at_all)) return Status::overstretched;
  return d > total * (1.0 - near_taut) ? Status::taut : Status::ok;
}

// A polygon with the links as chords: link i subtends 2 asin(l k / 2) at curvature k (Eq. 15).
void place_on_arc(const Vector3d& a, const Vector3d& b, std::span<const double> l, const Vector3d& towards,
                  std::span<Vector3d> x) {
  const Vector3d chord = b - a;
  const double d = chord.norm();
  const auto longest = std::size_t(std::ranges::max_element(l) - l.begin());
  const double most = 2.0 / l[longest];
  const auto half = [&](std::size_t i, double k) { return std::asin(std::min(1.0, 0.5 * l[i] * k)); };
  const auto half_turn = [&](double k) {
    double sum = 0.0;
    for (std::size_t i = 0; i < l.size(); ++i) sum += half(i, k);
    return sum;
  };
  // s(k) grows from 0, sin s(k) - d k / 2 falls from positive to negative; if it does not within the largest curvature,
  // the longest link spans more than half of the circle.
  const auto open = [&](double k) {
    const double s = half_turn(k);
    return s < std::numbers::pi ? std::sin(s) - 0.5 * d * k : -1.0;
  };
  const bool beyond = half_turn(most) < std::numbers::pi && open(most) > 0.0;
  const auto closing = [&](double k) {
    return std::sin(half_turn(k) - 2.0 * half(longest, k) + std::numbers::pi) - 0.5 * d * k;
  };
  double low = 0.0, high = most;
  if (!beyond) {
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (open(middle) > 0.0 ? low : high) = middle;
    }
  } else {
    for (int i = 0; i < 200; ++i) {
      const double middle = 0.5 * (low + high);
      (closing(middle) > 0.0 ? high : low) = middle;
    }
  }
  const double k = 0.5 * (low + high);
  const Vector3d along = d > 0.0 ? Vector3d(chord / d) : Vector3d::UnitX();
  Vector3d across = towards - 0.5 * (a + b);
  across -= across.dot(along) * along;
  if (!(across.norm() > 1e-9 * (d + l[0]))) across = along.unitOrthogonal();
  across.normalize();
  // The first link leaves at the angle of half of the whole turn from the chord, less its own half.
  double whole = half_turn(k);
  if (beyond) whole += std::numbers::pi - 2.0 * half(longest, k);
  double heading = whole;
  x[0] = a;
  for (std::size_t i = 0; i < l.size(); ++i) {
    const double own = beyond && i == longest ? std::numbers::pi - half(i, k) : half(i, k);
    heading -= own;
    x[i + 1] = x[i] + l[i] * (std::cos(heading) * along + std::sin(heading) * across);
    heading -= own;
  }
  x.back() = b;
}

Outcome project_between(const Chains& chains, const Run& run, const Options& options, std::span<Vector3d> positions,
                        std::span<double> multipliers) {
  const Vector3d a = chains.prediction[run.first], b = chains.prediction[run.point(run.points - 1)];
  const auto l = chains.length.subspan(run.link(0), run.points - 1);
  const auto x = positions.subspan(run.first, run.points);
  const Status can = reach((b - a).norm(), l);
  if (can != Status::ok || run.points == 2) {
    const bool is_straight = (b - a).norm() > std::accumulate(l.begin(), l.end(), 0.0) * (1.0 - near_taut);
    if (can == Status::overstretched || (can == Status::taut && is_straight)) place_straight(a, b, l, x);
    if (can == Status::too_long_link || (can == Status::taut && !is_straight)) place_folded(a, b, l, x);
    const bool solved = can == Status::ok;
    return {can, 0, solved ? 0.0 : std::numeric_limits<double>::quiet_NaN(), solved};
  }
  thread_local HeldRun held;
  held.set(chains, run, options);
  const auto from = (chains.start.empty() ? chains.prediction : chains.start).subspan(run.first, run.points);
  const Outcome outcome = held.solve(from);
  for (std::uint32_t i = 1; i + 1 < run.points; ++i) x[i] = held.point(i);
  for (std::uint32_t i = 0; i + 1 < run.points; ++i) multipliers[run.link(i)] = held.multiplier(i);
  return outcome;
}

}  // namespace tendril::chain
