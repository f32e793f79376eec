#include "tendril/linalg/isa_choice.hpp"
#include "tendril/rods/der/layout.hpp"

namespace tendril::der {

TENDRIL_TABLE_PER_ISA(Kernels, kernel_table, kernels);

}  // namespace tendril::der
