#include "tendril/contact/sweep_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::contact {

namespace isa_reference {
extern const SweepKernels sweep_table;
}
namespace isa_v2 {
extern const SweepKernels sweep_table;
}
namespace isa_avx2 {
extern const SweepKernels sweep_table;
}
namespace isa_avx512 {
extern const SweepKernels sweep_table;
}

const SweepKernels& sweep_kernels(Isa isa) {
  return table_of(isa, isa_reference::sweep_table, isa_v2::sweep_table, isa_avx2::sweep_table, isa_avx512::sweep_table);
}

}  // namespace tendril::contact
