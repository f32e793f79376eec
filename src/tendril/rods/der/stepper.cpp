#include "tendril/rods/der/stepper.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"

namespace tendril::der {
namespace {

constexpr int most_lanes = 8;
constexpr int state_values = StateLayout::components;
constexpr double least_turn = -0.9, least_chi = 1e-6;
using LaneValues = std::array<double, most_lanes>;

void grow(Stream& stream, std::size_t size) {
  if (stream.size() < size) stream.resize(size);
}

// The integrator as an implicit Euler step (docs/theory/der.md, Eq. 15): effective step h, the velocity that inertia
// aims at, and the displacement (q - q_start) / h of the iterate before it has moved.
struct EffectiveStep {
  double h;
  double ratio = 0.0;  // dt over the step before; 0: plain Euler
};

EffectiveStep effective_step(const StepOptions& options, const State& state) {
  if (options.integrator == Integrator::euler || state.previous_dt == 0.0) return {options.dt, 0.0};
  const double r = options.dt / state.previous_dt;
  return {options.dt * (1.0 + r) / (1.0 + 2.0 * r), r};
}

// One group in one step: the kernels with their scratch.
class GroupStep {
 public:
  GroupStep(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state, std::size_t g,
            GroupScratch& scratch)
      : strands_(strands),
        group_(strands.groups()[g]),
        kernels_(strands.kernels()),
        options_(options),
        scratch_(scratch),
        view_(strands.view(g, targets)),
        state_(state.current[g]),
        previous_(state.previous.empty() ? nullptr : &state.previous[g]),
        effective_(effective_step(options, state)),
        lanes_(strands.lanes()),
        values_(std::size_t(group_.vertices) * std::size_t(lanes_)) {
    grow(scratch.slots, values_ * SlotLayout::components);
    grow(scratch.increment, values_ * 4);
    for (int i = 0; i < 3; ++i) terms_.gravity[i] = options.gravity[i], terms_.wind[i] = options.wind[i];
    terms_.inverse_step = 1.0 / effective_.h;
    terms_.loads = group_.loads.empty() ? nullptr : group_.loads.data();
    if (options.air.density > 0.0) {
      grow(scratch.drag, values_ * 6);
      kernels_.drag(view_, options.air, terms_.wind, state_.data(), scratch.drag.data());
      terms_.drag = scratch.drag.data();
    }
    stiffening_.fill(1.0);
    for (std::size_t lane = 0; lane < group_.strands.size(); ++lane)
      stiffening_[lane] += group_.damping[lane] / options.dt;
  }

  StepReport run(Stream& out) {
    if (!options_.converge && options_.newton == 1 && effective_.ratio == 0.0) return run_once(out);
    return iterate(out);
  }

  // Residual of the step that ended in `after`, per lane, relative.
  double residual_of(const Stream& after) {
    begin_iteration();
    grow(scratch_.residual, values_ * 4);
    // The iterate's velocity must be (q - q_start) / h, which is the end velocity itself.
    LaneValues relative;
    measure_residual(after, relative);
    return *std::max_element(relative.begin(), relative.begin() + group_.owned);
  }

 private:
  // The linearly implicit step: one assembly at the old state, one solve.
  StepReport run_once(Stream& out) {
    StepReport report;
    terms_.target_velocity = state_.data() + StateLayout::velocity * lanes_;
    terms_.target_stride = state_values * lanes_;
    terms_.carried = 0.0;
    terms_.stiffening = group_.damped ? stiffening_.data() : nullptr;
    LaneValues ones;
    ones.fill(1.0);
    linearise(state_, report);
    kernels_.back_substitute(view_, scratch_.slots.data(), scratch_.increment.data());
    advance(state_, ones, out);
    report.iterations = 1;
    judge_advance(report);
    return report;
  }

