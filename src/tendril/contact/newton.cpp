#include "tendril/contact/newton.hpp"

#include "tendril/base/parallel.hpp"
#include "tendril/contact/error_measure.hpp"
#include "tendril/contact/iteration.hpp"
#include "tendril/contact/law.hpp"
#include "tendril/contact/node_matrix.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/stored_engines.hpp"
#include "tendril/contact/stored_matrix.hpp"

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

// What the method needs to know of a contact.
struct Condition {
  Law law;
  double mu, scale;
};

// The two forms of a problem: v has four numbers for each node,
struct OnNodes {
  const NodeSpace& space;
  NodeMatrix matrix{space};
  NodeResponse response{space};

  std::size_t size() const { return space.size(); }
  std::size_t numbers() const { return space.free_velocity.size(); }
  Condition condition(std::size_t i) const {
    const NodeContact& contact = space.contacts[i];
    return {contact.law, contact.mu, contact.scale};
  }
  Vector3d law_velocity(std::size_t i, const Vector3d& r, const double* v) const {
    return space.law_velocity(space.contacts[i], r, v);
  }
};

// or it is u itself, three numbers for each contact.
class StoredResponse {
 public:
  explicit StoredResponse(const ExplicitDelassus& system)
      : system_(system), scales_(impulse_scales(system)), velocity_(3 * system.size(), 0.0) {}

  const AlignedVector<double>& velocities(const Impulses& r) {
    system_.apply(r, u_);
    for (std::size_t i = 0; i < u_.size(); ++i) std::copy_n(u_[i].data(), 3, velocity_.data() + 3 * i);
    return velocity_;
  }
  double error(const Impulses& r) {
    system_.apply(r, u_);
    return largest(errors_of(system_, scales_, r, u_));
  }
  std::span<const double> scales() const { return scales_; }

 private:
  const ExplicitDelassus& system_;
  const std::vector<double> scales_;
  Impulses u_;
  AlignedVector<double> velocity_;
};
struct Stored {
  const ExplicitDelassus& system;
  StoredMatrix matrix{system};
  StoredResponse response{system};

  std::size_t size() const { return system.size(); }
  std::size_t numbers() const { return 3 * system.size(); }
  Condition condition(std::size_t i) const { return {system.law(i), system.mu(i), response.scales()[i]}; }
  static Vector3d law_velocity(std::size_t i, const Vector3d&, const double* v) {
    return Eigen::Map<const Vector3d>(v + 3 * i);
  }
};

// r - c rho ũ, where the projection of the multiplier method begins.
Vector3d trial_impulse(const Condition& contact, const Vector3d& r, const Vector3d& u, double penalty,
                       const Rounded& rounded) {
  const Vector3d push = contact.law == Law::bilateral ? u : rounded.lifted(u, contact.mu);
  return r - penalty * contact.scale * push;
}

Vector3d multiplier(const Condition& contact, const Vector3d& z) {
  if (contact.scale == 0.0) return Vector3d::Zero();
  return contact.law == Law::bilateral ? z : project_on_cone(z, contact.mu);
}

// -d multiplier / d u, with De Saxcé's term: not symmetric.
Matrix3d stiffness(const Condition& contact, const Vector3d& z, const Vector3d& u, double penalty,
                   const Rounded& rounded) {
  if (contact.scale == 0.0) return Matrix3d::Zero();
  const double weight = penalty * contact.scale;
  if (contact.law == Law::bilateral) return weight * Matrix3d::Identity();
  Matrix3d lift = Matrix3d::Identity();
  if (const double sliding = rounded.speed(u); sliding > 0.0)
    lift.row(0).tail<2>() = (contact.mu / sliding) * u.tail<2>().transpose();
  return weight * project_on_cone_derivative(z, contact.mu) * lift;
}

template <class Form>
class ProximalNewton {
 public:
  ProximalNewton(Form form, const Options& options, double speed, double rounding, Patience patience)
      : form_(std::move(form)),
        progress_(Solver::newton, options, speed),
        most_(options.max_sweeps > 0 ? options.max_sweeps : usual_steps),
        speed_(speed),
        rounding_(rounding),
        is_patient_(patience == Patience::endless),
        next_(form_.size()),
        stiffness_(form_.size()) {
    for (AlignedVector<double>* numbers : {&v_, &trial_, &step_, &gap_}) numbers->assign(form_.numbers(), 0.0);
  }

  Report run(Impulses& r) {
    r_ = best_ = r;
    if (!form_.matrix.is_definite()) return progress_.report.outcome = Outcome::not_definite, progress_.report;
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
        v_ = form_.response.velocities(r_);
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
    const double error = form_.response.error(r);
    if (progress_.note(error)) best_ = r;
    v_ = form_.response.velocities(r);
    return error / speed_;
  }

  // gap = free + C Hᵀ r⁺(v) - v, over the speed; with the derivatives of r⁺ if asked for.
  double set_gap(const AlignedVector<double>& v, bool with_stiffness) {
    parallel_for(form_.size(), [&](std::size_t i) {
      const Condition contact = form_.condition(i);
      const Vector3d u = form_.law_velocity(i, r_[i], v.data());
      const Vector3d z = trial_impulse(contact, r_[i], u, penalty_, rounded_);
      next_[i] = multiplier(contact, z);
      if (with_stiffness) stiffness_[i] = stiffness(contact, z, u, penalty_, rounded_);
    });
    const AlignedVector<double>& under = form_.response.velocities(next_);
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
      if (!form_.matrix.factorise(stiffness_)) return std::numeric_limits<double>::infinity();
      const double energy = form_.matrix.solve(gap_.data(), step_.data());
      off = search(energy);
    }
    return off;
  }

  // The first of four step lengths that lowers the energy of the gap by a fifth of what it might, else the best.
  double search(double energy) {
    double best_energy = std::numeric_limits<double>::infinity(), best_length = 1.0, length = 1.0;
    for (int halvings = 0; halvings <= 3; ++halvings, length *= 0.5) {
      for (std::size_t k = 0; k < v_.size(); ++k) trial_[k] = v_[k] + length * step_[k];
      const double off = set_gap(trial_, true), now = form_.matrix.energy(gap_.data());
      if (now <= (1.0 - 0.2 * length) * energy) {
        v_.swap(trial_);
        return off;
      }
      if (now < best_energy) best_energy = now, best_length = length;
    }
    for (std::size_t k = 0; k < v_.size(); ++k) v_[k] += best_length * step_[k];
    return set_gap(v_, true);
  }

  Form form_;
  Progress progress_;
  const int most_;
  const double speed_, rounding_;
  const bool is_patient_;
  double penalty_ = first_penalty;
  Rounded rounded_{0.0};
  Impulses r_, next_, best_;
  std::vector<Matrix3d> stiffness_;
  AlignedVector<double> v_, trial_, step_, gap_;
};

}  // namespace

Report proximal_newton(const NodeSpace& space, const Options& options, double speed, Impulses& r, double rounding,
                       Patience patience) {
  return ProximalNewton(OnNodes{space}, options, speed, rounding, patience).run(r);
}

Report proximal_newton(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  return ProximalNewton(Stored{system}, options, speed, usual_rounding, Patience::usual).run(r);
}

bool has_newton(const ExplicitDelassus& system) { return system.size() <= most_stored_contacts; }

double newton_operations(const NodeSpace& space) { return NodeMatrix(space).operations(); }
double newton_operations(const ExplicitDelassus& system) { return StoredMatrix(system).operations(); }

}  // namespace tendril::contact
