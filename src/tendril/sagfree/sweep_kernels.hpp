// The lane kernels of the equilibrium sweep (docs/theory/sag-free.md): plain types only, as in rods/der/layout.hpp.
#pragma once

#include "tendril/rods/der/layout.hpp"

namespace tendril::sagfree {

// How far rest curvature and rest twist may leave their initial values, and stiffness its own; one value per lane.
struct BoundRow {
  enum Row : int {
    curvature,  // mu
    twist,      // eta [rad]
    floor,      // smallest and largest factor on the stiffness
    cap,
  };
  static constexpr int rows = 4;
};

// What bounds the change of rest curvature: its norm, which no choice of directors changes, or each component alone.
enum class CurvatureBound : unsigned char { disc, box };

// Per joint, at the initial stiffness: the strains that balance the load, and the factors that were chosen.
struct JointLayout {
  enum Component : int { bend1, bend2, twist };  // kappa - rest, towards m1 and m2 of the edge before; m - rest
  static constexpr int components = 3;
};
struct FactorLayout {
  enum Component : int { bend, twist };
  static constexpr int components = 2;
};
// Weight of a change of rest shape over that of a change of the stiffness factor.
struct WeightLayout {
  enum Component : int { stretch, bend, twist };
  static constexpr int components = 3;
};

struct SweepKernels {
  // Tension [N] of every edge under the terms' gravity and loads, [vertex][lane]; 0 on ghosts.
  void (*tensions)(const der::GroupView&, const der::StepTerms&, const double* state, double* tension);
  // Rest strain and stiffness factor of every edge, [vertex][lane], that make `tension` at the length of the state;
  // `lengths` are the bounds of the rest length over that length, smallest and largest. `capped` [lane] counts edges
  // for which the cap is too low.
  void (*realise_edges)(const der::GroupView&, const double* tension, const double* state, const double* weights,
                        const double* lengths, const double* bounds, double* strain, double* factor, double* capped);
  // JointLayout that balances the load, from the tip to the root.
  void (*joint_strains)(const der::GroupView&, const der::StepTerms&, const double* state, double* strains);
  // Chooses FactorLayout and writes stiffness, rest curvature and rest twist into `parameters`, which start out as the
  // view's. `measures` are der::MeasureLayout of the state. `capped` [lane] counts joints whose bounds cannot be met.
  void (*realise_joints)(const der::GroupView&, CurvatureBound, const double* measures, const double* strains,
                         const double* weights, const double* bounds, double* parameters, double* factors,
                         double* capped);
};

const SweepKernels& sweep_kernels(Isa isa);

}  // namespace tendril::sagfree
