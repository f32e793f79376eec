// One table of kernels per instruction set. A *.kernels.cpp defines `extern const Type table` in the namespace of each
// set; the macro, used once in the namespace of the kernels, defines the function that gives the one that is asked for.
#pragma once

#include "tendril/linalg/isa.hpp"

namespace tendril {

template <class Table>
const Table& table_of(Isa isa, const Table& reference, const Table& v2, const Table& avx2, const Table& avx512) {
  switch (isa) {
    case Isa::v2: return v2;
    case Isa::avx2: return avx2;
    case Isa::avx512: return avx512;
    case Isa::reference: break;
  }
  return reference;
}

}  // namespace tendril

#define TENDRIL_TABLE_PER_ISA(Type, table, function)                                               \
  namespace isa_reference {                                                                        \
  extern const Type table;                                                                         \
  }                                                                                                \
  namespace isa_v2 {                                                                               \
  extern const Type table;                                                                         \
  }                                                                                                \
  namespace isa_avx2 {                                                                             \
  extern const Type table;                                                                         \
  }                                                                                                \
  namespace isa_avx512 {                                                                           \
  extern const Type table;                                                                         \
  }                                                                                                \
  const Type& function(Isa isa) {                                                                  \
    return table_of(isa, isa_reference::table, isa_v2::table, isa_avx2::table, isa_avx512::table); \
  }                                                                                                \
  static_assert(true)
