#include "tendril/contact/path_following.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <utility>

#include "tendril/contact/iteration.hpp"
#include "tendril/contact/law.hpp"
#include "tendril/contact/measure.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/whitened.hpp"

namespace tendril::contact {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int usual_steps = 20000;
constexpr double last_t = 36.0;              // beyond that the law is rounded by less than round-off
constexpr std::size_t most_unknowns = 1000;  // of which a dense factorisation takes tenths of a second

constexpr int most_start_steps = 100, most_halvings = 12;
constexpr double start_residual = 1e-8, sufficient_decrease = 1e-4;  // Armijo's

// A residual of what is on the curve: at most a share of nu, and round-off.
constexpr double near_share = 0.01, round_off = 1e-12;
constexpr int most_corrections = 5;
constexpr double sufficient_fall = 0.5;  // of the residual in a correction, from the third on
constexpr double most_correction = 5.0;  // of t

constexpr double first_step = 0.1, least_step = 1e-9;
constexpr double most_rise = 1.0;                                // of t in a step
constexpr double sharpest_turn = 0.5, least_turned_step = 1e-8;  // cosine of what a longer step may turn by

constexpr int most_rounds = 5;                             // of refinement
constexpr double linear_share = 1e-4, useful_share = 0.1;  // of the right-hand side, that may be left
constexpr double negligible = 1e-7;                        // stiffness of a contact beside its blocks

// A point of the curve: impulses over rho and the speed, and t.
struct Point {
  Impulses r;
  double t = 0.0;

  double dot(const Point& other) const {
    double sum = t * other.t;
    for (std::size_t i = 0; i < r.size(); ++i) sum += r[i].dot(other.r[i]);
    return sum;
  }
  void add(double factor, const Point& direction) {
    for (std::size_t i = 0; i < r.size(); ++i) r[i] += factor * direction.r[i];
    t += factor * direction.t;
  }
};

class Path {
 public:
  Path(const NodeSpace& space, const Options& options, double speed)
      : space_(space),
        progress_(Solver::path, options, speed),
        most_(options.max_sweeps > 0 ? options.max_sweeps : usual_steps),
        speed_(speed),
        matrix_(space),
        response_(space),
        laws_(space.size()),
        push_(space.size()),
        stiffness_(space.size()),
        w_(matrix_.unknowns(), 0.0) {
    measure_velocities(space, space.free_velocity.data(), free_);
  }

  Report run(Impulses& r) {
    Report& report = progress_.report;
    bool goes_on = begin();
    for (;;) {
      Impulses impulses = impulses_at(point_);
      if (progress_.note(response_.error(impulses))) r = std::move(impulses);
      if (progress_.ends(most_)) break;
      goes_on = goes_on && point_.t < last_t && advance();
      if (goes_on) continue;
      report.outcome = Outcome::stalled;
      break;
    }
    return report;
  }

 private:
  // Impulses that contacts can make, at a point of the curve.
  Impulses impulses_at(const Point& point) const {
    Impulses r(space_.size());
    for (std::size_t i = 0; i < r.size(); ++i) {
      const NodeContact& contact = space_.contacts[i];
      r[i] = contact.scale * speed_ * point.r[i];
      if (contact.law == Law::coulomb) r[i] = project_on_cone(r[i], contact.mu);
    }
    return r;
  }

  LawOnPath law(const NodeContact& contact, const Vector3d& r, const Vector3d& u, double t) const {
    const Matrix3d one = Matrix3d::Identity();
    if (contact.scale == 0.0) return {r, one, Matrix3d::Zero(), Vector3d::Zero(), one};
    if (contact.law == Law::coulomb) return law_on_path(r, u, contact.mu, t);
    const double nu = std::exp(-t);
    return {u + nu * r, nu * one, one, -nu * r, one / nu};
  }

  static double near(double t) { return near_share * std::exp(-t) + round_off; }

