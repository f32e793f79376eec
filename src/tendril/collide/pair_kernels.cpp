#include "tendril/collide/pair_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

namespace isa_reference {
extern const PairKernels pair_table;
}
namespace isa_v2 {
extern const PairKernels pair_table;
}
namespace isa_avx2 {
extern const PairKernels pair_table;
}
namespace isa_avx512 {
extern const PairKernels pair_table;
}

const PairKernels& pair_kernels(Isa isa) {
  return table_of(isa, isa_reference::pair_table, isa_v2::pair_table, isa_avx2::pair_table, isa_avx512::pair_table);
}

}  // namespace tendril::collide
