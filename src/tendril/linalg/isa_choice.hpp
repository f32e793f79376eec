// One table of kernels per instruction set: the one that is asked for.
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
