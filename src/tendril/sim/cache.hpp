// The cache of a run: a folder with one file per frame (io/frame_file.hpp) and cache.json, which says what they are.
#pragma once

#include <filesystem>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

class CacheWriter {
 public:
  // Makes the folder. An earlier cache there is refused, or its frames removed if `overwrite` says so.
  static Result<CacheWriter> open(const std::filesystem::path& folder, const World& world, bool overwrite);

  // Writes the frame, then cache.json anew: a run in progress can be followed, and one that was killed is whole.
  Status write(int frame, double time, bool usable, const World& world, const WorldState& state);

 private:
  Status write_index() const;

  std::filesystem::path folder_;
  std::string name_;
  double fps_ = 0.0;
  int first_ = 0, last_ = 0, written_ = 0;
  std::vector<std::string> sets_;
  std::vector<std::size_t> set_strands_;
  Frame frame_;  // its arrays are made once
};

}  // namespace tendril
