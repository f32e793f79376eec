#include "tendril/contact/apgd.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/contact/iteration.hpp"
#include "tendril/contact/jams.hpp"
#include "tendril/contact/node_response.hpp"
#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

constexpr int usual_iterations = 3000;
// A good start needs few iterations: at first the error is measured more often.
constexpr int first_iterations = 40, iterations_between_first_measures = 5, iterations_between_measures = 10;
constexpr int stall_iterations = 1000;
constexpr double stall_share = 0.7;                           // of the error that is left after so many
constexpr std::size_t cached_numbers = std::size_t{1} << 18;  // so many of C a core has at hand anyway

// Steps are made to suit the impulses (Eq. 42) at the start, then less and less often: what carries much shows early.
constexpr int first_adaption = 100;
constexpr double between_adaptions = 1.5;  // of the iterations so far

// The law is no gradient: with all of the momentum, or with steps as long as the curvature allows, errors rise again
// and again. On a bundle of 20 000 contacts with mu = 0.6, 184 are above 1e-3 after 1000 iterations, and 1800 without
// these.
constexpr double most_momentum = 0.99, headroom = 1.2, forgetting = 0.99;

// Nesterov's momentum, taken back when a step turns against the gradient, and the step length (Eq. 34).
struct Acceleration {
  double lipschitz, least, most;
  double momentum = 0.0, theta = 1.0;
  bool feels_round_off = false;  // steps are so short that what they change cannot be told from it

  void advance(double turn) {
    if (turn > 0.0) theta = 1.0;
    const double next = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * theta * theta));
    momentum = std::min(most_momentum, (theta - 1.0) / next), theta = next;
  }
  // The Rayleigh quotient of the step: no step has to be taken back.
  void bend(double curvature, double length) {
    const double quotient = length > 0.0 ? curvature / length : 0.0;
    feels_round_off = quotient > most;
    lipschitz = std::max({headroom * std::min(quotient, most), forgetting * lipschitz, least});
  }
};

// What impulses are judged by: their worst contact.
struct ByWorst {
  template <class Engine>
  bool improves(Engine& engine, Progress& progress) {
    return progress.note(engine.error());
  }
  bool is_enough() const { return false; }
  bool stalls(Progress& progress) { return progress.stalls(stall_share); }
};

// By how many contacts are above a limit: one that cannot be helped, or not yet, does not hide what becomes of the
// others.
class ByCount {
 public:
  ByCount(double limit, double few) : limit_(limit), few_(few) {}

  bool improves(NodeGradients& engine, Progress& progress) {
    const ErrorSums errors = engine.errors(limit_);
    progress.note(errors.worst);
    if (!std::isfinite(errors.worst) || errors.above >= fewest_) return false;
    fewest_ = errors.above;
    return true;
  }
  bool is_enough() const { return fewest_ <= few_; }
  bool stalls(Progress& progress) {
    const bool stalled = fewest_ > stall_share * fewest_then_;
    fewest_then_ = fewest_;
    if (stalled) progress.report.outcome = Outcome::stalled;
    return stalled;
  }

 private:
  const double limit_, few_;
  double fewest_ = std::numeric_limits<double>::infinity(), fewest_then_ = fewest_;
};

template <class Engine, class Judge = ByWorst>
Report accelerate(Engine& engine, const Options& options, double speed, Impulses& r, Judge judge = {}) {
  Progress progress(Solver::apgd, options, speed);
  const int most = options.max_sweeps > 0 ? options.max_sweeps : usual_iterations;
  Acceleration acceleration{Engine::usual_curvature, Engine::least_curvature, Engine::most_curvature};
  engine.start(r);
  int next_adaption = 0;
  for (int& iteration = progress.report.sweeps;; ++iteration) {
    const int between = iteration < first_iterations ? iterations_between_first_measures : iterations_between_measures;
    if (iteration % between == 0 || iteration >= most) {
      if (judge.improves(engine, progress)) engine.keep_best();
      if (progress.ends(most) || judge.is_enough()) break;
    }
    if (iteration % stall_iterations == 0 && judge.stalls(progress)) break;
    if (iteration == next_adaption) {
      engine.adapt_steps(speed);
      next_adaption = std::max(first_adaption, int(between_adaptions * iteration));
    }
    const StepSums sums = engine.step(acceleration.momentum, 1.0 / acceleration.lipschitz);
    acceleration.advance(sums.turn);
    acceleration.bend(engine.respond(acceleration.momentum), sums.length);
    if (acceleration.feels_round_off && engine.is_single()) {
      progress.report.outcome = Outcome::stalled;
      break;
    }
  }
  r = engine.best();
  return progress.report;
}

double error_at(const NodeSpace& space, const Impulses& r) { return NodeResponse(space).error(r); }
double error_at(const ExplicitDelassus& system, const Impulses& r) { return largest_error(system, r); }

// With the impulses on what is jammed capped.
template <class Engine, class System>
Report accelerate_and_cap(Engine engine, const System& system, const Options& options, double speed, Impulses& r) {
  Report report = accelerate(engine, options, speed, r);
  if (report.outcome == Outcome::converged) return report;
  Impulses last = engine.impulses();
  report.jammed = cap_jams(system, speed, last);  // they show in what the solver was driven to, not in the best
  if (report.jammed > 0 && cap_jams(system, speed, r) > 0) report.error = error_at(system, r) / speed;
  return report;
}

}  // namespace

Report accelerated_gradients(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  return accelerate_and_cap(NodeGradients(space), space, options, speed, r);
}

Report gradients_until_few(NodeGradients& engine, const Options& options, double speed, double share, Impulses& r) {
  return accelerate(engine, options, speed, r, ByCount(options.tolerance * speed, share * double(engine.size())));
}

NodeGradients::Precision precision_of_gradients(const NodeSpace& space, const Options& options) {
  const bool is_coarse = options.tolerance >= coarse_tolerance && space.matrices.size() > cached_numbers;
  return is_coarse ? NodeGradients::Precision::single : NodeGradients::Precision::full;
}

Report accelerated_gradients(const ExplicitDelassus& system, const Options& options, double speed, Impulses& r) {
  return accelerate_and_cap(StoredGradients(system), system, options, speed, r);
}

}  // namespace tendril::contact
