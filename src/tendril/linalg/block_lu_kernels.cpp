#include "tendril/linalg/block_lu_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril {

namespace isa_reference {
extern const BlockLuKernels block_lu_table;
}
namespace isa_v2 {
extern const BlockLuKernels block_lu_table;
}
namespace isa_avx2 {
extern const BlockLuKernels block_lu_table;
}
namespace isa_avx512 {
extern const BlockLuKernels block_lu_table;
}

const BlockLuKernels& block_lu_kernels(Isa isa) {
  return table_of(isa, isa_reference::block_lu_table, isa_v2::block_lu_table, isa_avx2::block_lu_table,
                  isa_avx512::block_lu_table);
}

}  // namespace tendril
