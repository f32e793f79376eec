// The two passes of accelerated gradients in lanes (docs/theory/contact.md, "Accelerated gradients"): over contacts, in
// groups of as many as there are lanes, and over blocks. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"
#include "tendril/linalg/packed_rows.hpp"

namespace tendril::contact {

// One group of contacts, [field][lane]: 168 bytes per contact. Idle lanes have rho = 0 and step = 0.
struct GroupLayout {
  enum Field : int { frame = 0, drift = 9, weight = 12, mu = 16, rho = 17, step = 18, nodes = 19 };
  static constexpr int fields = 21;  // the last two hold four 32-bit node numbers [node][lane]
};

// What a contact that has no frame sees of one node.
struct TermRecord {
  std::uint32_t node;
  double matrix[9];  // by rows
};

// How contacts act on a block: each through up to two of its nodes, and all that share these follow each other.
struct TouchRecord {
  std::uint32_t contact;
  double weight[2];
};
struct SegmentRecord {
  std::uint32_t node[2];  // counted within the block
  std::uint32_t first_touch, end_touch;
};
struct TermTouch {
  std::uint32_t contact, node;
  double matrix[9];
};
// C is symmetric. Of every two nodes, and of the last if it is alone, it has what couples them with themselves and with
// each node after them: for each of these nodes and then for each of the two 3 columns of 4 numbers, the last one 0.
constexpr std::size_t paired_size(std::size_t nodes) { return 12 * (nodes * (nodes + 1) / 2 + nodes / 2); }

// Numbers that a product with packed rows works on: forces, and velocities by columns and by rows.
constexpr std::size_t packed_scratch(std::size_t nodes) { return 3 * PackedRows::padded(3 * nodes + 1); }

struct BlockRecord {
  std::uint32_t first_node, nodes;
  std::size_t matrix;  // where its C begins
  std::uint32_t first_segment, end_segment, first_term_touch, end_term_touch;
};

struct GradientView {
  const double* groups;
  const double* pushes;              // [group][speed, strength, softness][lane]; null: there are none
  const std::uint32_t* term_starts;  // per contact and one more; null: there are none
  const TermRecord* terms;
  const BlockRecord* blocks;
  const SegmentRecord* segments;
  const TouchRecord* touches;
  const TermTouch* term_touches;
  const double* matrices;        // null: packed_matrices are used
  const float* packed_matrices;  // linalg/packed_rows.hpp
  const double* free_velocity;
  double *r, *old_r;              // [group][component][lane]
  double* push;                   // Eᵀ r, four numbers per contact
  double *velocity, *velocity_y;  // per node, four numbers: at r, and at the extrapolated point
  double *force, *force_y;        // Hᵀ r, likewise
};

// What a block works on while its velocities are formed; of the largest block.
struct BlockScratch {
  double *force, *velocity;  // four numbers per node
  float* packed;             // packed_scratch(), if matrices are packed
};

struct StepSums {
  double turn = 0.0, length = 0.0, curvature = 0.0;
};
struct ErrorSums {
  double worst = 0.0, sum = 0.0;  // the sum is not finite if any of them is not
  double above = 0.0;             // how many are above a limit
};

struct GradientKernels {
  int lanes;
  // r⁺ of a range of groups (Eq. 33), and turn and length of StepSums.
  void (*step)(const GradientView&, std::size_t first, std::size_t end, double momentum, double step, StepSums& sums);
  // Velocities of a range of blocks under r, those of the next extrapolated point, and curvature.
  void (*respond)(const GradientView&, std::size_t first, std::size_t end, double next_momentum,
                  const BlockScratch& scratch, StepSums& sums);
  // C force of one block.
  void (*product)(const GradientView&, std::size_t block, const double* force, double* out, float* scratch);
  // out += C force with packed rows, four numbers per node.
  void (*add_packed_product)(const float* rows, std::size_t nodes, const double* force, double* out, float* scratch);
  // Push of r as it stands, and how far r and the velocities are from the law.
  void (*spread)(const GradientView&, std::size_t first, std::size_t end);
  void (*errors)(const GradientView&, std::size_t first, std::size_t end, double limit, ErrorSums& sums);
};

const GradientKernels& gradient_kernels(Isa isa);

}  // namespace tendril::contact
