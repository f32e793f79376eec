// How far Newton's steps go (docs/theory/chain.md, Eq. 11), of one chain in each lane: the whole way, half of it, or
// with points made heavier, until a step leads down; and farther where points were made heavier, as long as that leads
// lower.
#pragma once

#include "tendril/rods/chain/damping.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct NewtonTask {
  Mask<S> asked;  // chains that step
  Mask<S> once;   // those of them for which the whole way is enough, wherever it leads
  S before;       // the objective
  double noise;   // of the objective, below which a decrease is not seen
};

template <class S>
struct NewtonStep {
  S alpha, value;     // how much of the way, 0 where there is no step; the objective there
  Mask<S> is_damped;  // with points made heavier: such steps do not square a residual
  Mask<S> stalled;    // no step leads down
};

// What a step adds to the slowness of a chain whose residual is small: at 2 it is round-off that keeps it from falling.
// Newton's method would square it, or take `share` off at least; damped steps promise less, and are given more time.
template <class S>
TENDRIL_INLINE S slowness(const S& residual, const S& last, const Mask<S>& was_damped, double share = 0.5) {
  const S one = broadcast<S>(1.0), some = broadcast<S>(0.1);
  const auto slow = was_damped ? residual > broadcast<S>(0.9) * last : residual > broadcast<S>(share) * last;
  return slow ? (was_damped ? some : one) : S{};
}
constexpr double too_slow = 1.95;  // 2 but for the rounding of tenths

// `factorise` makes the matrix, damped, and tells where it leads down; `solve` finds the way and returns g·dx;
// `try_step` goes so much of it and returns the objective. What is tried last is what is returned.
template <class S, class Factorise, class Solve, class TryStep>
TENDRIL_INLINE NewtonStep<S> find_newton_step(const NewtonTask<S>& task, const Factorise& factorise, const Solve& solve,
                                              const TryStep& try_step) {
  constexpr double decrease = 0.02;  // of the slope, that a step must reach (Armijo)
  constexpr double shortest_step = 1e-8;
  const S zero{}, one = broadcast<S>(1.0), half = broadcast<S>(0.5), unseen = broadcast<S>(task.noise) * task.before;
  const auto searches = task.asked & !task.once;
  NewtonStep<S> step;
  Damping<S> damping;
  step.stalled = damp_until<S>(task.asked, factorise, damping);
  step.alpha = (task.asked & !step.stalled) ? one : zero;
  S gain = solve(damping);
  for (;;) {
    step.value = try_step(step.alpha);
    const auto is_finite = step.value - step.value == zero;
    const auto is_noise = is_finite & (gain <= unseen) & (gain >= -unseen);
    const S low_enough = task.before - broadcast<S>(decrease) * step.alpha * gain;
    const auto enough = ((gain >= zero) & (step.value <= low_enough)) | is_noise;
    const auto again = searches & !step.stalled & !enough;
    if (!any(again)) break;
    const auto heavier = again & (step.alpha < one) & (damping.pushing > zero);
    if (any(heavier)) {
      damping = more_damped(damping, heavier);
      step.stalled = step.stalled | damp_until<S>(heavier, factorise, damping);
      gain = solve(damping);
    }
    step.alpha = again ? (heavier ? one : half * step.alpha) : step.alpha;
    step.stalled = step.stalled | (again & (step.alpha < broadcast<S>(shortest_step)));
    step.alpha = step.stalled ? zero : step.alpha;
  }
  step.is_damped = damping.heavier > zero;
  auto lengthens = searches & (step.alpha == one) & step.is_damped;
  if (!any(lengthens)) return step;
  for (;;) {
    const S longer = step.alpha + step.alpha, there = try_step(lengthens ? longer : step.alpha);
    lengthens = lengthens & (there < step.value);
    if (!any(lengthens)) break;
    step.value = lengthens ? there : step.value, step.alpha = lengthens ? longer : step.alpha;
  }
  step.value = try_step(step.alpha);
  return step;
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
