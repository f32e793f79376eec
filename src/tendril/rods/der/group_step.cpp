#include "tendril/rods/der/group_step.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril::der {
namespace {

constexpr int state_values = StateLayout::components;
constexpr double largest_ratio = 2.0;  // of a step to the one before: BDF2 is stable up to 1 + sqrt(2)
constexpr double least_turn = -0.9, least_chi = 1e-6;
constexpr int most_strides = 20;        // then the line search takes over
constexpr double longest_stride = 0.6;  // cosine of the angle that an edge may turn in a stride

void grow(Stream& stream, std::size_t size) {
  if (stream.size() < size) stream.resize(size);
}

GroupStep::LaneValues ones() {
  GroupStep::LaneValues values;
  values.fill(1.0);
  return values;
}

}  // namespace

EffectiveStep effective_step(const StepOptions& options, const State& state) {
  if (options.integrator == Integrator::euler || state.previous_dt == 0.0) return {options.dt, 0.0};
  const double r = options.dt / state.previous_dt;
  if (r > largest_ratio) return {options.dt, 0.0};
  return {options.dt * (1.0 + r) / (1.0 + 2.0 * r), r};
}

GroupStep::GroupStep(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state,
                     std::size_t g, GroupScratch& scratch)
    : group_(strands.groups()[g]),
      kernels_(strands.kernels()),
      options_(options),
      scratch_(scratch),
      view_(strands.view(g, targets)),
      parameters_(strands.parameters(g)),
      state_(state.current[g]),
      previous_(state.previous_dt > 0.0 ? state.previous[g] : std::span<const double>()),
      effective_(effective_step(options, state)),
      lanes_(strands.lanes()),
      values_(std::size_t(group_.vertices) * std::size_t(lanes_)) {
  grow(scratch.slots, values_ * SlotLayout::components);
  grow(scratch.increment, values_ * 4);
  for (int i = 0; i < 3; ++i) terms_.gravity[i] = options.gravity[i], terms_.wind[i] = options.wind[i];
  terms_.inverse_step = 1.0 / effective_.h;
  terms_.loads = group_.loads.empty() ? nullptr : group_.loads.data();
  terms_.anchors = targets.anchors.empty() ? nullptr : targets.anchors[g].data();
  if (options.air.density > 0.0) {
    grow(scratch.drag, values_ * 6);
    kernels_.drag(view_, options.air, terms_.wind, state_.data(), scratch.drag.data());
    terms_.drag = scratch.drag.data();
  }
  for (std::size_t lane = 0; lane < std::size_t(lanes_); ++lane)
    stiffening_[lane] = 1.0 + group_.damping[lane] / options.dt;
}

StepReport GroupStep::run(std::span<double> out) {
  if (!options_.converge && options_.newton == 1 && plain_euler()) return run_once(out);
  return iterate(out);
}

// The linearly implicit step: one assembly at the old state, one solve.
StepReport GroupStep::run_once(std::span<double> out) {
  StepReport report = linearise_at_start();
  advance(state_, scratch_.increment, ones(), out);
  judge_advance(report);
  return report;
}

StepReport GroupStep::linearise_at_start() {
  StepReport report;
  report.iterations = 1;
  if (plain_euler()) {
    aim_at_state_velocity();
    linearise(state_, report);
  } else {
    begin_iteration();
    grow(scratch_.iterate, values_ * state_values);
    start_iterate(scratch_.iterate);
    linearise(scratch_.iterate, report);
  }
  return report;
}

StepReport GroupStep::advance_by(std::span<const double> increment, std::span<double> out) {
  StepReport report;
  report.iterations = 1;
  if (plain_euler()) {
    aim_at_state_velocity();
    advance(state_, increment, ones(), out);
  } else {
    begin_iteration();
    grow(scratch_.iterate, values_ * state_values);
    start_iterate(scratch_.iterate);
    advance(scratch_.iterate, increment, ones(), out);
  }
  judge_advance(report);
  return report;
}

StepReport GroupStep::linearise_at(std::span<const double> iterate) {
  StepReport report;
  report.iterations = 1;
  begin_iteration();
  linearise(iterate, report);
  return report;
}

