#include "tendril/contact/gradient_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::contact {

namespace isa_reference {
extern const GradientKernels gradient_table;
}
namespace isa_v2 {
extern const GradientKernels gradient_table;
}
namespace isa_avx2 {
extern const GradientKernels gradient_table;
}
namespace isa_avx512 {
extern const GradientKernels gradient_table;
}

const GradientKernels& gradient_kernels(Isa isa) {
  return table_of(isa, isa_reference::gradient_table, isa_v2::gradient_table, isa_avx2::gradient_table,
                  isa_avx512::gradient_table);
}

}  // namespace tendril::contact
