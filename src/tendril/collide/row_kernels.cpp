#include "tendril/collide/row_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

TENDRIL_TABLE_PER_ISA(RowKernels, row_table, row_kernels);

}  // namespace tendril::collide
