// What contact asks of the factor of a single strand, in lanes. Slots: [vertex][42] as Kernels::linearise leaves them
// in one lane, with the inverse pivots of held unknowns set to zero. Plain types only.
#pragma once

#include <cstddef>

#include "tendril/linalg/isa.hpp"

namespace tendril::der {

// A point of a strand: on the edge that begins at a vertex, a fraction of its way along.
struct CompliancePoint {
  int vertex;
  double along;
};
// Numbers that FactorKernels::point_compliance works on: twelve rows of columns, three per point.
constexpr std::size_t compliance_stride(int points) { return (3 * std::size_t(points) + 15) / 16 * 16; }
constexpr std::size_t compliance_work(int points) { return 12 * compliance_stride(points); }

struct FactorKernels {
  // column := inverse * column, [vertex][4].
  void (*solve_column)(int vertices, const double* slots, double* column);
  // S inverse Sᵀ times `scale` for the velocities S of some points, from the tip to the root, in packed rows
  // (linalg/packed_rows.hpp). `work`: compliance_work(count) zeros, left in disorder.
  void (*point_compliance)(int vertices, const double* slots, const CompliancePoint* points, int count, double scale,
                           double* work, float* rows);
};

const FactorKernels& factor_kernels(Isa isa);

}  // namespace tendril::der
