#include "tendril/sagfree/sweep_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::sagfree {

namespace isa_reference {
extern const SweepKernels kernel_table;
}
namespace isa_v2 {
extern const SweepKernels kernel_table;
}
namespace isa_avx2 {
extern const SweepKernels kernel_table;
}
namespace isa_avx512 {
extern const SweepKernels kernel_table;
}

const SweepKernels& sweep_kernels(Isa isa) {
  return table_of(isa, isa_reference::kernel_table, isa_v2::kernel_table, isa_avx2::kernel_table,
                  isa_avx512::kernel_table);
}

}  // namespace tendril::sagfree
