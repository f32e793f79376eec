// One binary, several instruction sets. Every `*.kernels.cpp` is compiled once per set, inside a namespace of that set:
// a template instantiated with AVX-512 flags must never be merged by the linker with the same template of an ordinary
// file (the one-definition trap: illegal instructions on older machines). Headers that kernels include therefore put
// their code into `inline namespace TENDRIL_ISA_NAMESPACE`; ordinary files see the one called `portable`.
#pragma once

#include <cstdint>
#include <string_view>

#ifndef TENDRIL_ISA_NAMESPACE
#define TENDRIL_ISA_NAMESPACE portable
#define TENDRIL_LANES 1
#endif

// g++ leaves calls in hot loops unless told: 20 % of the step.
#define TENDRIL_INLINE inline __attribute__((always_inline))
#define TENDRIL_INLINE_LAMBDA __attribute__((always_inline))
// Where which of several calls a lane goes through depends on its neighbours: copies of a function may fuse different
// products with sums, and so differ in the last bit.
#define TENDRIL_ONE_COPY __attribute__((noinline, noclone))

namespace tendril {

// `reference` runs one strand at a time in plain doubles: the judge of the others in tests.
enum class Isa : std::uint8_t { reference, v2, avx2, avx512 };

bool machine_has(Isa isa);
std::string_view isa_name(Isa isa);
Isa best_isa();    // the widest set that this machine has
Isa active_isa();  // best_isa(), or what the environment variable TENDRIL_ISA asks for; decided once
std::string_view active_isa_name();

// What TENDRIL_ISA holds if it is not a set this machine can run (empty: all is well); apps refuse to start on it.
std::string_view rejected_isa_request();

}  // namespace tendril
