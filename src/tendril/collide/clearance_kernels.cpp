#include "tendril/collide/clearance_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

TENDRIL_TABLE_PER_ISA(ClearanceKernels, clearance_table, clearance_kernels);

}  // namespace tendril::collide
