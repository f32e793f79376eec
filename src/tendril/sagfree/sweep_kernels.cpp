#include "tendril/sagfree/sweep_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::sagfree {

TENDRIL_TABLE_PER_ISA(SweepKernels, kernel_table, sweep_kernels);

}  // namespace tendril::sagfree
