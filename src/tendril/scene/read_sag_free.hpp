// The keys `rest` and `sag_free` of a set of strands.
#pragma once

#include <optional>

#include "tendril/sagfree/options.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

// Nothing: rest = "naive".
std::optional<sagfree::Options> read_sag_free(TableReader& table);

}  // namespace tendril
