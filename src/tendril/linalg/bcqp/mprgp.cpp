#include "tendril/linalg/bcqp/mprgp.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "tendril/linalg/bcqp/pairs.hpp"

namespace tendril::bcqp {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

class Mprgp {
 public:
  Mprgp(Run& run, FacePreconditioner& preconditioner, MprgpWork& work, Vector& x)
      : run_(run), problem_(run.problem), precondition_(preconditioner), w_(work), x_(x) {}

  Outcome solve();

 private:
  void prepare();
  std::optional<Outcome> verify();
  std::optional<Outcome> step_on_face();
  std::optional<Outcome> step_off_face();
  void conjugate_step(double length, double feasible, double curvature);
  void expand(double feasible, double length);

  void split();
  void restart();
  bool proportional() const;
  double feasible_length(const Vector& direction) const;
  void move(const Vector& direction, double length, double feasible);
  double curvature(const Vector& direction);

  Run& run_;
  const Problem& problem_;
  FacePreconditioner& precondition_;
  MprgpWork& w_;
  Vector& x_;
  double step_ = 0.0;             // ᾱ
  double norm_ = 0.0;             // ‖φ + β‖
  double chopped_squared_ = 0.0;  // βᵀβ
  double reduced_product_ = 0.0;  // φ̃ᵀφ
  double verified_norm_ = infinity;
};

Outcome Mprgp::solve() {
  prepare();
  run_.start(x_, w_.gradient, norm_);
  for (;;) {
    if (!std::isfinite(norm_)) return Outcome::not_finite;
    if (run_.small(norm_)) {
      if (const auto outcome = verify()) return *outcome;
    }
    if (run_.at_limit()) return Outcome::iteration_limit;
    if (const auto failure = proportional() ? step_on_face() : step_off_face()) return *failure;
    run_.end_iteration(x_, w_.gradient, norm_);
  }
}

void Mprgp::prepare() {
  const Index n = problem_.size();
  for (Vector* v : {&w_.gradient, &w_.preconditioned, &w_.direction, &w_.product, &w_.free, &w_.free_gradient,
                    &w_.chopped_gradient, &w_.work})
    v->resize(n);
  step_ = 1.9 / problem_.eigenvalue_bound;  // any length up to 2 / λ_max goes down
  gradient(problem_, x_, w_.gradient);
  split();
  restart();
}

// The gradient is carried along from step to step; it has to be small when it is computed anew, too. If not, the
// iteration starts again from there, as long as that helps.
std::optional<Outcome> Mprgp::verify() {
  gradient(problem_, x_, w_.gradient);
  split();
  if (run_.small_or_noise(x_, norm_)) return Outcome::converged;
  if (!(norm_ < 0.5 * verified_norm_)) return Outcome::stalled;
  verified_norm_ = norm_;
  restart();
  return std::nullopt;
}

// F, φ, β and their norms (docs/theory/box-qp.md, Eqs. 2, 3 and 6).
void Mprgp::split() {
  const double inverse_step = 1.0 / step_;
  RunningSum free_squared, chopped_squared, reduced_product;
  for_pairs(problem_.size(), [&]<class S>(Index i) {
    const S zero{}, g = load<S>(&w_.gradient[i]), x = load<S>(&x_[i]);
    const S above = x - load<S>(&problem_.lower[i]), below = x - load<S>(&problem_.upper[i]);
    const S phi = above > 0.0 ? (below < 0.0 ? g : zero) : zero;
    const S at_lower = g < 0.0 ? g : zero, at_upper = g > 0.0 ? g : zero;
    const S beta = above > 0.0 ? (below < 0.0 ? zero : at_upper) : (below < 0.0 ? at_lower : zero);
    const S down = inverse_step * above, up = inverse_step * below;
    const S reduced = phi > 0.0 ? (down < phi ? down : phi) : (up > phi ? up : phi);
    store(above > 0.0 ? (below < 0.0 ? zero + 1.0 : zero) : zero, &w_.free[i]);
    store(phi, &w_.free_gradient[i]);
    store(beta, &w_.chopped_gradient[i]);
    free_squared.add(phi * phi), chopped_squared.add(beta * beta), reduced_product.add(reduced * phi);
  });
  chopped_squared_ = chopped_squared.total();
  reduced_product_ = reduced_product.total();
  norm_ = std::sqrt(free_squared.total() + chopped_squared_);
}

void Mprgp::restart() {
  precondition_.apply(w_.free, w_.free_gradient, w_.preconditioned);
  w_.direction = w_.preconditioned;
}

// The face is worth more than what is off it (docs/theory/box-qp.md, Eq. 7).
bool Mprgp::proportional() const {
  const double gamma = run_.options.proportioning;
  return chopped_squared_ <= gamma * gamma * reduced_product_;
}

std::optional<Outcome> Mprgp::step_on_face() {
  const double descent = w_.preconditioned.dot(w_.gradient);
  if (!(descent > 0.0)) return std::isfinite(descent) ? Outcome::stalled : Outcome::not_finite;
  problem_.matrix.multiply(w_.direction, w_.product);
  const double bend = curvature(w_.direction);
  if (bend < 0.0) return Outcome::not_positive_definite;
  const double length = bend > 0.0 ? descent / bend : infinity, feasible = feasible_length(w_.direction);
  if (length <= feasible && length < infinity) {
    conjugate_step(length, feasible, bend);
  } else if (feasible < infinity) {
    expand(feasible, length);
  } else {
    return Outcome::not_positive_definite;  // down for ever
  }
  return std::nullopt;
}

void Mprgp::conjugate_step(double length, double feasible, double bend) {
  move(w_.direction, length, feasible);
  w_.gradient -= length * w_.product;
  split();
  precondition_.apply(w_.free, w_.free_gradient, w_.preconditioned);
  const double turn = w_.preconditioned.dot(w_.product) / bend;
  w_.direction = w_.free.cwiseProduct(w_.preconditioned - turn * w_.direction);
  ++run_.report.cg_steps;
}

// To the edge of the face, and on with a gradient step that the box cuts; or the whole step at once.
void Mprgp::expand(double feasible, double length) {
  if (run_.options.expansion == Expansion::fixed_step || length == infinity) {
    move(w_.direction, feasible, feasible);
    w_.gradient -= feasible * w_.product;
    split();
    x_ -= step_ * w_.free_gradient;
  } else {
    x_ -= length * w_.direction;
  }
  project(problem_, x_);
  gradient(problem_, x_, w_.gradient);
  split();
  restart();
  ++run_.report.expansions;
}

// Down along β, which releases entries from their bounds. Two-sided boxes may end that step, too.
std::optional<Outcome> Mprgp::step_off_face() {
  const Vector& beta = w_.chopped_gradient;
  problem_.matrix.multiply(beta, w_.product);
  const double bend = curvature(beta);
  if (bend < 0.0) return Outcome::not_positive_definite;
  const double best = bend > 0.0 ? beta.dot(w_.gradient) / bend : infinity;
  const double feasible = feasible_length(beta), length = std::min(best, feasible);
  if (!(length < infinity)) return Outcome::not_positive_definite;
  move(beta, length, feasible);
  w_.gradient -= length * w_.product;
  split();
  restart();
  ++run_.report.proportionings;
  return std::nullopt;
}

// The length at which x - length * direction meets the first bound.
double Mprgp::feasible_length(const Vector& direction) const {
  Pair pairs = Pair{} + infinity;
  double rest = infinity;
  const auto lessen = [](auto& least, const auto& value) { least = value < least ? value : least; };
  for_pairs(problem_.size(), [&]<class S>(Index i) {
    const S d = load<S>(&direction[i]), bound = d > 0.0 ? load<S>(&problem_.lower[i]) : load<S>(&problem_.upper[i]);
    const S length = d == 0.0 ? S{} + infinity : (load<S>(&x_[i]) - bound) / d;
    if constexpr (lane_count<S> == 1)
      lessen(rest, length);
    else
      lessen(pairs, length);
  });
  return std::min({pairs[0], pairs[1], rest});
}

// x -= length * direction. Entries that get to their bound are set on it to the bit, because F is decided by equality.
void Mprgp::move(const Vector& direction, double length, double feasible) {
  for (Index i = 0; length == feasible && i < problem_.size(); ++i) {
    const double d = direction[i], bound = d > 0.0 ? problem_.lower[i] : problem_.upper[i];
    if (d != 0.0 && (x_[i] - bound) / d <= length) x_[i] = bound;
  }
  x_ -= length * direction;
  project(problem_, x_);
}

// dᵀA d for A d in `product`; 0 if it is what round-off makes of zero.
double Mprgp::curvature(const Vector& direction) {
  constexpr double sure = 1e-10, noise = 4.0 * std::numeric_limits<double>::epsilon();
  const double value = direction.dot(w_.product);
  if (value > sure * direction.dot(problem_.matrix.diagonal().cwiseProduct(direction))) return value;
  problem_.matrix.multiply_absolute(direction, w_.work);
  return std::abs(value) > noise * direction.cwiseAbs().dot(w_.work) ? value : 0.0;
}

}  // namespace

Outcome mprgp(Run& run, FacePreconditioner& preconditioner, MprgpWork& work, Vector& x) {
  if (!preconditioner.prepare(run.problem.matrix)) return Outcome::not_positive_definite;
  return Mprgp(run, preconditioner, work, x).solve();
}

}  // namespace tendril::bcqp
