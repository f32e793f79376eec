// The projection of blocks of chains, once per instruction set and precision. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"

namespace tendril::chain {

// How a projection ended (docs/theory/chain.md, Statuses).
enum class Status : std::uint8_t {
  ok,
  round_off,       // as close as round-off lets it come, above the tolerance
  not_converged,   // at the limit of iterations; links have their lengths all the same
  stalled,         // no step leads on
  taut,            // as far apart as held points can be: straight, without multipliers
  overstretched,   // farther than that: straight, links longer than they should be
  too_long_link,   // a link is longer than all others can reach: folded on a line
  rigid_mismatch,  // a link between two held points that are not its length apart
  bad_input,       // not finite, or a length or an inverse mass that cannot be
};
constexpr std::size_t status_count = 9;

enum class BlockMethod : std::uint8_t { hybrid, two_stage, newton };

struct BlockOptions {
  double tolerance;
  int max_iterations;
  BlockMethod method;
};

// Of as many chains as there are lanes: of point i, component c and lane k the number at [(i 3 + c) lanes + k]; of
// links and weights at [i lanes + k]. Chains that are shorter are filled up with points of no inverse mass on links of
// no length. Point 0 is the origin.
template <class T>
struct BlockView {
  std::size_t points;     // 2 or more
  const T* prediction;    // [m]
  const T* inverse_mass;  // [1/kg]; 0 holds point 0
  const T* length;        // [m]
  const T* start;         // [m]; may be the prediction
  T* positions;           // [m], result
  T* multipliers;         // [kg], result, of links
  // Of each lane:
  Status* status;
  std::int32_t* iterations;
  T* residual;
  bool* certified;
  const T* tolerance = nullptr;  // null: that of the options
};

struct ProjectKernels {
  std::size_t lanes, single_lanes;
  // Bytes of memory that a block of so many points needs, aligned to 64.
  std::size_t (*bytes)(std::size_t points);
  void (*project)(const BlockView<double>&, const BlockOptions&, void* memory);
  void (*project_single)(const BlockView<float>&, const BlockOptions&, void* memory);
};

const ProjectKernels& project_kernels(Isa isa);

}  // namespace tendril::chain
