#include "tendril/rods/chain/bent_block.hpp"
#include "tendril/rods/chain/block_projection.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using S = Lanes<TENDRIL_LANES>;

std::size_t bytes(std::size_t points) { return BentBlock<S>::numbers(points) * sizeof(S); }

void project(const BentView& view, const BlockOptions& options, void* memory) {
  BlockProjection<S, BentBlock<S>, BentView>(view, options, static_cast<S*>(memory)).run();
}

}  // namespace

extern const BentKernels bent_table;
const BentKernels bent_table = {TENDRIL_LANES, bytes, project};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
