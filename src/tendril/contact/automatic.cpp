#include "tendril/contact/automatic.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <span>

#include "tendril/contact/apgd.hpp"
#include "tendril/contact/gauss_seidel.hpp"
#include "tendril/contact/gradients_in_turns.hpp"
#include "tendril/contact/newton.hpp"
#include "tendril/contact/path_following.hpp"
#include "tendril/contact/rungs.hpp"

namespace tendril::contact {
namespace {

using Eigen::Vector3d;

constexpr double far_off = 1e-3;                      // an error at which Newton had better not begin
constexpr std::size_t coarse_newton_contacts = 3000;  // its matrix has too much to fill for steps in time beyond that
constexpr int newton_steps = 2000, patient_steps = 12000, few_newton_steps = 60, stage_steps = 200;

// What a climb may cost for each contact, in iterations of gradients, which take some 20 ns; with full effort, for all
// contacts, if these are few: 20 to 45 s. Counted, not timed, so that results do not depend on the machine.
constexpr double most_work = 4e5, most_work_of_few = 1e9;
constexpr double sweep_work = 4.0, newton_step_work = 25.0;
constexpr double multiplications_of_work = 400.0;  // of the factorisation, in a step of Newton's method

// Shares of the friction at which Newton halts on its way from little of it to all.
constexpr std::array<double, 1> short_way = {0.8};
constexpr std::array<double, 6> long_way = {0.5, 0.65, 0.8, 0.9, 0.95, 0.98};
constexpr std::array<double, 9> longest_way = {0.25, 0.4, 0.55, 0.7, 0.8, 0.87, 0.92, 0.96, 0.98};

// How much Newton's method rounds |u_T|: little is faster with usual friction, much with a lot of it.
constexpr double little = 0.03, some = 0.1, much = 0.3;

double most_work_of(const Options& options, std::size_t contacts) {
  return options.effort == Effort::full ? std::max(most_work, most_work_of_few / double(contacts)) : most_work;
}

// Of a step of Newton's method, with its factorisation.
double work_of_step(double multiplications, std::size_t contacts) {
  return newton_step_work + multiplications / multiplications_of_work / double(contacts);
}

double taken_by(Solver solver, const Report& report) { return double(report.sweeps_by[std::size_t(solver)]); }

class Ladder {
 public:
  Ladder(const NodeSpace& space, const Options& options, double speed, NodeResponse& response, Impulses& r)
      : space_(space), options_(options), speed_(speed), response_(response), r_(r), newton_(options) {
    if (options.max_sweeps == 0) newton_.max_sweeps = is_tight() ? newton_steps : few_newton_steps;
  }

  // Gradients first: they are many times faster down to 1e-4. Where they stall far off, sweeps; then Newton. If that
  // circles and the tolerance is tight, it begins anew from elsewhere.
  Report climb() {
    report_ = by_rung(gradients_in_turns(space_, options_, speed_, response_, r_));
    if (report_.error > far_off) go_on([&](Impulses& r) { return by_rung(gauss_seidel(space_, options_, speed_, r)); });
    if (is_done(report_)) return report_;  // before Newton's matrix is looked at
    if (is_tight() || space_.size() <= coarse_newton_contacts) {
      step_work_ = work_of_step(newton_operations(space_), space_.size());
      go_on([&](Impulses& r) { return polish(r, little); });
    }
    if (!is_tight() || options_.max_sweeps > 0) return report_;
    go_on([&](Impulses& r) { return polish(r, much); });
    go_on([&](Impulses& r) { return with_growing_friction(short_way, r, little); });
    if (is_full()) go_on([&](Impulses& r) { return go_round(r, little); });
    go_on([&](Impulses& r) { return with_growing_friction(long_way, r, little); });
    go_on([&](Impulses& r) { return after_sweeps(300, r, much); });
    go_on([&](Impulses& r) { return with_growing_friction(long_way, r, much); });
    go_on([&](Impulses& r) { return after_sweeps(1000, r, little); });
    go_on([&](Impulses& r) { return with_growing_friction(longest_way, r, much); });
    go_on([&](Impulses& r) { return with_growing_friction(longest_way, r, 0.0); });
    if (is_full()) go_on([&](Impulses& r) { return go_round(r, some); });
    if (is_full() && has_path(space_) && !is_done(report_))  // which has its own limit
      report_ = next_rung(report_, r_, [&](Impulses& r) { return by_rung(follow_path(space_, options_, speed_, r)); });
    return report_;
  }

