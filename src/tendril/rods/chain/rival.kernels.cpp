#include "tendril/rods/chain/all_links_rival.hpp"
#include "tendril/rods/chain/banded_rival.hpp"
#include "tendril/rods/chain/sweep_rival.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using S = Lanes<TENDRIL_LANES>;
constexpr int single_lanes = TENDRIL_LANES == 1 ? 1 : 2 * TENDRIL_LANES;
using Single = SingleLanes<single_lanes>;

// Numbers of type S that the memory must hold.
template <class S>
constexpr std::size_t rival_numbers(std::size_t points) {
  static_assert(BandedRival<S>::per_point >= SweepRival<S, true>::per_point);
  static_assert(BandedRival<S>::per_point >= AllLinksRival<S, true>::per_point);
  return points * BandedRival<S>::per_point;
}

template <class S>
void run_rival(const BlockView<Element<S>>& view, const RivalOptions& options, const Element<S>* compliance,
               S* memory) {
  switch (options.method) {
    case Rival::pbd: return SweepRival<S, false>(view, options, nullptr, memory).run();
    case Rival::xpbd: return SweepRival<S, true>(view, options, compliance, memory).run();
    case Rival::fast: return AllLinksRival<S, false>(view, options, memory).run();
    case Rival::shake: return AllLinksRival<S, true>(view, options, memory).run();
    case Rival::banded: return BandedRival<S>(view, options, memory).run();
  }
}

std::size_t bytes(std::size_t points) { return rival_numbers<S>(points) * sizeof(S); }

void project(const BlockView<double>& view, const RivalOptions& options, const double* compliance, void* memory) {
  run_rival<S>(view, options, compliance, static_cast<S*>(memory));
}

void project_single(const BlockView<float>& view, const RivalOptions& options, const float* compliance, void* memory) {
  run_rival<Single>(view, options, compliance, static_cast<Single*>(memory));
}

}  // namespace

extern const RivalKernels rival_table;
const RivalKernels rival_table = {TENDRIL_LANES, single_lanes, bytes, project, project_single};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
