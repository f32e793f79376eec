#include "tendril/rods/der/factor_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::der {

namespace isa_reference {
extern const FactorKernels factor_table;
}
namespace isa_v2 {
extern const FactorKernels factor_table;
}
namespace isa_avx2 {
extern const FactorKernels factor_table;
}
namespace isa_avx512 {
extern const FactorKernels factor_table;
}

const FactorKernels& factor_kernels(Isa isa) {
  return table_of(isa, isa_reference::factor_table, isa_v2::factor_table, isa_avx2::factor_table,
                  isa_avx512::factor_table);
}

}  // namespace tendril::der
