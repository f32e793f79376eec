#include "tendril/rods/chain/project_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::chain {

TENDRIL_TABLE_PER_ISA(ProjectKernels, project_table, project_kernels);

}  // namespace tendril::chain
