// Segments that may be near a body, by what is known of them (clearances.hpp; docs/theory/collide.md, Eq. 13a), several
// at once and with room for round-off. What is left is for the exact code. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"

namespace tendril::collide {

// x -> turn x + by
struct AffineNumbers {
  double turn[3][3] = {};
  double by[3] = {};
};

// Of one strand and one body.
struct ClearanceView {
  const double* positions;    // [m], three numbers per vertex
  const double* motion;       // [m], likewise, or null
  const double* radius;       // [m]
  const double* seen;         // [m], per vertex its place in the body's frame and its distance
  const double* gap;          // [m], per segment, what all of it was beyond
  std::size_t count;          // of vertices, at least one
  AffineNumbers place;        // of what is at x: where it is in the body's frame
  AffineNumbers carry;        // and how far the body takes it in the step
  double relative, absolute;  // the margin
};

struct ClearanceKernels {
  // Numbers of the segments that may come within the margin, rising. Gives how many. There is room in `near` for as
  // many as there are vertices and one register more.
  std::size_t (*near_segments)(const ClearanceView&, std::uint32_t* near);
  // [m2], from one place to the other, to round-off; infinite if a number is not finite.
  double (*squared_longest_way)(const double* from, const double* to, std::size_t count);
  // Whether no number is larger than that, or no number at all.
  bool (*are_below)(const double* numbers, std::size_t count, double largest);
};

const ClearanceKernels& clearance_kernels(Isa isa);

}  // namespace tendril::collide
