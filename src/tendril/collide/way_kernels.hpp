// How far the segments of one strand have gone and will go (docs/theory/collide.md, Neighbours), several at once and
// with room for round-off and for single precision. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/collide/clearance_kernels.hpp"

namespace tendril::collide {

// Of one strand: where its vertices are at the start of a step and where they go.
struct WayView {
  const double *start, *end;  // [m], three numbers per vertex
  const double* radius;       // [m]
  std::size_t count;          // of vertices, at least one
  double largest;             // [m]: coordinates and radii that are not below it are refused
};

// Of one strand, by its segments [m]. Drifts have four numbers each (drift.hpp).
struct Ways {
  float *gone, *ahead, *reach, *need;
  float *drift, *approach;
};

struct WayKernels {
  // At the start of a step: `place` is where vertices were at the start of the last one, which the motion `common` of
  // all leads on; it becomes where they are. False if a number is not usable.
  bool (*measure)(const WayView&, const AffineNumbers& common, double relative, double absolute, double* place,
                  const Ways&);
  // Only what is ahead: `ahead` and `drift`. Gives whether no segment has need of more than it has, nor of more than
  // its reach beyond its budget.
  bool (*measure_again)(const WayView&, const float* budget, const Ways&);
};

const WayKernels& way_kernels(Isa isa);

}  // namespace tendril::collide
