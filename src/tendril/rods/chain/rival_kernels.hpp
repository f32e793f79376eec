// What the projection of chains is measured against (docs/theory/chain.md, Rivals), in the same lanes, layout and
// precision, once per instruction set. Plain types only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tendril/linalg/isa.hpp"
#include "tendril/rods/chain/project_kernels.hpp"

namespace tendril::chain {

enum class Rival : std::uint8_t {
  pbd,     // Gauss-Seidel sweeps over the links
  xpbd,    // the same with compliant links
  fast,    // all links at once, along themselves, again and again (Goldenthal's fast projection)
  shake,   // all links at once, along those of `start`
  banded,  // Newton's method on positions and multipliers by a banded factorisation: has our solution
};

struct RivalOptions {
  double tolerance;  // the largest | |z| / l - 1 |; of `banded`, whose links are exact, the residual as in BlockOptions
  int max_iterations;
  Rival method;
};

// Results are as the projection's, but: `pbd`, `xpbd`, `fast` and `shake` take any points as held whose inverse mass is
// 0, give as residual what the tolerance is about and certify nothing. All but `shake` and `banded` start from the
// prediction. A status is ok, round_off (of `banded`), not_converged or stalled; links of the others then need not have
// their lengths.
struct RivalKernels {
  std::size_t lanes, single_lanes;
  // Bytes of memory that a block of so many points needs, aligned to 64.
  std::size_t (*bytes)(std::size_t points);
  // `compliance`: of links, over dt^2 [1/kg], as the lengths in the view; null: none. Only `xpbd` looks at it.
  void (*project)(const BlockView<double>&, const RivalOptions&, const double* compliance, void* memory);
  void (*project_single)(const BlockView<float>&, const RivalOptions&, const float* compliance, void* memory);
};

const RivalKernels& rival_kernels(Isa isa);

}  // namespace tendril::chain
