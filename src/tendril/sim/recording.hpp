// Something to look at: the cache of a run, also of one in progress, or a groom that stands still. Pictures and pages
// are made from it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/mesh.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/frame_file.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

struct RecordingOptions {
  std::optional<double> scale;  // of a groom file: metres per unit; nothing: what it says, or else metres
  std::optional<UpAxis> up;     // likewise, or else y
};

class Recording {
 public:
  // A folder of a run, a frame of one, or a groom file.
  static Result<Recording> open(const std::filesystem::path& path, const RecordingOptions& options = {});

  const std::filesystem::path& path() const { return path_; }
  const std::string& name() const { return index_.name; }
  double fps() const { return index_.fps; }
  double shutter() const { return index_.shutter; }  // share of a frame; 0: none
  const std::vector<CurveSequence::Set>& sets() const { return index_.sets; }
  const std::vector<CacheBody>& bodies() const { return index_.bodies; }
  const std::vector<int>& frames() const { return frames_; }        // numbers, rising; one or more
  const std::optional<Frame>& rest() const { return rest_; }        // what holds for all frames
  const std::optional<Frame>& still() const { return still_; }      // the only frame, if it is not on disk
  const std::vector<std::string>& notes() const { return notes_; }  // what was repaired or assumed
  std::filesystem::path frame_path(int number) const { return path_ / frame_name(number); }  // of a run

  // Asks the folder again: a run may have gone on.
  void refresh();

  Result<Frame> frame(int number) const;
  Result<std::optional<Frame>> shutter_frame(int number) const;  // nothing: the frame has none
  Result<TriangleMesh> body_mesh(std::size_t body) const;        // as it was drawn

 private:
  std::filesystem::path path_;
  CacheIndex index_;
  std::vector<int> frames_;
  std::vector<std::uint32_t> offsets_;  // of all frames
  std::optional<Frame> rest_, still_;
  std::vector<std::string> notes_;
};

// The points of a body in a frame: as drawn, carried by its pose, or its own.
Result<TriangleMesh> posed(const TriangleMesh& drawn, std::size_t body, bool deforms, const Frame& frame);

}  // namespace tendril
