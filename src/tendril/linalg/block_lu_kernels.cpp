#include "tendril/linalg/block_lu_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril {

TENDRIL_TABLE_PER_ISA(BlockLuKernels, block_lu_table, block_lu_kernels);

}  // namespace tendril
