// USD text files (.usda) with strands as BasisCurves.
//
// Read: every BasisCurves prim on the stage, with the transforms above it; linear curves as they are, cubic ones
// (bezier, bspline, catmullRom) by their points at the ends of the segments; points of the earliest time, which may
// stand in value clips (usda_clips.hpp); widths as diameters; primvars of one number or tuple per curve or vertex as
// attributes. USD's unit is a centimetre where the file does not say metersPerUnit.
//
// Written: one BasisCurves prim per set of strands below an Xform, in metres, y up:
//   type "linear", curveVertexCounts, widths (diameters), points, velocities, extent; primvars:groom_id, groom_width,
//   those of guides (usda_primvars.hpp) and further attributes of the groom as primvars. What moves has time samples,
//   one per frame, with the frame's number as its time, and one per sample of the shutter, that share of a frame later.
//   Above `most_points` points in all samples together the numbers go to value clips: one layer per frame in a folder
//   beside the file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/curve_sequence.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

// Another file that a file refers to; `name` stands in errors.
struct UsdaLayer {
  std::string name, text;
};
// Finds it by the path that stands there; nothing: there is no such file.
using UsdaLayers = std::function<Result<std::optional<UsdaLayer>>(const std::string& asset)>;

// Without `layers` a file whose points stand in value clips is refused.
Result<Groom> decode_usda(std::string_view text, const std::string& name, const UsdaLayers& layers = {});

struct UsdaOptions {
  std::size_t most_points = 20'000'000;  // in one file
};
Status write_usda(const std::filesystem::path& path, const CurveSequence& sequence, const UsdaOptions& options = {});
// What write_usda makes or replaces: the file and, with value clips, their folder.
std::vector<std::filesystem::path> usda_outputs(const std::filesystem::path& path, const CurveSequence& sequence,
                                                const UsdaOptions& options = {});

}  // namespace tendril
