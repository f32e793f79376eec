#include "tendril/rods/chain/bent_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::chain {

TENDRIL_TABLE_PER_ISA(BentKernels, bent_table, bent_kernels);

}  // namespace tendril::chain
