#include "tendril/contact/newton.hpp"

#include "tendril/base/parallel.hpp"
#include "tendril/contact/iteration.hpp"
#include "tendril/contact/law.hpp"
#include "tendril/contact/node_matrix.hpp"
#include "tendril/contact/node_response.hpp"

namespace tendril::contact {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int usual_steps = 5000;
constexpr int most_inner_steps = 8;
constexpr double first_penalty = 100.0, least_penalty = 1.0, largest_penalty = 1e8;
constexpr double inner_share = 0.1;  // of the error of the law: how well the inner problem is solved
// Of it: an inner problem that is further off is thrown away. Who is patient takes only what is nearer.
constexpr double useless_share = 3.0, patient_useless_share = 1.0;
constexpr int circle_steps = 500;     // in which the best error should fall, or the method has come to circle
constexpr double circle_share = 0.8;  // of it that may be left then

// |u_T| without its kink at 0, which is what makes sticking contacts flutter under Newton's method (Eq. 37).
struct Rounded {
  double width;  // [m/s]

  double speed(const Vector3d& u) const { return std::sqrt(u.tail<2>().squaredNorm() + width * width); }
  Vector3d lifted(const Vector3d& u, double mu) const { return {u[0] + mu * (speed(u) - width), u[1], u[2]}; }
};

// r - c rho ũ, where the projection of the multiplier method begins.
Vector3d trial_impulse(const NodeContact& contact, const Vector3d& r, const Vector3d& u, double penalty,
                       const Rounded& rounded) {
  const Vector3d push = contact.law == Law::bilateral ? u : rounded.lifted(u, contact.mu);
  return r - penalty * contact.scale * push;
}

Vector3d multiplier(const NodeContact& contact, const Vector3d& z) {
  if (contact.scale == 0.0) return Vector3d::Zero();
  return contact.law == Law::bilateral ? z : project_on_cone(z, contact.mu);
}

// -d multiplier / d u, with De Saxcé's term: not symmetric.
Matrix3d stiffness(const NodeContact& contact, const Vector3d& z, const Vector3d& u, double penalty,
                   const Rounded& rounded) {
  if (contact.scale == 0.0) return Matrix3d::Zero();
  const double weight = penalty * contact.scale;
  if (contact.law == Law::bilateral) return weight * Matrix3d::Identity();
  Matrix3d lift = Matrix3d::Identity();
  if (const double sliding = rounded.speed(u); sliding > 0.0)
    lift.row(0).tail<2>() = (contact.mu / sliding) * u.tail<2>().transpose();
  return weight * project_on_cone_derivative(z, contact.mu) * lift;
}

class ProximalNewton {
 public:
  ProximalNewton(const NodeSpace& space, const Options& options, double speed, double rounding, Patience patience)
      : space_(space),
        progress_(Solver::newton, options, speed),
        most_(options.max_sweeps > 0 ? options.max_sweeps : usual_steps),
        speed_(speed),
        rounding_(rounding),
        is_patient_(patience == Patience::endless),
        matrix_(space),
        response_(space),
        next_(space.size()),
        stiffness_(space.size()) {
    for (AlignedVector<double>* numbers : {&v_, &trial_, &step_, &gap_})
      numbers->assign(space.free_velocity.size(), 0.0);
  }

  Report run(Impulses& r) {
    r_ = best_ = r;
    if (!matrix_.is_definite()) return progress_.report.outcome = Outcome::not_definite, progress_.report;
    double error = measure(r_);
    const double useless = is_patient_ ? patient_useless_share : useless_share;
    int next_look = 0;
    while (!progress_.ends(most_)) {
      const int before = progress_.report.sweeps;
      if (!is_patient_ && before >= next_look) {
        if (progress_.stalls(circle_share)) break;
        next_look += circle_steps;
      }
      rounded_.width = rounding_ * error * speed_;
      const double off = solve_inner(error);
      if (!(off <= useless * error)) {
        if (penalty_ <= least_penalty || progress_.report.sweeps == before) {
          progress_.report.outcome = Outcome::stalled;
          break;
        }
        penalty_ = std::max(least_penalty, penalty_ / 4.0);
        v_ = response_.velocities(r_);
        continue;
      }
      r_ = next_;
      error = measure(r_);
      if (progress_.report.sweeps - before <= 4) penalty_ = std::min(largest_penalty, 2.0 * penalty_);
    }
    r = best_;
    return progress_.report;
  }

