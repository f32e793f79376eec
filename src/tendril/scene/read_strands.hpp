// One table [[strands]]: where the strands come from, what they are made of, and what holds, moves and pulls them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "tendril/scene/scene.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

StrandSet read_strands(TableReader& table, const std::filesystem::path& folder, std::size_t index);

// Refuses the keys vertex and that of the strand if there is no such vertex, or, with_edge, no edge that starts there.
// Nothing for a strand: all must have it.
void check_vertex(TableReader& table, const StrandSource& source, std::optional<std::int64_t> strand, int vertex,
                  bool with_edge, std::string_view key_of_strand = "strand");

}  // namespace tendril
