#include "tendril/collide/gap_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

TENDRIL_TABLE_PER_ISA(GapKernels, gap_table, gap_kernels);

}  // namespace tendril::collide