StepReport GroupStep::advance_from(std::span<const double> iterate, std::span<const double> increment,
                                   std::span<double> out) {
  StepReport report;
  report.iterations = 1;
  begin_iteration();
  advance(iterate, increment, ones(), out);
  judge_advance(report);
  return report;
}

void GroupStep::add_loads(std::span<const double> loads) {
  grow(scratch_.loads, values_ * 4);
  for (std::size_t i = 0; i < values_ * 4; ++i)
    scratch_.loads[i] = loads[i] + (group_.loads.empty() ? 0.0 : group_.loads[i]);
  terms_.loads = scratch_.loads.data();
}

double GroupStep::start_velocity(int k, int c, int lane) const {
  if (plain_euler()) return 0.0;
  const std::size_t q = std::size_t(k * state_values + c) * std::size_t(lanes_) + std::size_t(lane);
  const double r = effective_.ratio;
  return r * r / (1.0 + 2.0 * r) / effective_.h * (previous_[q] - state_[q]);
}

// The first iteration carries the prescribed motion in full. Then strides: full Newton steps in which the tension that
// the linear system predicts stiffens the edges against turning. The tension of the pose would not do: a step that
// turns a stiff edge stretches it by second order, and that false tension would hold the edge back for tens of
// iterations (docs/theory/der.md, Eq. 18). Whoever has not converged after those goes on with a search along the
// incremental potential, which cannot fail to go down.
StepReport GroupStep::iterate(std::span<double> out) {
  StepReport report;
  begin_iteration();
  grow(scratch_.iterate, values_ * state_values), grow(scratch_.trial, values_ * state_values);
  grow(scratch_.tension, values_), grow(scratch_.next_tension, values_);
  start_iterate(scratch_.iterate);
  const int limit = options_.converge ? options_.max_iterations : options_.newton;
  LaneValues relative{}, rounding{};
  std::array<bool, most_lanes> converged{}, stalled{}, done{};
  while (report.iterations < limit) {
    const bool searching = report.iterations > most_strides;
    if (searching) terms_.tension = nullptr;
    linearise(scratch_.iterate, report);
    if (report.iterations == 0 || !options_.converge)
      advance(scratch_.iterate, scratch_.increment, ones(), scratch_.trial, scratch_.next_tension.data());
    else if (searching)
      search(stalled);
    else
      stride();
    scratch_.tension.swap(scratch_.next_tension);
    if (options_.converge) terms_.tension = scratch_.tension.data();
    ++report.iterations;
    judge_advance(report);
    if (report.outcome == Outcome::failed) return report;
    for (int lane = 0; lane < lanes_; ++lane)
      if (done[std::size_t(lane)]) keep_lane(scratch_.iterate, scratch_.trial, lane);
    scratch_.iterate.swap(scratch_.trial);
    if (!options_.converge) continue;
    measure_residual(scratch_.iterate, relative, rounding);
    for (std::size_t lane = 0; lane < std::size_t(lanes_); ++lane) {
      const bool met = relative[lane] <= std::max(options_.tolerance, rounding[lane]) || at_rounding(int(lane));
      converged[lane] = converged[lane] || met;
      done[lane] = converged[lane] || stalled[lane];
    }
    if (std::all_of(done.begin(), done.begin() + lanes_, [](bool d) { return d; })) break;
  }
  std::copy_n(scratch_.iterate.begin(), values_ * state_values, out.begin());
  if (options_.converge) judge_convergence(relative, converged, report);
  return report;
}

// A Newton step in full, cut only where an edge would turn too far for its linearisation to mean anything.
void GroupStep::stride() {
  LaneValues length = ones();
  for (int halving = 0;; ++halving) {
    advance(scratch_.iterate, scratch_.increment, length, scratch_.trial, scratch_.next_tension.data());
    bool all = true;
    for (int lane = 0; lane < lanes_; ++lane) {
      if (advanced(AdvanceReport::least_turn, lane) >= longest_stride) continue;
      length[std::size_t(lane)] *= 0.5;
      all = false;
    }
    if (all || halving == 4) return;
  }
}

