#include "tendril/rods/chain/rival_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::chain {

TENDRIL_TABLE_PER_ISA(RivalKernels, rival_table, rival_kernels);

}  // namespace tendril::chain