  StepReport iterate(Stream& out) {
    StepReport report;
    begin_iteration();
    grow(scratch_.iterate, values_ * state_values), grow(scratch_.trial, values_ * state_values);
    start_iterate(scratch_.iterate);
    const int limit = options_.converge ? options_.max_iterations : options_.newton;
    LaneValues ones, relative, length;
    ones.fill(1.0);
    std::array<bool, most_lanes> done{}, stalled{};
    for (; report.iterations < limit; ++report.iterations) {
      linearise(scratch_.iterate, report);
      kernels_.back_substitute(view_, scratch_.slots.data(), scratch_.increment.data());
      if (report.iterations == 0 || !options_.converge)
        advance(scratch_.iterate, ones, scratch_.trial);  // the prescribed motion in full: nothing to search along yet
      else
        search(length, stalled);
      judge_advance(report);
      if (report.outcome == Outcome::failed) return report;
      for (int lane = 0; lane < lanes_; ++lane)
        if (done[std::size_t(lane)]) keep_lane(scratch_.iterate, scratch_.trial, lane);
      scratch_.iterate.swap(scratch_.trial);
      if (!options_.converge) continue;
      measure_residual(scratch_.iterate, relative);
      for (std::size_t lane = 0; lane < std::size_t(lanes_); ++lane)
        done[lane] = done[lane] || relative[lane] <= options_.tolerance || stalled[lane] || small_increment(int(lane));
      if (std::all_of(done.begin(), done.begin() + lanes_, [](bool d) { return d; })) {
        ++report.iterations;
        break;
      }
    }
    std::copy_n(scratch_.iterate.begin(), values_ * state_values, out.begin());
    if (options_.converge) judge_convergence(relative, done, report);
    return report;
  }

  // Targets of inertia, and rest data with the damping in them (docs/theory/der.md, Eq. 16).
  void begin_iteration() {
    grow(scratch_.target_velocity, values_ * 4);
    const double r = effective_.ratio, c = 1.0 / (1.0 + 2.0 * r);
    for (int k = 0; k < group_.vertices; ++k)
      for (std::size_t i = 0; i < 4 * std::size_t(lanes_); ++i) {
        const std::size_t v = std::size_t(k) * std::size_t(state_values * lanes_) + std::size_t(4 * lanes_) + i;
        double target = state_[v];
        if (r > 0.0) target = c * ((1.0 + r) * (1.0 + r) * state_[v] - r * r * (*previous_)[v]);
        scratch_.target_velocity[std::size_t(k) * std::size_t(4 * lanes_) + i] = target;
      }
    terms_.target_velocity = scratch_.target_velocity.data();
    terms_.target_stride = 4 * lanes_;
    terms_.carried = 1.0;
    if (group_.damped) fold_damping_into_rest();
  }

  // E + (damping / 2 dt) times the stiffness on the change of strain is again a quadratic in the strain: stiffer by
  // s = 1 + damping/dt, at rest where s rest' = rest + (s - 1) strain(start).
  void fold_damping_into_rest() {
    using P = ParameterLayout;
    grow(scratch_.parameters, values_ * P::components), grow(scratch_.strains, values_ * MeasureLayout::components);
    kernels_.measure(view_, state_.data(), scratch_.strains.data());
    std::copy(group_.parameters.begin(), group_.parameters.end(), scratch_.parameters.begin());
    const auto w = std::size_t(lanes_);
    for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
      for (std::size_t lane = 0; lane < w; ++lane) {
        const double s = stiffening_[lane];
        const auto parameter = [&](int c) -> double& { return scratch_.parameters[(k * P::components + std::size_t(c)) * w + lane]; };
        const auto strain = [&](int c) { return scratch_.strains[(k * MeasureLayout::components + std::size_t(c)) * w + lane]; };
        const auto mix = [&](double rest, double start) { return (rest + (s - 1.0) * start) / s; };
        // EA ((l - l_0)/l + e): the start strain e_0 makes s e' = e - (s - 1) (l_start - l_0)/l.
        const double moved = (strain(MeasureLayout::length) - parameter(P::reference_length)) * parameter(P::inverse_rest_length);
        parameter(P::rest_strain) = mix(parameter(P::rest_strain), -moved);
        for (const int c : {P::stretch, P::bend1, P::bend2, P::twist}) parameter(c) *= s;
        for (int c = 0; c < 4; ++c)
          parameter(P::rest_curvature + c) = mix(parameter(P::rest_curvature + c), strain(MeasureLayout::curvature + c));
        parameter(P::rest_twist) = mix(parameter(P::rest_twist), strain(MeasureLayout::twist));
      }
    view_.parameters = scratch_.parameters.data();
  }

