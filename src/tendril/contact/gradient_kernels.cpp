#include "tendril/contact/gradient_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::contact {

TENDRIL_TABLE_PER_ISA(GradientKernels, gradient_table, gradient_kernels);

}  // namespace tendril::contact
