// The memory of a lane group and the entry points of its kernels. Plain types only: this header is what ordinary code
// and the code of every instruction set agree on.
//
// A group holds `lanes` strands side by side. Its streams are arrays [vertex][component][lane] of doubles. Slot k of a
// stream belongs to vertex k, to edge k (from vertex k to k + 1) and to joint k (edges k - 1 and k), whichever the
// component is about; what has no owner at the ends of the strand is unused.
//
// Strands shorter than the group are padded at the root: their first `pad` vertices are ghosts without stiffness, held
// where they are, so the real ones are computed exactly as they would be without padding.
#pragma once

#include "tendril/linalg/isa.hpp"
#include "tendril/rods/der/curvature.hpp"

namespace tendril::der {

struct StateLayout {
  enum Component : int {
    position = 0,
    theta = 3,
    velocity = 4,
    theta_velocity = 7,
    director = 8,
    reference_twist = 11
  };
  static constexpr int components = 12;
};

struct ParameterLayout {
  enum Component : int {
    mass,                             // [kg] of the vertex
    inertia,                          // [kg m^2] of the edge about its axis
    reference_length,                 // [m] l_0 of the edge
    inverse_rest_length,              // [1/m] 1 / l, where l = l_0 / (1 + rest strain)
    rest_strain,                      // l_0 / l - 1: kept beside l_0 so that nothing cancels at the reference pose
    stretch,                          // [N] EA of the edge
    bend1,                            // [N m] of the joint, for bending towards m1
    bend2,                            // [N m] towards m2
    twist,                            // [N m]
    rest_curvature,                   // four, integrated
    rest_twist = rest_curvature + 4,  // [rad]
    width,                            // [m] diameter that the air sees
    count
  };
  static constexpr int components = count;
};

// What is prescribed at a vertex: only vertices with something held in some lane have such a slot.
struct HoldLayout {
  enum Component : int {
    free = 0,       // 1 or 0 for x, y, z, theta
    target = 4,     // value at the end of the step
    real_edge = 8,  // 0 where edge k is a ghost's
  };
  static constexpr int components = 9;
};

// A place that draws a vertex like a spring.
struct AnchorLayout {
  enum Component : int { place = 0, stiffness = 3 };  // [m], [N/m]
  static constexpr int components = 4;
};

// A rigid body that turns with edge k (docs/theory/der.md, "Connectors"): its resistance to turning, and how far its
// centre lies beyond the edge, as what that adds to the weight of the second vertex where gravity is across the edge.
struct ConnectorLayout {
  enum Component : int { rotary = 0, lever = 1 };  // [kg] beta and gamma
  static constexpr int components = 2;
};

struct GroupView {
  int vertices = 0;
  Curvature curvature = Curvature::four;
  bool round = true;                   // all sections have bend1 = bend2
  const double* parameters = nullptr;  // [vertex][ParameterLayout][lane]
  const int* hold_of = nullptr;        // [vertex] index of its hold slot, or -1
  const double* holds = nullptr;       // [slot][HoldLayout][lane]
  const double* connectors = nullptr;  // [vertex][ConnectorLayout][lane]; null: none
};

// The terms of one implicit step beside the elastic energy. With h the effective step (dt for Euler), the end velocity
// is v = (q - q_start) / h and the residual  m (v_target - v) / h + gravity + loads + drag + elastic force.
struct StepTerms {
  const double* target_velocity = nullptr;  // [vertex][>= 4][lane]; null: none
  int target_stride = 0;                    // doubles from vertex to vertex
  double carried = 0.0;                     // 1: the iterate's velocity is (q - q_start) / h; 0: that is zero
  double inverse_step = 0.0;                // 1/h; 0 for statics
  double gravity[3] = {0.0, 0.0, 0.0};
  const double* stiffening = nullptr;  // [lane] factor on the strain stiffness in the matrix (damping); null: 1
  const double* loads = nullptr;       // [vertex][4][lane] forces and axial torques; null: none
  const double* anchors = nullptr;     // [vertex][AnchorLayout][lane]; null: none
  const double* tension = nullptr;     // [vertex][lane] [N] of edge k, for its geometric stiffness; null: of the pose
  const double* drag = nullptr;        // [vertex][6][lane] lower triangle of the drag matrix of edge k; null: no air
  double wind[3] = {0.0, 0.0, 0.0};
};

struct Air {
  double density = 0.0;      // [kg/m^3]; 0: no air
  double normal = 1.0;       // drag coefficient across the strand, on its diameter
  double tangential = 0.02;  // along the strand, on its circumference
};

// What advance() found, per lane.
struct AdvanceReport {
  enum Row : int { least_turn, least_chi, not_finite };  // smallest t_old . t_new and chi; 0 or NaN
  static constexpr int rows = 3;
};

struct EnergyReport {
  enum Row : int { stretch, bend, twist, inertia, external };
  static constexpr int rows = 5;
};

struct MeasureLayout {
  enum Component : int { length = 0, curvature = 1, twist = 5 };
  static constexpr int components = 6;
};

struct SlotLayout {
  static constexpr int components = 42;  // linalg/block_columns.hpp
};

struct Kernels {
  int lanes;
  // Assembles and factorises the step matrix at `state`, forward-substitutes the residual. Slots: [vertex][42][lane].
  // `clamped` [lane] counts pivots that had to be raised.
  void (*linearise)(const GroupView&, const StepTerms&, const double* state, double* slots, double* clamped);
  // The same matrix without factorising it, held unknowns not yet taken out.
  void (*assemble)(const GroupView&, const StepTerms&, const double* state, double* slots);
  // How many negative pivots the exact Hessian less `margin` times the mass has over the free unknowns, per lane: at an
  // equilibrium, the modes of vibration with a squared frequency below the margin [1/s2]; none with a margin of 0 means
  // that it is stable. For 4D curvature, without connectors (static_potential.hpp has those).
  void (*negative_pivots)(const GroupView&, const StepTerms&, const double* margin, const double* state, double* count);
  // Increment of the unknowns after linearise(), [vertex][4][lane].
  void (*back_substitute)(const GroupView&, const double* slots, double* increment);
  // columns := inverse * columns, [vertex][4][lane] with one right-hand side per lane, for a single strand's factor:
  // slots [vertex][42] as linearise() left them in its lane, the diagonals of held unknowns set to zero.
  void (*solve_columns)(int vertices, const double* slots, double* columns);
  // out := state moved by step_length [lane] times increment; frames transported, velocities carried * old + moved / h.
  // `tension` [vertex][lane] receives what the linear system predicts for the edges; null: not wanted.
  void (*advance)(const GroupView&, const StepTerms&, const double* state, const double* increment,
                  const double* step_length, double* out, double* tension, double* report);
  // The residual at `state`, on all unknowns, held or not; [vertex][4][lane].
  void (*residual)(const GroupView&, const StepTerms&, const double* state, double* force);
  // Energies at `state`: EnergyReport rows x lanes. `base` is where external work counts from (null: the origin).
  void (*energy)(const GroupView&, const StepTerms&, const double* state, const double* base, double* report);
  // Lengths, curvatures and twists, [vertex][MeasureLayout][lane].
  void (*measure)(const GroupView&, const double* state, double* strains);
  // Drag matrices of the edges for the speed relative to the wind at `state`, frozen for a step; [vertex][6][lane].
  void (*drag)(const GroupView&, const Air&, const double* wind, const double* state, double* out);
};

const Kernels& kernels(Isa isa);

}  // namespace tendril::der
