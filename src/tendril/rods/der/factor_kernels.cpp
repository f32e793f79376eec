#include "tendril/rods/der/factor_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::der {

TENDRIL_TABLE_PER_ISA(FactorKernels, factor_table, factor_kernels);

}  // namespace tendril::der
