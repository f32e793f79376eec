#include "tendril/sagfree/sweep_kernels.hpp"

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
  switch (isa) {
    case Isa::v2: return isa_v2::kernel_table;
    case Isa::avx2: return isa_avx2::kernel_table;
    case Isa::avx512: return isa_avx512::kernel_table;
    case Isa::reference: break;
  }
  return isa_reference::kernel_table;
}

}  // namespace tendril::sagfree
