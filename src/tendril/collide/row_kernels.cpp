#include "tendril/collide/row_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

namespace isa_reference {
extern const RowKernels row_table;
}
namespace isa_v2 {
extern const RowKernels row_table;
}
namespace isa_avx2 {
extern const RowKernels row_table;
}
namespace isa_avx512 {
extern const RowKernels row_table;
}

const RowKernels& row_kernels(Isa isa) {
  return table_of(isa, isa_reference::row_table, isa_v2::row_table, isa_avx2::row_table, isa_avx512::row_table);
}

}  // namespace tendril::collide
