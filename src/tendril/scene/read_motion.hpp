// Motions as a scene writes them: one table per part, each with exactly one of the keys sine, rotate, move, turn or
// keys that say what kind it is; several parts in a list act one after the other (scene/motion.hpp).
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>

#include "tendril/scene/mesh_sequence.hpp"
#include "tendril/scene/motion.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {

// Files that a motion names are sought in `folder`.
Motion read_motion(TableReader& owner, std::string_view key, std::string_view meaning,
                   const std::filesystem::path& folder);

// A motion of the form { mesh = ... }, which carries every root for itself; nullptr after an error.
std::shared_ptr<const MeshSequence> read_mesh_motion(TableReader& owner, std::string_view key,
                                                     const std::filesystem::path& folder);

TwistMotion read_twist(TableReader& owner, std::string_view key, std::string_view meaning);

}  // namespace tendril