 private:
  // The law at r and the velocities that r makes, never at those of the iterate: these look far better than they are.
  double measure(const Impulses& r) {
    const double error = response_.error(r);
    if (progress_.note(error)) best_ = r;
    v_ = response_.velocities(r);
    return error / speed_;
  }

  // gap = free + C Hᵀ r⁺(v) - v, over the speed; with the derivatives of r⁺ if asked for.
  double set_gap(const AlignedVector<double>& v, bool with_stiffness) {
    parallel_for(space_.size(), [&](std::size_t i) {
      const NodeContact& contact = space_.contacts[i];
      const Vector3d u = space_.law_velocity(contact, r_[i], v.data());
      const Vector3d z = trial_impulse(contact, r_[i], u, penalty_, rounded_);
      next_[i] = multiplier(contact, z);
      if (with_stiffness) stiffness_[i] = stiffness(contact, z, u, penalty_, rounded_);
    });
    const AlignedVector<double>& under = response_.velocities(next_);
    double worst = 0.0;
    for (std::size_t k = 0; k < gap_.size(); ++k) {
      gap_[k] = under[k] - v[k];
      worst = std::max(worst, std::abs(gap_[k]));
    }
    return worst / speed_;
  }

  // Newton on the velocities with the multipliers r held; how far from its solution it ends. next_ are the multipliers
  // there.
  double solve_inner(double error) {
    double off = set_gap(v_, true);
    for (int step = 0; step < most_inner_steps && (step == 0 || off > inner_share * error); ++step) {
      if (progress_.report.sweeps >= most_) return off;
      ++progress_.report.sweeps;
      if (!matrix_.factorise(stiffness_)) return std::numeric_limits<double>::infinity();
      const double energy = matrix_.solve(gap_.data(), step_.data());
      off = search(energy);
    }
    return off;
  }

  // The first of four step lengths that lowers the energy of the gap by a fifth of what it might, else the best.
  double search(double energy) {
    double best_energy = std::numeric_limits<double>::infinity(), best_length = 1.0, length = 1.0;
    for (int halvings = 0; halvings <= 3; ++halvings, length *= 0.5) {
      for (std::size_t k = 0; k < v_.size(); ++k) trial_[k] = v_[k] + length * step_[k];
      const double off = set_gap(trial_, true), now = matrix_.energy(gap_.data());
      if (now <= (1.0 - 0.2 * length) * energy) {
        v_.swap(trial_);
        return off;
      }
      if (now < best_energy) best_energy = now, best_length = length;
    }
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] += best_length * step_[k];
    return set_gap(v_, true);
  }

  const NodeSpace& space_;
  Progress progress_;
  const int most_;
  const double speed_, rounding_;
  const bool is_patient_;
  NodeMatrix matrix_;
  NodeResponse response_;
  double penalty_ = first_penalty;
  Rounded rounded_{0.0};
  Impulses r_, next_, best_;
  std::vector<Matrix3d> stiffness_;
  AlignedVector<double> v_, trial_, step_, gap_;
};

}  // namespace

Report proximal_newton(const NodeSpace& space, const Options& options, double speed, Impulses& r, double rounding,
                       Patience patience) {
  return ProximalNewton(space, options, speed, rounding, patience).run(r);
}

double newton_operations(const NodeSpace& space) { return NodeMatrix(space).operations(); }

}  // namespace tendril::contact
