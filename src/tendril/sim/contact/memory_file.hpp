// The memory of contact in a checkpoint.
#pragma once

#include "tendril/base/error.hpp"
#include "tendril/io/hdf5_file.hpp"
#include "tendril/sim/contact/memory.hpp"

namespace tendril {

void write_memory(const ContactMemory& memory, Hdf5Writer& file);

// Of a world with so many strands, vertices, bodies and joints; what does not fit is an error.
struct MemoryShape {
  std::size_t strands = 0, vertices = 0, bodies = 0, joints = 0;
};
Status read_memory(const Hdf5Reader& file, const MemoryShape& shape, ContactMemory& memory);

}  // namespace tendril
