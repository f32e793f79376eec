#include "tendril/contact/apgd.hpp"

#include "tendril/base/timer.hpp"
#include "tendril/contact/error_measure.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

constexpr int iterations_between_measures = 10;
constexpr int stall_iterations = 1000;
constexpr std::size_t chunk = 512;  // contacts whose sums are formed together, whoever does it

struct Sums {
  double turn = 0.0, curvature = 0.0, length = 0.0;
};

template <class System>
class Gradients {
 public:
  Gradients(const System& system, const Options& options, double speed, Impulses& r)
      : system_(system), options_(options), speed_(speed), r_(r), scales_(impulse_scales(system)) {
    if (r_.size() != system.size()) r_.assign(system.size(), Vector3d::Zero());
    for (std::size_t i = 0; i < system.size(); ++i) r_[i] = projected(i, r_[i]), report_.immovable += scales_[i] == 0.0;
    old_r_ = y_ = r_;
    system.apply(r_, u_);
    old_u_ = u_y_ = u_;
    sums_.resize((system.size() + chunk - 1) / chunk);
    report_.solver = Solver::apgd;
    report_.error = std::numeric_limits<double>::infinity();
  }

  Report run() {
    const int most = options_.max_sweeps > 0 ? options_.max_sweeps : 3000;
    double error_then = std::numeric_limits<double>::infinity();
    for (;; ++report_.sweeps) {
      const bool last = report_.sweeps >= most;
      if (report_.sweeps % iterations_between_measures == 0 || last) {
        if (!measure()) return finish(Outcome::not_finite);
        if (report_.error <= options_.tolerance) return finish(Outcome::converged);
        if (last) return finish(Outcome::iteration_limit);
      }
      if (report_.sweeps % stall_iterations == 0) {
        if (report_.error > 0.7 * error_then) return finish(Outcome::stalled);
        error_then = report_.error;
      }
      iterate();
    }
  }

 private:
  Report finish(Outcome outcome) {
    report_.outcome = outcome;
    r_ = best_.empty() ? old_r_ : best_;
    return report_;
  }

  bool measure() {
    const double error = largest_error(system_, scales_, r_, u_) / speed_;
    if (options_.observer) options_.observer({report_.sweeps, timer_.seconds(), error});
    if (!std::isfinite(error)) return false;
    if (error < report_.error) report_.error = error, best_ = r_;
    return true;
  }

  Vector3d projected(std::size_t i, const Vector3d& r) const {
    if (scales_[i] == 0.0) return Vector3d::Zero();
    return system_.law(i) == Law::bilateral ? r : project_on_cone(r, system_.mu(i));
  }

  // r⁺ = Proj(y - (rho/L) (u + mu |u_T| e_N)), from the extrapolated point.
  void step_contact(std::size_t i, Sums& sums) {
    y_[i] = r_[i] + momentum_ * (r_[i] - old_r_[i]);
    u_y_[i] = u_[i] + momentum_ * (u_[i] - old_u_[i]);
    if (scales_[i] == 0.0) return;
    Vector3d push = u_y_[i];
    if (system_.law(i) == Law::coulomb) push[0] += system_.mu(i) * push.tail<2>().norm();
    const Vector3d next = projected(i, y_[i] - scales_[i] / lipschitz_ * push);
    sums.turn += (y_[i] - next).dot(next - r_[i]) / scales_[i];
    sums.length += (next - y_[i]).squaredNorm() / scales_[i];
    old_r_[i] = r_[i], r_[i] = next, old_u_[i] = u_[i];
  }

  template <class Visit>
  Sums over_contacts(const Visit& visit) {
    parallel_for(sums_.size(), [&](std::size_t c) {
      Sums sums;
      for (std::size_t i = c * chunk; i < std::min(system_.size(), (c + 1) * chunk); ++i) visit(i, sums);
      sums_[c] = sums;
    });
    Sums total;  // in the order of the chunks
    for (const Sums& sums : sums_)
      total.turn += sums.turn, total.curvature += sums.curvature, total.length += sums.length;
    return total;
  }

  void iterate() {
    const Sums moved = over_contacts([&](std::size_t i, Sums& sums) { step_contact(i, sums); });
    system_.apply(r_, u_);
    const Sums curved =
        over_contacts([&](std::size_t i, Sums& sums) { sums.curvature += (u_[i] - u_y_[i]).dot(r_[i] - y_[i]); });
    // The Rayleigh quotient of the step: no step has to be taken back.
    const double quotient = moved.length > 0.0 ? curved.curvature / moved.length : 0.0;
    lipschitz_ = std::max({1.05 * quotient, 0.97 * lipschitz_, 1.0});
    if (moved.turn > 0.0) theta_ = 1.0;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta_ * theta_));
    momentum_ = (theta_ - 1.0) / next, theta_ = next;
  }

  const System& system_;
  const Options& options_;
  const double speed_;
  Impulses& r_;
  const std::vector<double> scales_;
  Impulses u_, old_r_, old_u_, y_, u_y_, best_;
  std::vector<Sums> sums_;
  double lipschitz_ = 20.0, momentum_ = 0.0, theta_ = 1.0;
  const Timer timer_;
  Report report_;
};

}  // namespace

template <class System>
Report accelerated_gradients(const System& system, const Options& options, double speed, Impulses& r) {
  return Gradients<System>(system, options, speed, r).run();
}

template Report accelerated_gradients(const ExplicitDelassus&, const Options&, double, Impulses&);
template Report accelerated_gradients(const VelocitySpace&, const Options&, double, Impulses&);

}  // namespace tendril::contact
