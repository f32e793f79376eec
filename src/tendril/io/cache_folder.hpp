// Reading the cache of a run: a folder with cache.json and one file per frame (frame_file.hpp). Whatever frames are
// there count, whole or not is found when one is fetched; so the cache of a run in progress, or of one that was killed,
// is as good as any. If cache.json has a "shutter" (a share of a frame, above 0 and at most 1), a frame may have a
// second file of the same format, with the frame's number and the state that much later.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/curve_sequence.hpp"
#include "tendril/io/frame_file.hpp"

namespace tendril {

inline constexpr const char* cache_index_name = "cache.json";
inline constexpr const char* rest_name = "rest.tendril";  // a frame file with what holds for all frames
inline constexpr const char* bodies_name = "bodies";      // folder of meshes

// A mesh that belongs to the picture: `file` is within the cache. Frames have its pose in the channel body_pose, one
// for each body, and if it deforms its points in body_points_N, N being its place among the bodies.
struct CacheBody {
  std::string name, file;
  bool deforms = false;
};
std::string body_file_name(const std::string& body);  // "bodies/head.ply"

// What cache.json says, as far as it can be read: the frames themselves hold all that is needed.
struct CacheIndex {
  std::string name = "groom";
  double fps = 60.0, shutter = 0.0;
  std::vector<CurveSequence::Set> sets;
  std::vector<CacheBody> bodies;
};
CacheIndex read_cache_index(const std::filesystem::path& folder);
// The sets, if they have all strands of the cache between them; else one set of all.
std::vector<CurveSequence::Set> fitting_sets(std::vector<CurveSequence::Set> sets, std::size_t strands);

std::string frame_name(int frame);  // "frame_0001.tendril"
// The number in such a name; nothing if it is another.
std::optional<int> frame_number(const std::filesystem::path& path);
// Of the frame files in a folder, rising.
std::vector<int> frame_numbers(const std::filesystem::path& folder);

std::string shutter_name(int frame);  // "shutter_0001.tendril"
// Of the frames that have such a file, rising.
std::vector<int> shutter_numbers(const std::filesystem::path& folder);

bool is_cache(const std::filesystem::path& folder);  // it holds cache.json or a frame
Result<CurveSequence> open_cache(const std::filesystem::path& folder);

// The strands of one frame at rest; attributes are its other channels.
Result<Groom> to_groom(const Frame& frame, const std::string& name);

}  // namespace tendril
