#include "tendril/rods/chain/rivals.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using S = Lanes<TENDRIL_LANES>;
constexpr int single_lanes = TENDRIL_LANES == 1 ? 1 : 2 * TENDRIL_LANES;
using Single = SingleLanes<single_lanes>;

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
