// Animated strands by the extension of their file: .usda (time samples, with those of the shutter), .pvd (with a folder
// of .vtp), .pc2 (points only, for a mesh or poly-lines that stand elsewhere); or one file per frame of any format of
// groom_file.hpp, with #### in the name for the frame's number.
#pragma once

#include <filesystem>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/curve_sequence.hpp"

namespace tendril {

// Nothing is written if `sequence` has several frames and the name is that of a format for one.
Status write_sequence(const std::filesystem::path& path, const CurveSequence& sequence);

// What write_sequence would make or replace: its files and folders.
std::vector<std::filesystem::path> sequence_outputs(const std::filesystem::path& path, const CurveSequence& sequence);

}  // namespace tendril
