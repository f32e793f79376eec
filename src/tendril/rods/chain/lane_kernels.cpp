#include "tendril/rods/chain/lane_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::chain {

TENDRIL_TABLE_PER_ISA(LaneKernels, lane_table, lane_kernels);

}  // namespace tendril::chain
