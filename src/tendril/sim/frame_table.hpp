// A CSV file of a run: a header line, then a line per frame, each written at once, so that a run in progress can be
// followed. The file of a run that was cut short may end within a line; who resumes the run drops that, and what came
// after its checkpoint.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

class FrameTable {
 public:
  // Makes the folder, too. Keeps the lines of frames up to `last_kept`; 0: begins anew. `columns` follow "frame".
  static Result<FrameTable> open(const std::filesystem::path& path, const std::vector<std::string>& columns,
                                 int last_kept);
  Status append(int frame, const std::vector<double>& values) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tendril
