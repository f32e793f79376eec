#include "tendril/linalg/isa_choice.hpp"
#include "tendril/rods/der/layout.hpp"

namespace tendril::der {

namespace isa_reference {
extern const Kernels kernel_table;
}
namespace isa_v2 {
extern const Kernels kernel_table;
}
namespace isa_avx2 {
extern const Kernels kernel_table;
}
namespace isa_avx512 {
extern const Kernels kernel_table;
}

const Kernels& kernels(Isa isa) {
  return table_of(isa, isa_reference::kernel_table, isa_v2::kernel_table, isa_avx2::kernel_table,
                  isa_avx512::kernel_table);
}

}  // namespace tendril::der
