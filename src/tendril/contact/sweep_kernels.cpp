#include "tendril/contact/sweep_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::contact {

TENDRIL_TABLE_PER_ISA(SweepKernels, sweep_table, sweep_kernels);

}  // namespace tendril::contact