  // A copy of the state whose velocity is (q - q_start) / h: zero for Euler.
  void start_iterate(Stream& iterate) const {
    std::copy(state_.begin(), state_.end(), iterate.begin());
    const double r = effective_.ratio, c = r * r / (1.0 + 2.0 * r) / effective_.h;
    const auto w = std::size_t(lanes_);
    for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
      for (std::size_t i = 0; i < 4 * w; ++i) {
        const std::size_t q = k * state_values * w + i;
        iterate[q + 4 * w] = r > 0.0 ? c * ((*previous_)[q] - state_[q]) : 0.0;
      }
  }

  void linearise(const Stream& at, StepReport& report) {
    LaneValues clamped;
    kernels_.linearise(view_, terms_, at.data(), scratch_.slots.data(), clamped.data());
    for (int lane = 0; lane < group_.owned; ++lane) report.clamped_pivots += std::size_t(clamped[std::size_t(lane)]);
  }

  void advance(const Stream& from, const LaneValues& length, Stream& to) {
    kernels_.advance(view_, terms_, from.data(), scratch_.increment.data(), length.data(), to.data(), advanced_.data());
  }

  double advanced(AdvanceReport::Row row, int lane) const { return advanced_[std::size_t(row * lanes_ + lane)]; }

  Trouble trouble_of(int lane) const {
    if (!(advanced(AdvanceReport::not_finite, lane) == 0.0)) return Trouble::not_finite;
    if (advanced(AdvanceReport::least_turn, lane) < least_turn) return Trouble::tangent_flip;
    if (advanced(AdvanceReport::least_chi, lane) < least_chi) return Trouble::fold_back;
    return Trouble::none;
  }

  void judge_advance(StepReport& report) const {
    for (int lane = 0; lane < group_.owned; ++lane)
      if (const Trouble trouble = trouble_of(lane); trouble != Trouble::none) note(report, Outcome::failed, trouble, lane);
  }

  void judge_convergence(const LaneValues& relative, const std::array<bool, most_lanes>& done, StepReport& report) const {
    for (int lane = 0; lane < group_.owned; ++lane) {
      report.residual = std::max(report.residual, relative[std::size_t(lane)]);
      if (!done[std::size_t(lane)]) note(report, Outcome::usable, Trouble::not_converged, lane);
    }
  }

  void note(StepReport& report, Outcome outcome, Trouble trouble, int lane) const {
    const std::size_t strand = group_.strands[std::size_t(lane)];
    if (report.troubled++ == 0 || strand < report.strand) report.strand = strand, report.trouble = trouble;
    report.outcome = std::max(report.outcome, outcome);
  }

  // Halves the step of each lane until its incremental potential has fallen enough (Armijo, with a slack for round-off).
  void search(LaneValues& length, std::array<bool, most_lanes>& stalled) {
    LaneValues start, slope, value;
    potential(scratch_.iterate, start);
    slope_along_increment(slope);
    length.fill(1.0);
    for (int halving = 0; halving <= 30; ++halving) {
      advance(scratch_.iterate, length, scratch_.trial);
      potential(scratch_.trial, value);
      bool all = true;
      for (std::size_t lane = 0; lane < std::size_t(lanes_); ++lane) {
        const bool enough = trouble_of(int(lane)) == Trouble::none &&
                            value[lane] <= start[lane] + 1e-4 * length[lane] * slope[lane] + 1e-13 * std::abs(start[lane]);
        if (enough) continue;
        all = false;
        if (halving == 30) {
          length[lane] = 0.0, stalled[lane] = true;
        } else {
          length[lane] *= 0.5;
        }
      }
      if (all) return;
    }
    advance(scratch_.iterate, length, scratch_.trial);
  }