// The first iteration of Euler: inertia aims at the old velocity, which the state itself holds.
void GroupStep::aim_at_state_velocity() {
  terms_.target_velocity = state_.data() + StateLayout::velocity * lanes_;
  terms_.target_stride = state_values * lanes_;
  terms_.carried = 0.0;
  terms_.stiffening = group_.damped ? stiffening_.data() : nullptr;
}

// Iterates with a velocity of their own: targets of inertia in an array, and the damping in the rest data.
void GroupStep::begin_iteration() {
  grow(scratch_.target_velocity, values_ * 4);
  const double r = effective_.ratio, c = 1.0 / (1.0 + 2.0 * r);
  const auto w = std::size_t(lanes_);
  for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
    for (std::size_t i = 0; i < 4 * w; ++i) {
      const std::size_t v = (k * state_values + StateLayout::velocity) * w + i;
      scratch_.target_velocity[k * 4 * w + i] =
          plain_euler() ? state_[v] : c * ((1.0 + r) * (1.0 + r) * state_[v] - r * r * previous_[v]);
    }
  terms_.target_velocity = scratch_.target_velocity.data();
  terms_.target_stride = 4 * lanes_;
  terms_.carried = 1.0;
  if (group_.damped) fold_damping_into_rest();
}

// E plus (damping / 2 dt) times the stiffness on the change of strain is again a quadratic in the strain: stiffer by
// s = 1 + damping/dt, and at rest where s rest' = rest + (s - 1) strain(start) (docs/theory/der.md, Eq. 16).
void GroupStep::fold_damping_into_rest() {
  using P = ParameterLayout;
  grow(scratch_.parameters, values_ * P::components), grow(scratch_.strains, values_ * MeasureLayout::components);
  kernels_.measure(view_, state_.data(), scratch_.strains.data());
  std::copy(parameters_.begin(), parameters_.end(), scratch_.parameters.begin());
  const auto w = std::size_t(lanes_);
  for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
    for (std::size_t lane = 0; lane < w; ++lane) {
      const double s = stiffening_[lane];
      const auto folded = [&](int c) -> double& {
        return scratch_.parameters[(k * P::components + std::size_t(c)) * w + lane];
      };
      const auto strain = [&](int c) {
        return scratch_.strains[(k * MeasureLayout::components + std::size_t(c)) * w + lane];
      };
      const auto mix = [&](double rest, double start) { return (rest + (s - 1.0) * start) / s; };
      // The stretch strain is (l - l_0)/l + e, so its "rest" is -e.
      const double moved =
          (strain(MeasureLayout::length) - folded(P::reference_length)) * folded(P::inverse_rest_length);
      folded(P::rest_strain) = mix(folded(P::rest_strain), -moved);
      for (const int c : {P::stretch, P::bend1, P::bend2, P::twist}) folded(c) *= s;
      for (int c = 0; c < 4; ++c)
        folded(P::rest_curvature + c) = mix(folded(P::rest_curvature + c), strain(MeasureLayout::curvature + c));
      folded(P::rest_twist) = mix(folded(P::rest_twist), strain(MeasureLayout::twist));
    }
  view_.parameters = scratch_.parameters.data();
}

// A copy of the state whose velocity is (q - q_start) / h.
void GroupStep::start_iterate(std::span<double> iterate) const {
  std::copy(state_.begin(), state_.end(), iterate.begin());
  for (int k = 0; k < group_.vertices; ++k)
    for (int c = 0; c < 4; ++c)
      for (int lane = 0; lane < lanes_; ++lane)
        iterate[std::size_t((k * state_values + StateLayout::velocity + c) * lanes_ + lane)] =
            start_velocity(k, c, lane);
}

void GroupStep::linearise(std::span<const double> at, StepReport& report) {
  alignas(64) LaneValues clamped;
  kernels_.linearise(view_, terms_, at.data(), scratch_.slots.data(), clamped.data());
  kernels_.back_substitute(view_, scratch_.slots.data(), scratch_.increment.data());
  for (int lane = 0; lane < group_.owned; ++lane) report.clamped_pivots += std::size_t(clamped[std::size_t(lane)]);
}

