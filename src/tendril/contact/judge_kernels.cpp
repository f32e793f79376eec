#include "tendril/contact/judge_kernels.hpp"

#include "tendril/linalg/isa_choice.hpp"

namespace tendril::contact {

TENDRIL_TABLE_PER_ISA(JudgeKernels, judge_table, judge_kernels);

}  // namespace tendril::contact
