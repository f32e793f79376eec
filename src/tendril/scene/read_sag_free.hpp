// The keys `rest` and `sag_free` of a set of strands.
#pragma once

#include <optional>
#include <string_view>

#include "tendril/sagfree/options.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

inline constexpr std::string_view sag_free_keys[] = {
    "mode",          "start", "mu",     "twist_share", "bound",          "shortest", "longest",
    "max_stiffness", "share", "smooth", "growth",      "max_iterations", "matrix",   "curvature_variables"};

// Nothing: rest = "naive".
std::optional<sagfree::Options> read_sag_free(TableReader& table);

}  // namespace tendril