void GroupStep::advance(std::span<const double> from, std::span<const double> increment, const LaneValues& length,
                        std::span<double> to, double* tension) {
  kernels_.advance(view_, terms_, from.data(), increment.data(), length.data(), to.data(), tension, advanced_.data());
}

Trouble GroupStep::trouble_of(int lane) const {
  if (!(advanced(AdvanceReport::not_finite, lane) == 0.0)) return Trouble::not_finite;
  if (advanced(AdvanceReport::least_turn, lane) < least_turn) return Trouble::tangent_flip;
  if (advanced(AdvanceReport::least_chi, lane) < least_chi) return Trouble::fold_back;
  return Trouble::none;
}

void GroupStep::judge_advance(StepReport& report) const {
  for (int lane = 0; lane < group_.owned; ++lane)
    if (const Trouble trouble = trouble_of(lane); trouble != Trouble::none)
      note(report, Outcome::failed, trouble, lane);
}

void GroupStep::judge_convergence(const LaneValues& relative, const std::array<bool, most_lanes>& converged,
                                  StepReport& report) const {
  for (std::size_t lane = 0; lane < std::size_t(group_.owned); ++lane) {
    report.residual = std::max(report.residual, relative[lane]);
    if (!converged[lane]) note(report, Outcome::usable, Trouble::not_converged, int(lane));
  }
}

void GroupStep::note(StepReport& report, Outcome outcome, Trouble trouble, int lane) const {
  const std::size_t strand = group_.strands[std::size_t(lane)];
  if (report.troubled++ == 0 || strand < report.strand) report.strand = strand, report.trouble = trouble;
  report.outcome = std::max(report.outcome, outcome);
}

// Halves the step of each lane until its incremental potential has fallen enough (Armijo, with a slack for round-off).
void GroupStep::search(std::array<bool, most_lanes>& stalled) {
  constexpr int most_halvings = 30;
  LaneValues start, slope, value, length = ones();
  potential(scratch_.iterate, start);
  slope_along_increment(slope);
  for (int halving = 0; halving <= most_halvings; ++halving) {
    advance(scratch_.iterate, scratch_.increment, length, scratch_.trial);
    potential(scratch_.trial, value);
    bool all = true;
    for (std::size_t lane = 0; lane < std::size_t(lanes_); ++lane) {
      const double bound = start[lane] + 1e-4 * length[lane] * slope[lane] + 1e-13 * std::abs(start[lane]);
      if (trouble_of(int(lane)) == Trouble::none && value[lane] <= bound) continue;
      all = false;
      if (halving < most_halvings) length[lane] *= 0.5;
      if (halving == most_halvings) length[lane] = 0.0, stalled[lane] = true;
    }
    if (all) return;
  }
  advance(scratch_.iterate, scratch_.increment, length, scratch_.trial);
}

void GroupStep::potential(std::span<const double> at, LaneValues& total) {
  std::array<double, std::size_t(EnergyReport::rows * most_lanes)> rows;
  kernels_.energy(view_, terms_, at.data(), state_.data(), rows.data());
  total.fill(0.0);
  for (int row = 0; row < EnergyReport::rows; ++row)
    for (int lane = 0; lane < lanes_; ++lane) total[std::size_t(lane)] += rows[std::size_t(row * lanes_ + lane)];
}

// The residual is minus the gradient, and it was measured at the iterate just before.
void GroupStep::slope_along_increment(LaneValues& slope) const {
  slope.fill(0.0);
  for (std::size_t i = 0; i < values_ * 4; ++i)
    slope[i % std::size_t(lanes_)] -= scratch_.residual[i] * scratch_.increment[i];
}

double GroupStep::residual_of(std::span<const double> after) {
  begin_iteration();
  LaneValues relative, rounding;
  measure_residual(after, relative, rounding);
  balanced_ = true;
  for (std::size_t lane = 0; lane < std::size_t(group_.owned); ++lane)
    balanced_ = balanced_ && relative[lane] <= std::max(options_.tolerance, rounding[lane]);
  return *std::max_element(relative.begin(), relative.begin() + group_.owned);
}

