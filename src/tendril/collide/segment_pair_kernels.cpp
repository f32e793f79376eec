#include "tendril/collide/segment_pair_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::collide {

namespace isa_reference {
extern const SegmentPairKernels segment_pair_table;
}
namespace isa_v2 {
extern const SegmentPairKernels segment_pair_table;
}
namespace isa_avx2 {
extern const SegmentPairKernels segment_pair_table;
}
namespace isa_avx512 {
extern const SegmentPairKernels segment_pair_table;
}

const SegmentPairKernels& segment_pair_kernels(Isa isa) {
  return table_of(isa, isa_reference::segment_pair_table, isa_v2::segment_pair_table, isa_avx2::segment_pair_table,
                  isa_avx512::segment_pair_table);
}

}  // namespace tendril::collide
