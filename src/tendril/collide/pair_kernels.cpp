#include "tendril/collide/pair_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

TENDRIL_TABLE_PER_ISA(PairKernels, pair_table, pair_kernels);

}  // namespace tendril::collide
