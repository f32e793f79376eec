// The sweep of Gauss-Seidel over contacts on nodes (docs/theory/contact.md, "Gauss-Seidel"). Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/contact/local_factor.hpp"
#include "tendril/contact/soft_push.hpp"
#include "tendril/linalg/isa.hpp"

namespace tendril::contact {

// All that a visit needs of one contact, in six cache lines.
struct alignas(64) SweepContact {
  double frame[9], drift[3];  // E by rows, w
  LocalFactor local;
  double alpha, r[3];
  double weight[4];
  std::uint32_t node[4];   // as in NodeContact
  std::size_t column[4];   // where the three columns of C of each node begin, or its block's if rows are packed
  std::uint32_t first[2];  // numbers of v of the block of each side
  std::uint16_t quads[2];  // rows of v of each side, in fours
  std::uint16_t asleep;    // sweeps that it still sleeps
  enum Kind : std::uint8_t { closed_form, other, immovable } kind;
  bool has_terms, is_joint;
};
static_assert(sizeof(SweepContact) == 384);

struct SweepTerm {
  double matrix[9];  // by rows
  std::size_t column;
  std::uint32_t node, first, quads;
};

struct SweepView {
  SweepContact* contacts;
  const SoftPush* pushes;            // of each; null: there are none
  const std::uint32_t* term_starts;  // per contact and one more; null: there are none
  const SweepTerm* terms;
  const double* matrices;        // null: packed_matrices are used
  const float* packed_matrices;  // linalg/packed_rows.hpp
  double* velocity;
  const double* least_change;  // [N s] per contact: below it a contact falls asleep
  std::uint16_t sleep;         // sweeps
  // The impulse of a contact that has no closed form, or for which it fails: b, then the old r in, the new one out.
  void (*solve_otherwise)(void* caller, std::size_t contact, const double* b, double* r);
  void* caller;
};

struct SweepKernels {
  // One after the other; comes back with how many were solved.
  std::size_t (*visit)(const SweepView&, std::size_t first, std::size_t end);
  // One of them, awake or not.
  void (*visit_one)(const SweepView&, std::size_t contact);
  // force += Hᵀ r, four numbers per node.
  void (*push)(const SweepView&, std::size_t first, std::size_t end, double* force);
  // |f|_∞ / rho [m/s] of each, with rho of each given.
  void (*errors)(const SweepView&, std::size_t first, std::size_t end, const double* rho, double* errors);
};

const SweepKernels& sweep_kernels(Isa isa);

}  // namespace tendril::contact
