// Time steps of inextensible chains by their projection (docs/theory/chain.md, "Time stepping").
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tendril/rods/chain/project.hpp"

namespace tendril::chain {

enum class Integrator : std::uint8_t {
  euler,  // backward Euler: first order, damps
  bdf2,   // second order, damps less
  shake,  // keeps energy in the mean, and angular momentum; velocities are those of half a step before the positions
};

struct ChainState {
  std::vector<Vector3d> x, v;                // [m], [m/s]
  std::vector<Vector3d> x_before, v_before;  // a step before; empty: none yet, and the next step is Euler's for bdf2
};

struct StepRequest {
  double dt = 0.0;  // [s]; for bdf2 that of the step before
  Integrator integrator = Integrator::euler;
  Vector3d gravity = Vector3d(0.0, 0.0, -9.81);  // [m/s²]
  std::span<const Vector3d> held = {};           // [m], by point: where those of inverse mass 0 end; empty: they stay
  std::span<const Vector3d> forces = {};         // [N], by point; empty: none
};

// [N], of a link. The first step of bdf2 is one of Euler.
double tension(double multiplier, double length, double dt, Integrator integrator);

// Keeps its memory from call to call.
class Stepper {
 public:
  // Of the chains, their prediction and start are not looked at; the method is that of the options unless for shake.
  // The arrays must fit each other. Chains that could not be projected still take what was found, unless it is not
  // finite: then they stay as they are, and are `bad_input`.
  void step(const Chains& chains, const StepRequest& request, const Options& options, ChainState& state,
            Projections& found);

 private:
  Projector projector_;
  std::vector<Vector3d> prediction_;
};

}  // namespace tendril::chain