  void potential(const Stream& at, LaneValues& total) {
    std::array<double, std::size_t(EnergyReport::rows * most_lanes)> rows;
    kernels_.energy(view_, terms_, at.data(), state_.data(), rows.data());
    total.fill(0.0);
    for (int row = 0; row < EnergyReport::rows; ++row)
      for (int lane = 0; lane < lanes_; ++lane) total[std::size_t(lane)] += rows[std::size_t(row * lanes_ + lane)];
  }

  void slope_along_increment(LaneValues& slope) {
    slope.fill(0.0);  // the residual is minus the gradient, and it was measured at the iterate just before
    for (std::size_t i = 0; i < values_ * 4; ++i) slope[i % std::size_t(lanes_)] -= scratch_.residual[i] * scratch_.increment[i];
  }

  // Largest residual over the free unknowns, per lane, over the largest load of a vertex; a torque counts as the force
  // at the strand's surface... of half its width.
  void measure_residual(const Stream& at, LaneValues& relative) {
    grow(scratch_.residual, values_ * 4);
    kernels_.residual(view_, terms_, at.data(), scratch_.residual.data());
    LaneValues largest{}, load{};
    const auto w = std::size_t(lanes_);
    for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k)
      for (std::size_t lane = 0; lane < w; ++lane) {
        double vertex_load = 0.0;
        const double mass = group_.parameters[k * ParameterLayout::components * w + lane];
        for (std::size_t c = 0; c < 4; ++c) {
          double& r = scratch_.residual[(k * 4 + c) * w + lane];
          if (const int hold = group_.hold_of[k]; hold >= 0)
            if (view_.holds[(std::size_t(hold) * HoldLayout::components + c) * w + lane] == 0.0) r = 0.0;
          if (c == 3) {
            const double radius = 0.5 * group_.parameters[(k * ParameterLayout::components + ParameterLayout::width) * w + lane];
            if (radius > 0.0) largest[lane] = std::max(largest[lane], std::abs(r) / std::max(radius, 0.1 / group_.parameters[(k * ParameterLayout::components + ParameterLayout::inverse_rest_length) * w + lane]));
            continue;
          }
          largest[lane] = std::isfinite(r) ? std::max(largest[lane], std::abs(r)) : INFINITY;
          vertex_load += mass * (std::abs(terms_.gravity[c]) + std::abs(terms_.target_velocity[(k * 4 + c) * w + lane]) * terms_.inverse_step);
          if (terms_.loads != nullptr) vertex_load += std::abs(terms_.loads[(k * 4 + c) * w + lane]);
        }
        load[lane] = std::max(load[lane], vertex_load);
      }
    for (std::size_t lane = 0; lane < w; ++lane) relative[lane] = load[lane] > 0.0 ? largest[lane] / load[lane] : largest[lane];
  }

  bool small_increment(int lane) const {  // 1e-9 of an edge, or of a radian
    const auto w = std::size_t(lanes_);
    for (std::size_t k = 0; k < std::size_t(group_.vertices); ++k) {
      const double inverse_length =
          group_.parameters[(k * ParameterLayout::components + ParameterLayout::inverse_rest_length) * w + std::size_t(lane)];
      for (std::size_t c = 0; c < 4; ++c)
        if (!(std::abs(scratch_.increment[(k * 4 + c) * w + std::size_t(lane)]) * (c < 3 ? inverse_length : 1.0) < 1e-9)) return false;
    }
    return true;
  }

  // A lane that is done keeps its bits: what its neighbours still need must not show in it.
  void keep_lane(const Stream& from, Stream& to, int lane) const {
    for (std::size_t i = std::size_t(lane); i < values_ * state_values; i += std::size_t(lanes_)) to[i] = from[i];
  }

