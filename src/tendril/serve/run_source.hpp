// A run as the page asks for it: facts, and contents by number or name. Errors say what is not there. All calls may
// come from several threads at once.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "tendril/base/error.hpp"
#include "tendril/serve/content.hpp"
#include "tendril/serve/run_facts.hpp"
#include "tendril/sim/recording.hpp"

namespace tendril::serve {

class RunSource {
 public:
  virtual ~RunSource() = default;

  virtual RunFacts facts() = 0;
  virtual Result<Content> frame(int number) = 0;
  virtual Result<Content> rest() = 0;
  virtual Result<Content> body(std::size_t index) = 0;  // mesh_bytes of it
  virtual Result<Content> records() = 0;
  virtual Result<Content> probe(const std::string& name) = 0;
  virtual Result<Content> report() = 0;
};

// Of what is on disk; a run in progress is asked again when its facts are.
Result<std::unique_ptr<RunSource>> open_run(const std::filesystem::path& path, const RecordingOptions& options = {});

// u32 points, u32 triangles, then f32 x y z for each point, u32 x 3 for each triangle; little-endian.
std::vector<std::byte> mesh_bytes(const TriangleMesh& mesh);

}  // namespace tendril::serve
