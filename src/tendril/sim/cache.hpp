// The cache of a run: a folder with one file per frame (io/frame_file.hpp), what never changes, and cache.json, which
// says what they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/folder_lock.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/sim/frame_maker.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

// What happens to frames that are in the folder already.
enum class OldCache : std::uint8_t { refuse, replace, keep };

class CacheWriter {
 public:
  // Makes the folder. Frames after `last_kept` go in any case: a run that resumes writes them again. Frames are
  // numbered as output.start_frame says.
  static Result<CacheWriter> open(const std::filesystem::path& folder, const World& world, const OutputSettings& output,
                                  OldCache old, int last_kept);

  const FrameMaker& maker() const { return *maker_; }
  // Writes the frame, then cache.json anew: a run in progress can be followed, and one that was killed is whole.
  Status write(const Frame& frame);
  // The pose of the frame when its shutter closes.
  Status write_shutter(const Frame& frame) const;

 private:
  Status write_what_is_constant(const World& world);
  Status write_index() const;

  std::filesystem::path folder_;
  FolderLock lock_;
  std::string name_;
  double fps_ = 0.0, shutter_ = 0.0;
  int first_ = 0, last_ = 0, written_ = 0;
  std::vector<std::string> sets_;
  std::vector<std::size_t> set_strands_;
  std::vector<CacheBody> bodies_;
  std::optional<FrameMaker> maker_;
};

}  // namespace tendril
