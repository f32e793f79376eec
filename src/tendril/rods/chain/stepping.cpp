#include "tendril/rods/chain/stepping.hpp"

#include <limits>

#include "tendril/base/parallel.hpp"

namespace tendril::chain {
namespace {

// What a step of positions or of velocities is divided by (Eqs. 21, 22).
double effective_step(double dt, Integrator integrator) { return integrator == Integrator::bdf2 ? 2.0 / 3.0 * dt : dt; }

// Of a free point under the acceleration a.
Vector3d predict(const ChainState& state, std::size_t i, Integrator integrator, double dt, const Vector3d& a) {
  const Vector3d &x = state.x[i], &v = state.v[i];
  if (integrator != Integrator::bdf2) return x + dt * v + dt * dt * a;
  const double h = effective_step(dt, integrator);
  return (4.0 * x - state.x_before[i]) / 3.0 + h * (4.0 * v - state.v_before[i]) / 3.0 + h * h * a;
}

Vector3d new_velocity(const ChainState& state, std::size_t i, Integrator integrator, double dt, const Vector3d& x) {
  if (integrator != Integrator::bdf2) return (x - state.x[i]) / dt;
  return (3.0 * (x - state.x[i]) - (state.x[i] - state.x_before[i])) / (2.0 * dt);
}

}  // namespace

double tension(double multiplier, double length, double dt, Integrator integrator) {
  const double h = effective_step(dt, integrator);
  return multiplier * length / (h * h);
}

void Stepper::step(const Chains& chains, const StepRequest& request, const Options& options, ChainState& state,
                   Projections& found) {
  const double dt = request.dt;
  const bool is_first = state.x_before.empty();
  const Integrator integrator =
      is_first && request.integrator == Integrator::bdf2 ? Integrator::euler : request.integrator;
  const std::span<const Vector3d> held = request.held.empty() ? std::span<const Vector3d>(state.x) : request.held;
  prediction_.resize(state.x.size());
  parallel_for(chains.size(), [&](std::size_t c) {
    for (std::size_t i = chains.offsets[c]; i < chains.offsets[c + 1]; ++i) {
      const double w = chains.inverse_mass[i];
      Vector3d a = request.gravity;
      if (!request.forces.empty()) a += w * request.forces[i];
      prediction_[i] = w == 0.0 ? held[i] : predict(state, i, integrator, dt, a);
    }
  });

  Chains to_project = chains;
  Options how = options;
  to_project.prediction = prediction_, to_project.start = {};
  if (integrator == Integrator::shake) to_project.start = state.x, how.method = Method::shake;
  projector_.project(to_project, how, found);

  if (is_first) state.x_before.resize(state.x.size()), state.v_before.resize(state.x.size());
  parallel_for(chains.size(), [&](std::size_t c) {
    const std::size_t begin = chains.offsets[c], end = chains.offsets[c + 1];
    bool is_finite = true;
    for (std::size_t i = begin; i < end; ++i) {
      Vector3d& x = found.positions[i];
      if (chains.inverse_mass[i] == 0.0) x = prediction_[i];  // to the last bit
      is_finite &= x.allFinite() && new_velocity(state, i, integrator, dt, x).allFinite();
    }
    if (is_finite) {
      for (std::size_t i = begin; i < end; ++i) {
        const Vector3d v = new_velocity(state, i, integrator, dt, found.positions[i]);
        state.x_before[i] = state.x[i], state.v_before[i] = state.v[i];
        state.x[i] = found.positions[i], state.v[i] = v;
      }
      return;
    }
    for (std::size_t i = begin; i < end; ++i) {
      found.positions[i] = state.x[i];
      if (i + 1 < end) found.multipliers[i - c] = 0.0;
      if (!is_first) continue;
      // As if it had come here at its velocity; with a step that is no number, as if it had been here.
      const Vector3d before = state.x[i] - dt * state.v[i];
      state.x_before[i] = before.allFinite() ? before : state.x[i], state.v_before[i] = state.v[i];
    }
    found.chains[c] = {Status::bad_input, 0, std::numeric_limits<double>::quiet_NaN(), false};
  });
}

}  // namespace tendril::chain