  // How far a point is from the curve, with all derivatives.
  double evaluate(const Point& point) {
    for (std::size_t i = 0; i < push_.size(); ++i) push_[i] = space_.contacts[i].scale * point.r[i];
    matrix_.gather(push_, w_);
    double worst = 0.0;
    squares_ = 0.0;
    for (std::size_t i = 0; i < push_.size(); ++i) {
      const NodeContact& contact = space_.contacts[i];
      laws_[i] = law(contact, point.r[i], free_[i] / speed_ + matrix_.velocity(i, w_), point.t);
      squares_ += laws_[i].value.squaredNorm();
      worst = std::max(worst, laws_[i].value.lpNorm<Eigen::Infinity>());
      if (!laws_[i].value.allFinite()) worst = std::numeric_limits<double>::infinity();
    }
    return worst;
  }

  // False, too, if no more may be done.
  bool factorise() {
    if (progress_.is_over(most_)) return false;
    ++progress_.report.sweeps;
    for (std::size_t i = 0; i < laws_.size(); ++i) {
      const Matrix3d d = laws_[i].by_r_inverse * laws_[i].by_u;
      stiffness_[i] =
          d.lpNorm<Eigen::Infinity>() > negligible ? Matrix3d(space_.contacts[i].scale * d) : Matrix3d::Zero();
    }
    is_dense_ = !matrix_.factorise(stiffness_);
    return !is_dense_ || matrix_.factorise_densely(stiffness_);
  }

  // (A + B W) dr = right, with A = df/dr and B = df/du.
  bool solve(const Impulses& right, Impulses& dr) {
    if (refine(right, dr) <= linear_share) return true;
    if (!is_dense_ && !matrix_.factorise_densely(stiffness_)) return false;
    is_dense_ = true;
    return refine(right, dr) <= useful_share;
  }

  // What the factors leave of `right` is solved for again; the share that is left in the end.
  double refine(Impulses right, Impulses& dr) {
    const double all = largest_of(right);
    dr.assign(right.size(), Vector3d::Zero());
    if (all == 0.0) return 0.0;
    double share = 1.0;
    for (int round = 0; round < most_rounds; ++round) {
      if (!add_solution(right, dr)) return std::numeric_limits<double>::infinity();
      const double before = std::exchange(share, largest_of(right) / all);
      if (share <= linear_share || !(share <= 0.1 * before)) break;
    }
    return share;
  }

  // right -= (A + B W) x, dr += x, with the x that the factors give.
  bool add_solution(Impulses& right, Impulses& dr) {
    for (std::size_t i = 0; i < push_.size(); ++i)
      push_[i] = space_.contacts[i].scale * (laws_[i].by_r_inverse * right[i]);
    matrix_.gather(push_, w_);
    matrix_.solve(w_);
    for (std::size_t i = 0; i < push_.size(); ++i) {
      const Vector3d x = laws_[i].by_r_inverse * (right[i] - laws_[i].by_u * matrix_.velocity(i, w_));
      if (!x.allFinite()) return false;
      dr[i] += x;
      right[i] -= laws_[i].by_r * x;
      push_[i] = space_.contacts[i].scale * x;
    }
    matrix_.gather(push_, w_);
    for (std::size_t i = 0; i < push_.size(); ++i) right[i] -= laws_[i].by_u * matrix_.velocity(i, w_);
    return true;
  }

  static double largest_of(const Impulses& numbers) {
    double largest = 0.0;
    for (const Vector3d& number : numbers) largest = std::max(largest, number.lpNorm<Eigen::Infinity>());
    return largest;
  }
  Impulses negative(Vector3d LawOnPath::*part) const {
    Impulses out;
    for (const LawOnPath& law : laws_) out.push_back(-(law.*part));
    return out;
  }

  bool solve_residual(Impulses& dr) { return solve(negative(&LawOnPath::value), dr); }
  bool solve_tangent(Impulses& dr) { return solve(negative(&LawOnPath::by_t), dr); }

