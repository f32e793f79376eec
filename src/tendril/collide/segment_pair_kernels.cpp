#include "tendril/collide/segment_pair_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

TENDRIL_TABLE_PER_ISA(SegmentPairKernels, segment_pair_table, segment_pair_kernels);

}  // namespace tendril::collide
