#include "tendril/contact/global_newton.hpp"

#include <Eigen/LU>
#include <algorithm>

#include "tendril/contact/iteration.hpp"
#include "tendril/contact/law.hpp"
#include "tendril/contact/node_matrix.hpp"
#include "tendril/contact/node_response.hpp"

namespace tendril::contact {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int usual_steps = 200;
constexpr int most_halvings = 12;
constexpr double sufficient_decrease = 1e-4;  // Armijo's
constexpr double least_shift = 1e-6, largest_shift = 1e-2,
                 shift_per_error = 0.1;  // of df/dr, whose entries are about one

class GlobalNewton {
 public:
  GlobalNewton(const NodeSpace& space, const Options& options, Solver function, double speed)
      : space_(space),
        function_(function),
        progress_(function, options, speed),
        most_(options.max_sweeps > 0 ? options.max_sweeps : usual_steps),
        matrix_(space),
        response_(space),
        residuals_(space.size()),
        push_(space.size()),
        stiffness_(space.size()),
        v_(space.free_velocity.size(), 0.0),
        change_(v_) {
    for (const NodeContact& contact : space.contacts) diagonals_.push_back(space.diagonal(contact));
  }

  Report run(Impulses& r) {
    Report& report = progress_.report;
    if (!matrix_.is_definite()) return report.outcome = Outcome::not_definite, report;
    Impulses now = r, best = r, step = r;
    for (;; ++report.sweeps) {
      const Impulses inside = projected(now);
      const double error = response_.error(inside);
      if (progress_.note(error)) best = inside;
      if (progress_.ends(most_)) break;
      const double shift = std::clamp(shift_per_error * report.error, least_shift, largest_shift);
      if (!find_step(now, shift, step) || !search(now, step)) {
        report.outcome = Outcome::stalled;
        break;
      }
    }
    r = best;
    return report;
  }

 private:
  LawResidual law(std::size_t i, const Vector3d& r, const Vector3d& u) const {
    const NodeContact& contact = space_.contacts[i];
    if (contact.scale == 0.0) return {r, Matrix3d::Identity(), Matrix3d::Zero()};
    if (contact.law == Law::bilateral)
      return {contact.scale * u, Matrix3d::Zero(), contact.scale * Matrix3d::Identity()};
    const Matrix3d& w = diagonals_[i];
    const double normal = 1.0 / w(0, 0), tangential = w(1, 1) + w(2, 2);
    if (function_ == Solver::newton_mfb || contact.mu == 0.0 || !std::isfinite(normal) || !(tangential > 0.0))
      return law_residual(r, u, contact.mu, contact.scale);
    const auto variant =
        function_ == Solver::newton_jm ? AlartCurnierVariant::jean_moreau : AlartCurnierVariant::alart_curnier;
    return alart_curnier(r, u, contact.mu, {normal, 2.0 / tangential}, variant);
  }

  // The residuals of all at r, and the sum of |f|²/rho.
  double evaluate(const Impulses& r) {
    v_ = response_.velocities(r);
    double merit = 0.0;
    for (std::size_t i = 0; i < space_.size(); ++i) {
      const NodeContact& contact = space_.contacts[i];
      residuals_[i] = law(i, r[i], space_.law_velocity(contact, r[i], v_.data()));
      if (contact.scale > 0.0) merit += residuals_[i].value.squaredNorm() / contact.scale;
    }
    return merit;
  }

  // Eq. 38, with df/dr shifted so that each contact can be eliminated. False: no factorisation.
  bool find_step(const Impulses& r, double shift, Impulses& step) {
    merit_ = evaluate(r);
    for (std::size_t i = 0; i < space_.size(); ++i) {
      const Matrix3d inverse = (residuals_[i].by_r + shift * Matrix3d::Identity()).inverse();
      push_[i] = -inverse * residuals_[i].value;
      stiffness_[i] = inverse * residuals_[i].by_u;
    }
    const AlignedVector<double>& under = response_.velocities(push_);
    for (std::size_t k = 0; k < v_.size(); ++k) change_[k] = under[k] - space_.free_velocity[k];
    if (!matrix_.factorise(stiffness_)) return false;
    matrix_.solve(change_.data(), v_.data());
    for (std::size_t i = 0; i < space_.size(); ++i) {
      const NodeContact& contact = space_.contacts[i];
      const Vector3d du = space_.velocity(contact, v_.data()) - contact.drift;
      step[i] = push_[i] - stiffness_[i] * du;
      if (!step[i].allFinite()) return false;
    }
    return true;
  }

  // r += t step with the first t of 1, 1/2, 1/4.. that lowers the merit enough. False: none does.
  bool search(Impulses& r, const Impulses& step) {
    double length = 1.0;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, length *= 0.5) {
      for (std::size_t i = 0; i < r.size(); ++i) push_[i] = r[i] + length * step[i];
      if (!(evaluate(push_) <= (1.0 - sufficient_decrease * length) * merit_)) continue;
      r.swap(push_);
      return true;
    }
    return false;
  }

  // What is outside its cone is not an impulse that contact can make.
  Impulses projected(Impulses r) const {
    for (std::size_t i = 0; i < r.size(); ++i)
      if (space_.contacts[i].law == Law::coulomb) r[i] = project_on_cone(r[i], space_.contacts[i].mu);
    return r;
  }

  const NodeSpace& space_;
  const Solver function_;
  Progress progress_;
  const int most_;
  NodeMatrix matrix_;
  NodeResponse response_;
  std::vector<LawResidual> residuals_;
  Impulses push_;
  std::vector<Matrix3d> stiffness_, diagonals_;
  AlignedVector<double> v_, change_;
  double merit_ = 0.0;
};

}  // namespace

Report global_newton(const NodeSpace& space, const Options& options, Solver function, double speed, Impulses& r) {
  return GlobalNewton(space, options, function, speed).run(r);
}

}  // namespace tendril::contact