// Largest residual over the free unknowns, per lane, over the largest load of a vertex; a torque counts as a force with
// the edge as its lever. `rounding` is what of it the rounding of positions alone can make.
void GroupStep::measure_residual(std::span<const double> at, LaneValues& relative, LaneValues& rounding) {
  grow(scratch_.residual, values_ * 4);
  kernels_.residual(view_, terms_, at.data(), scratch_.residual.data());
  LaneValues largest{}, load{}, noise{};
  const auto w = std::size_t(lanes_);
  for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
    for (std::size_t lane = 0; lane < w; ++lane) {
      for (std::size_t c = 0; c < 4; ++c) {
        double& r = scratch_.residual[(k * 4 + c) * w + lane];
        const int hold = group_.hold_of[k];
        if (hold >= 0 && view_.holds[(std::size_t(hold) * HoldLayout::components + c) * w + lane] == 0.0) r = 0.0;
        if (c == 3 && k + 1 == std::size_t(group_.vertices)) r = 0.0;  // the dummy angle
        const double force =
            c < 3 ? std::abs(r) : std::abs(r) * parameter(k, ParameterLayout::inverse_rest_length, lane);
        largest[lane] = std::isfinite(force) ? std::max(largest[lane], force) : std::numeric_limits<double>::infinity();
      }
      load[lane] = std::max(load[lane], vertex_load(k, lane));
      noise[lane] = std::max(noise[lane], rounding_of(at, k, lane));
    }
  for (std::size_t lane = 0; lane < w; ++lane) {
    const double scale = load[lane] > 0.0 ? load[lane] : 1.0;
    relative[lane] = largest[lane] / scale, rounding[lane] = noise[lane] / scale;
  }
}

// Positions are off by half a unit in the last place; a stiff edge turns that into a force.
double GroupStep::rounding_of(std::span<const double> at, std::size_t k, std::size_t lane) const {
  const auto w = std::size_t(lanes_);
  double largest = 0.0;
  for (std::size_t c = 0; c < 3; ++c) largest = std::max(largest, std::abs(at[(k * state_values + c) * w + lane]));
  return 8.0 * std::numeric_limits<double>::epsilon() * largest *
         view_.parameters[(k * ParameterLayout::components + ParameterLayout::stretch) * w + lane] *
         parameter(k, ParameterLayout::inverse_rest_length, lane);
}

// Gravity, loads, and the force that would stop the vertex within the step.
double GroupStep::vertex_load(std::size_t k, std::size_t lane) const {
  const auto w = std::size_t(lanes_);
  double sum = 0.0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double speed = terms_.target_velocity[(k * 4 + c) * w + lane];
    sum += parameter(k, ParameterLayout::mass, lane) *
           (std::abs(terms_.gravity[c]) + std::abs(speed) * terms_.inverse_step);
    if (terms_.loads != nullptr) sum += std::abs(terms_.loads[(k * 4 + c) * w + lane]);
  }
  return sum;
}

// The last increment was no more than the rounding of what it changed: nothing better can be had.
bool GroupStep::at_rounding(int lane) const {
  constexpr double some_epsilon = 8.0 * std::numeric_limits<double>::epsilon();
  const auto w = std::size_t(lanes_);
  double largest_position = 0.0, largest_angle = 1.0, increment = 0.0, turn = 0.0;
  for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
    for (std::size_t c = 0; c < 4; ++c) {
      const double q = std::abs(state_[(k * state_values + c) * w + std::size_t(lane)]);
      const double change = std::abs(scratch_.increment[(k * 4 + c) * w + std::size_t(lane)]);
      double& largest = c < 3 ? largest_position : largest_angle;
      double& moved = c < 3 ? increment : turn;
      largest = std::max(largest, q), moved = std::max(moved, change);
    }
  return increment <= some_epsilon * largest_position && turn <= some_epsilon * largest_angle;
}

// A lane that is done keeps its bits: what its neighbours still need must not show in it.
void GroupStep::keep_lane(std::span<const double> from, std::span<double> to, int lane) const {
  for (std::size_t i = std::size_t(lane); i < values_ * state_values; i += std::size_t(lanes_)) to[i] = from[i];
}

}  // namespace tendril::der
