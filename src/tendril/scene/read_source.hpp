// Where the strands of a scene come from: a groom file, a generator with its parameters, or points written in the
// scene.
#pragma once

#include <filesystem>

#include "tendril/scene/scene.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

// Most vertices that one scene may have: 6 GB of positions.
inline constexpr std::int64_t max_scene_vertices = std::int64_t{1} << 28;

StrandSource read_source(TableReader& owner, const std::filesystem::path& folder);

}  // namespace tendril
