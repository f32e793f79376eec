#include "tendril/contact/gauss_seidel.hpp"

#include <Eigen/LU>
#include <numeric>

#include "tendril/base/random.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/contact/error_measure.hpp"
#include "tendril/contact/slide.hpp"

namespace tendril::contact {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int sleep_sweeps = 10;
constexpr int stall_sweeps = 50;

// Of one contact, as it does not change while sweeps go over it.
struct Prepared {
  Matrix3d w, inverse;
  SlideFactor sliding;
  double mu, scale;
  Law law;
  bool is_regular;  // the closed form holds
  double alpha = 0.0;
  int asleep = 0;

  Prepared(const Matrix3d& matrix, double friction, double impulse_scale, Law kind)
      : w(matrix), inverse(Matrix3d::Zero()), sliding(matrix), mu(friction), scale(impulse_scale), law(kind) {
    constexpr double least_share = 1e-10;  // of a pivot: beyond that the closed form loses its digits
    const double trace = w.trace();
    is_regular = w(0, 0) > least_share * trace && sliding.determinant > least_share * trace * sliding.trace;
    if (is_regular) inverse = w.inverse();
  }
};

template <class System>
class Sweeps {
 public:
  Sweeps(System& system, const Options& options, double speed, Impulses& r)
      : system_(system), options_(options), speed_(speed), r_(r), scales_(impulse_scales(system)) {
    for (std::size_t i = 0; i < system.size(); ++i) {
      contacts_.emplace_back(system.diagonal(i), system.mu(i), scales_[i], system.law(i));
      report_.immovable += scales_[i] == 0.0;
    }
    order_.resize(system.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    report_.solver = Solver::gauss_seidel;
  }

  Report run() {
    const int most = options_.max_sweeps > 0 ? options_.max_sweeps : 300;
    choose_start();
    double error_then = report_.error;  // at the last look for a stall
    while (report_.outcome != Outcome::converged && report_.sweeps < most) {
      sweep();
      ++report_.sweeps;
      if (report_.sweeps >= 5 && report_.sweeps % 5 != 0 && report_.sweeps < most) continue;
      if (!measure()) return finish(Outcome::not_finite);
      if (report_.sweeps % stall_sweeps != 0) continue;
      if (report_.error > 0.95 * error_then && report_.outcome != Outcome::converged) {
        if (is_shuffled_) return finish(Outcome::stalled);
        shuffle();
      }
      error_then = report_.error;
    }
    return finish(report_.outcome);
  }

 private:
  // The given impulses, or none if those are nearer to the law.
  void choose_start() {
    const Impulses given = r_;
    r_.assign(system_.size(), Vector3d::Zero());
    best_ = r_, report_.error = std::numeric_limits<double>::infinity();
    measure();
    if (given.size() != r_.size()) return;
    const double error = report_.error;
    r_ = given;
    measure();
    if (report_.error < error) return;
    r_ = best_;
    system_.set_impulses(r_);
  }

  Report finish(Outcome outcome) {
    report_.outcome = outcome;
    r_ = best_;
    return report_;
  }

  // Another order, and everybody awake, once: it sometimes helps.
  void shuffle() {
    Random random(1);
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[random.below(i)]);
    for (Prepared& contact : contacts_) contact.asleep = 0;
    is_shuffled_ = true;
  }

  // The error over all contacts, awake or not, from velocities without the round-off of many changes.
  bool measure() {
    system_.set_impulses(r_);
    velocities_.resize(system_.size());
    parallel_for(system_.size(), [&](std::size_t i) { velocities_[i] = system_.velocity(i); });
    const double error = largest_error(system_, scales_, r_, velocities_) / speed_;
    if (options_.observer) options_.observer({report_.sweeps, timer_.seconds(), error});
    if (!std::isfinite(error)) return false;
    if (error < report_.error) report_.error = error, best_ = r_;
    if (report_.error <= options_.tolerance) report_.outcome = Outcome::converged;
    return true;
  }

  void sweep() {
    for (const std::size_t i : order_) {
      Prepared& contact = contacts_[i];
      if (contact.scale == 0.0) continue;
      if (contact.asleep > 0) {
        --contact.asleep;
        continue;
      }
      const Vector3d u = system_.velocity(i);
      if (contact.law == Law::coulomb && u[0] >= 0.0 && r_[i].isZero(0.0)) continue;
      const Vector3d next = solve_contact(contact, u - contact.w * r_[i], r_[i]);
      const Vector3d change = next - r_[i];
      system_.add_impulse(i, change);
      r_[i] = next;
      if (options_.freezing && change.norm() < 1e-2 * options_.tolerance * speed_ * contact.scale)
        contact.asleep = sleep_sweeps;
    }
  }

  Vector3d solve_contact(Prepared& contact, const Vector3d& b, const Vector3d& old) {
    ++report_.local_solves;
    if (contact.law == Law::bilateral) return joint_impulse(contact, b, old);
    if (b[0] >= 0.0) return Vector3d::Zero();
    if (options_.local || !contact.is_regular) return solve_otherwise(contact, b, old);
    if (contact.mu == 0.0) return {-b[0] / contact.w(0, 0), 0.0, 0.0};
    const Vector3d stick = -contact.inverse * b;
    if (contact.mu * stick[0] >= stick.tail<2>().norm()) return stick;
    if (Vector3d r; slide(contact.sliding, b, contact.mu, contact.alpha, r)) return r;
    return solve_otherwise(contact, b, old);
  }

  // u = 0. A proximal shift keeps a singular W from mattering: it vanishes where nothing changes any more.
  static Vector3d joint_impulse(const Prepared& contact, const Vector3d& b, const Vector3d& old) {
    if (contact.is_regular) return -contact.inverse * b;
    const double shift = 1e-9 * contact.w.trace();
    return (contact.w + shift * Matrix3d::Identity()).fullPivLu().solve(shift * old - b);
  }

  Vector3d solve_otherwise(const Prepared& contact, const Vector3d& b, const Vector3d& old) {
    LocalOptions local = options_.local.value_or(LocalOptions{});
    local.tolerance = 1e-3 * options_.tolerance * speed_;
    const LocalReport found = solve_local({contact.w, b, contact.mu}, local, old);
    report_.rescued += found.outcome == LocalOutcome::rescued;
    report_.unsolved += found.outcome == LocalOutcome::unsolved;
    return found.r;
  }

  System& system_;
  const Options& options_;
  const double speed_;
  Impulses& r_;
  const std::vector<double> scales_;
  std::vector<Prepared> contacts_;
  std::vector<std::size_t> order_;
  bool is_shuffled_ = false;
  Impulses best_, velocities_;
  const Timer timer_;
  Report report_;
};

}  // namespace

template <class System>
Report gauss_seidel(System& system, const Options& options, double speed, Impulses& r) {
  return Sweeps<System>(system, options, speed, r).run();
}

template Report gauss_seidel(ExplicitDelassus&, const Options&, double, Impulses&);
template Report gauss_seidel(VelocitySpace&, const Options&, double, Impulses&);

}  // namespace tendril::contact
