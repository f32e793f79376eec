#include "tendril/collide/clearance_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

namespace isa_reference {
extern const ClearanceKernels clearance_table;
}
namespace isa_v2 {
extern const ClearanceKernels clearance_table;
}
namespace isa_avx2 {
extern const ClearanceKernels clearance_table;
}
namespace isa_avx512 {
extern const ClearanceKernels clearance_table;
}

const ClearanceKernels& clearance_kernels(Isa isa) {
  return table_of(isa, isa_reference::clearance_table, isa_v2::clearance_table, isa_avx2::clearance_table,
                  isa_avx512::clearance_table);
}

}  // namespace tendril::collide