 private:
  // Steps in time ask for less, and should rather go on than wait for Newton.
  bool is_tight() const { return options_.tolerance < coarse_tolerance; }
  bool is_full() const { return options_.effort == Effort::full; }

  template <class Solve>
  void go_on(const Solve& solve) {
    if (is_done(report_)) return;
    if (steps_left({}) > 0)
      report_ = next_rung(report_, r_, solve);
    else
      report_.outcome = Outcome::iteration_limit;
  }

  // Of Newton's method, after all rungs before this one and what this one has taken so far. Who says how many are
  // enough has them.
  int steps_left(const Report& so_far) const {
    if (options_.max_sweeps > 0) return options_.max_sweeps;
    const auto taken = [&](Solver solver) { return taken_by(solver, report_) + taken_by(solver, so_far); };
    const double work =
        taken(Solver::apgd) + sweep_work * taken(Solver::gauss_seidel) + step_work_ * taken(Solver::newton);
    return int(std::clamp((most_work_of(options_, space_.size()) - work) / step_work_, 0.0,
                          double(is_full() ? patient_steps : newton_steps)));
  }
  // `first`, followed by up to `most` steps of Newton's method.
  Report and_newton(const Report& first, const NodeSpace& space, int most, Impulses& r, double rounding,
                    Patience patience = Patience::usual) const {
    Options options = newton_;
    options.max_sweeps = std::min(most, steps_left(first));
    if (options.max_sweeps == 0) return first;
    return followed(first, by_rung(proximal_newton(space, options, speed_, r, rounding, patience)));
  }

  Report polish(Impulses& r, double rounding) const { return and_newton({}, space_, newton_.max_sweeps, r, rounding); }

  // Where Newton circles it comes near to solutions by chance: more often than from new starts.
  Report go_round(Impulses& r, double rounding) const {
    return and_newton({}, space_, patient_steps, r, rounding, Patience::endless);
  }

  // From sweeps that began at rest.
  Report after_sweeps(int count, Impulses& r, double rounding) const {
    Options sweeps = options_;
    sweeps.max_sweeps = count;
    std::ranges::fill(r, Vector3d::Zero());
    return and_newton(by_rung(gauss_seidel(space_, sweeps, speed_, r)), space_, newton_.max_sweeps, r, rounding);
  }

  // The less friction, the nearer the problem is to a convex one, from whose solution Newton finds the next.
  Report with_growing_friction(std::span<const double> shares, Impulses& r, double rounding) const {
    NodeSpace part = space_;
    Report total;
    std::ranges::fill(r, Vector3d::Zero());
    for (const double share : shares) {
      for (std::size_t i = 0; i < part.size(); ++i) part.contacts[i].mu = share * space_.contacts[i].mu;
      if (share == shares.front()) total = by_rung(accelerated_gradients(part, options_, speed_, r));
      total = and_newton(total, part, stage_steps, r, rounding);
    }
    total.error = std::numeric_limits<double>::infinity(), total.jammed = 0;  // that was another problem
    return and_newton(total, space_, newton_.max_sweeps, r, rounding);
  }

  const NodeSpace& space_;
  const Options& options_;
  const double speed_;
  NodeResponse& response_;
  Impulses& r_;
  Options newton_;
  double step_work_ = newton_step_work;  // of Newton's method, with its factorisation
  Report report_;
};

}  // namespace

Report solve_in_turn(const NodeSpace& space, const Options& options, double speed, NodeResponse& response,
                     Impulses& r) {
  return Ladder(space, options, speed, response, r).climb();
}

// As the ladder begins, within the same limit.
Report solve_in_turn(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  const auto sweep = [&](Impulses& tried) { return by_rung(gauss_seidel(system, options, speed, tried)); };
  Report report = by_rung(accelerated_gradients(system, options, speed, r));
  if (!is_done(report) && (report.error > far_off || !has_newton(system))) report = next_rung(report, r, sweep);
  if (is_done(report) || !has_newton(system)) return report;
  Options newton = options;
  if (options.max_sweeps == 0) {
    const double work = taken_by(Solver::apgd, report) + sweep_work * taken_by(Solver::gauss_seidel, report);
    const double left =
        (most_work_of(options, system.size()) - work) / work_of_step(newton_operations(system), system.size());
    newton.max_sweeps =
        int(std::clamp(left, 1.0, double(options.tolerance < coarse_tolerance ? newton_steps : few_newton_steps)));
  }
  return next_rung(report, r, [&](Impulses& tried) { return by_rung(proximal_newton(system, newton, speed, tried)); });
}

}  // namespace tendril::contact
