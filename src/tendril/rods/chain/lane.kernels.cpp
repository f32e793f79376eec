#include "tendril/rods/chain/lane_step.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

using S = Lanes<TENDRIL_LANES>;

std::size_t bytes(int vertices) { return DirectionBlock<S>::bytes(std::size_t(vertices)); }

void step(const LaneStepView& view, void* memory) { LaneStep<S>(view, memory).run(); }

}  // namespace

extern const LaneKernels lane_table;
const LaneKernels lane_table = {bytes, step};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
