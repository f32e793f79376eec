#include "tendril/rods/chain/block_projection.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using S = Lanes<TENDRIL_LANES>;
constexpr int single_lanes = TENDRIL_LANES == 1 ? 1 : 2 * TENDRIL_LANES;
using Single = SingleLanes<single_lanes>;

std::size_t bytes(std::size_t points) { return Block<S>::numbers(points) * sizeof(S); }

void project(const BlockView<double>& view, const BlockOptions& options, void* memory) {
  BlockProjection<S>(view, options, static_cast<S*>(memory)).run();
}

void project_single(const BlockView<float>& view, const BlockOptions& options, void* memory) {
  BlockProjection<Single>(view, options, static_cast<Single*>(memory)).run();
}

}  // namespace

extern const ProjectKernels project_table;
const ProjectKernels project_table = {TENDRIL_LANES, single_lanes, bytes, project, project_single};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