  const Strands& strands_;
  const Strands::Group& group_;
  const Kernels& kernels_;
  const StepOptions& options_;
  GroupScratch& scratch_;
  GroupView view_;
  const Stream& state_;
  const Stream* previous_;
  EffectiveStep effective_;
  int lanes_;
  std::size_t values_;  // vertices times lanes
  StepTerms terms_;
  alignas(64) LaneValues stiffening_;
  alignas(64) std::array<double, std::size_t(AdvanceReport::rows * most_lanes)> advanced_{};
};

void prepare(const Strands& strands, StepWorkspace& work) {
  work.threads.resize(std::size_t(thread_count()));
  work.groups.assign(strands.groups().size(), StepReport{});
}

void prepare(const State& state, State& trial) {
  trial.current.resize(state.current.size());
  for (std::size_t g = 0; g < state.current.size(); ++g) trial.current[g].resize(state.current[g].size());
}

}  // namespace

const char* text(Trouble trouble) {
  switch (trouble) {
    case Trouble::none: return "all is well";
    case Trouble::not_finite: return "a position or velocity is not a finite number";
    case Trouble::tangent_flip: return "an edge turned by more than 154 degrees in one step";
    case Trouble::fold_back: return "two edges folded onto each other";
    case Trouble::not_converged: return "the residual stayed above the tolerance";
  }
  return "";
}

StepReport step(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state,
                StepWorkspace& work, State& trial) {
  prepare(strands, work);
  prepare(state, trial);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const FlushDenormals flush;
    GroupStep group(strands, targets, options, state, g, work.threads[std::size_t(worker_index())]);
    work.groups[g] = group.run(trial.current[g]);
  });
  StepReport total;
  for (const StepReport& r : work.groups) {
    if (r.troubled > 0 && (total.troubled == 0 || r.strand < total.strand)) total.strand = r.strand, total.trouble = r.trouble;
    total.troubled += r.troubled;
    total.outcome = std::max(total.outcome, r.outcome);
    total.iterations = std::max(total.iterations, r.iterations);
    total.clamped_pivots += r.clamped_pivots;
    total.residual = std::max(total.residual, r.residual);
  }
  return total;
}

double force_residual(const Strands& strands, const Targets& targets, const StepOptions& options, const State& before,
                      const State& after, StepWorkspace& work) {
  prepare(strands, work);
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const FlushDenormals flush;
    GroupStep group(strands, targets, options, before, g, work.threads[std::size_t(worker_index())]);
    work.groups[g].residual = group.residual_of(after.current[g]);
  });
  double largest = 0.0;
  for (const StepReport& r : work.groups) largest = std::max(largest, r.residual);
  return largest;
}

double largest_stretch(const Strands& strands, const Targets& targets, const State& state) {
  double largest = 0.0;
  Stream strains;
  const auto w = std::size_t(strands.lanes());
  for (std::size_t g = 0; g < strands.groups().size(); ++g) {
    const Strands::Group& group = strands.groups()[g];
    grow(strains, std::size_t(group.vertices) * MeasureLayout::components * w);
    strands.kernels().measure(strands.view(g, targets), state.current[g].data(), strains.data());
    for (std::size_t lane = 0; lane < std::size_t(group.owned); ++lane)
      for (std::size_t k = std::size_t(group.first[lane]); k + 1 < std::size_t(group.first[lane]) + strands.vertices(group.strands[lane]); ++k) {
        const double* parameters = &group.parameters[k * ParameterLayout::components * w + lane];
        const double length = strains[k * MeasureLayout::components * w + lane];
        const double strain = (length - parameters[ParameterLayout::reference_length * w]) * parameters[ParameterLayout::inverse_rest_length * w] +
                              parameters[ParameterLayout::rest_strain * w];
        largest = std::max(largest, std::abs(strain));
      }
  }
  return largest;
}

}  // namespace tendril::der