  // The convex problem at t = 0, by damped Newton steps.
  bool begin() {
    point_ = {Impulses(space_.size(), Vector3d::UnitX()), 0.0};
    for (std::size_t i = 0; i < point_.r.size(); ++i)
      if (space_.contacts[i].scale == 0.0) point_.r[i].setZero();
    for (int step = 0; evaluate(point_) > start_residual; ++step) {
      if (step == most_start_steps || !factorise()) return false;
      Point change;
      if (!solve_residual(change.r) || !search(change)) return false;
    }
    if (!factorise()) return false;
    Point tangent;
    if (!solve_tangent(tangent.r)) return false;
    direction_ = unit(std::move(tangent.r));
    return true;
  }

  bool search(const Point& change) {
    const double before = squares_;
    double length = 1.0;
    for (int halvings = 0; halvings <= most_halvings; ++halvings, length *= 0.5) {
      Point tried = point_;
      tried.add(length, change);
      evaluate(tried);
      if (!(squares_ <= (1.0 - sufficient_decrease * length) * before)) continue;
      point_ = std::move(tried);
      return true;
    }
    return false;
  }

  // The unit tangent with dr/dt, the way that the sign of the determinant says is onwards.
  Point unit(Impulses by_t) const {
    Point tangent{std::move(by_t), 1.0};
    const double scale = double(matrix_.determinant_sign()) / std::sqrt(tangent.dot(tangent));
    for (Vector3d& r : tangent.r) r *= scale;
    tangent.t = scale;
    return tangent;
  }

  // A step along the tangent and back onto the curve across it, as long as it may be.
  bool advance() {
    for (; length_ >= least_step; length_ *= 0.5) {
      if (progress_.is_over(most_)) return true;
      Point next = point_, tangent;
      next.add(length_, direction_);
      const int corrections = correct(next, tangent);
      if (corrections > most_corrections) continue;
      if (tangent.dot(direction_) < sharpest_turn && length_ > least_turned_step) continue;
      point_ = std::move(next), direction_ = std::move(tangent);
      if (corrections <= 2) length_ *= 2.0;
      if (corrections == 3) length_ *= 1.3;
      if (corrections == most_corrections) length_ *= 0.7;
      length_ = std::min(length_, most_rise / std::abs(direction_.t));
      return true;
    }
    return false;
  }

  // Newton's method across the last tangent; the number of its steps, too many if it does not come near, and the
  // tangent where it ends.
  int correct(Point& point, Point& tangent) {
    double last = std::numeric_limits<double>::infinity();
    const Point predicted = point;
    for (int step = 0; step <= most_corrections; ++step) {
      const double off = evaluate(point);
      const bool is_near = off <= near(point.t);
      if (!std::isfinite(off) || (!is_near && step >= 2 && off > sufficient_fall * last)) break;
      last = off;
      Impulses by_t;
      if (!factorise() || !solve_tangent(by_t)) break;
      if (is_near) {
        tangent = unit(std::move(by_t));
        return step;
      }
      Point change;
      if (!solve_residual(change.r)) break;
      // The step that stays in the plane across the tangent through what was predicted.
      Point tangential{std::move(by_t), 1.0};
      Point from = point;
      from.add(-1.0, predicted);
      const double dt = -(direction_.dot(from) + direction_.dot(change)) / direction_.dot(tangential);
      if (!(std::abs(dt) <= most_correction)) break;
      change.add(dt, tangential);
      point.add(1.0, change);
    }
    return most_corrections + 1;
  }

  const NodeSpace& space_;
  Progress progress_;
  const int most_;
  const double speed_;
  Whitened matrix_;
  bool is_dense_ = false;  // the factors
  NodeResponse response_;
  std::vector<LawOnPath> laws_;
  Impulses push_;
  std::vector<Matrix3d> stiffness_;
  AlignedVector<double> w_;
  Impulses free_;
  Point point_, direction_;
  double length_ = first_step, squares_ = 0.0;
};

}  // namespace

bool has_path(const NodeSpace& space) { return !space.has_pushes() && 3 * space.node_count() <= most_unknowns; }

Report follow_path(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  if (!has_path(space)) {
    Report report;
    report.solver = Solver::path, report.outcome = Outcome::unsuitable;
    report.error = NodeResponse(space).error(r) / speed;
    return report;
  }
  return Path(space, options, speed).run(r);
}

}  // namespace tendril::contact
