#include "tendril/collide/way_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

TENDRIL_TABLE_PER_ISA(WayKernels, way_table, way_kernels);

}  // namespace tendril::collide
