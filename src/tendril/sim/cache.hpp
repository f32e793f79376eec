// The cache of a run: a folder with one file per frame (io/frame_file.hpp) and cache.json, which says what they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

// What happens to frames that are in the folder already.
enum class OldCache : std::uint8_t { refuse, replace, keep };

class CacheWriter {
 public:
  // Makes the folder. Frames after `last_kept` go in any case: a run that resumes writes them again.
  static Result<CacheWriter> open(const std::filesystem::path& folder, const World& world, OldCache old, int last_kept);

  Frame snapshot(int frame, double time, bool usable, const World& world, const WorldState& state) const;
  // Writes the frame, then cache.json anew: a run in progress can be followed, and one that was killed is whole.
  Status write(const Frame& frame);

 private:
  Status write_index() const;

  std::filesystem::path folder_;
  std::string name_;
  double fps_ = 0.0;
  int first_ = 0, last_ = 0, written_ = 0;
  std::vector<std::string> sets_;
  std::vector<std::size_t> set_strands_;
  Frame frame_;  // what all frames share
};

}  // namespace tendril
