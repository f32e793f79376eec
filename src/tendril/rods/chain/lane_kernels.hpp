// Whole steps of chains in the lane groups of the rods (docs/theory/chain.md, "Steps in lanes"), once per instruction
// set. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"

namespace tendril::chain {

// Constants of the model, [vertex][component][lane]: of the point, of the link that starts there, of the joint there.
// All are zero before a lane's first point.
struct LaneConstants {
  enum Component : int {
    mass,          // [kg] of a free point; of a held one 0
    inverse_mass,  // [1/kg], likewise
    length,        // [m]
    share,         // [1/m] 1 / length
    stiffness,     // [N m]
    rest,          // three: the change of direction as drawn
  };
  static constexpr int components = rest + 3;
};

// What is one for a lane, [component][lane].
struct LaneValues {
  enum Component : int {
    skipped,                       // 1: not to be looked at
    first,                         // slot of the first point
    held_end,                      // slot after the last point that is held; `first` where none is
    mean_length,                   // [m] of its links
    reach,                         // [m] how far points may still go at the end
    damping,                       // of joints, over the step
    turn,                          // nine, by rows: how the root has turned at the end of the step since it was drawn
    turned = turn + 9,             // nine: and since the start of the step
    tangent = turned + 9,          // three: of what a first point is clamped to, at the end
    tangent_before = tangent + 3,  // three: at the start
    director = tangent_before + 3  // three: of the frame that is carried along the strand, across `tangent`
  };
  static constexpr int components = director + 3;
};

struct LaneStepView {
  int vertices = 0;
  const double* constants = nullptr;
  const double* lanes = nullptr;        // LaneValues
  const int* hold_of = nullptr;         // [vertex] index of its hold slot, or -1
  const double* holds = nullptr;        // [slot][der::HoldLayout][lane]
  const double* loads = nullptr;        // [vertex][4][lane] forces [N] and what chains have no use for; null: none
  const double* state = nullptr;        // [vertex][der::StateLayout][lane]
  const double* previous = nullptr;     // the state a step before; null: the step is one of Euler
  double* out = nullptr;                // der::StateLayout
  double step = 0.0;                    // [s] effective: points end at where they start from + step times velocity
  double share = 0.0;                   // of the way of the step before, that points start from beyond where they are
  double gravity[3] = {0.0, 0.0, 0.0};  // [m/s²]
  bool damped = false;                  // some joint is
  bool free_roots = false;              // some strand is held by nothing
  // Results, [lane]. A refused one is to be stepped in another way: Newton's method in full steps does not do for it.
  char* refused = nullptr;
  std::int32_t* iterations = nullptr;
};

struct LaneKernels {
  std::size_t (*bytes)(int vertices);  // of memory that a group needs, aligned to 64
  void (*step)(const LaneStepView&, void* memory);
};

const LaneKernels& lane_kernels(Isa isa);

}  // namespace tendril::chain
