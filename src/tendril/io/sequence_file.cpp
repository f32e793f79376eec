#include "tendril/io/sequence_file.hpp"

#include <fmt/format.h>

#include "tendril/io/atomic_file.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/numbered_name.hpp"
#include "tendril/io/pc2_file.hpp"
#include "tendril/io/usda_file.hpp"
#include "tendril/io/vtp_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

Groom posed(const Groom& groom, const CurveFrame& frame) {
  Groom out = groom;
  for (std::size_t v = 0; v < out.curves.points.size(); ++v)
    for (int c = 0; c < 3; ++c) out.curves.points[v][c] = double(frame.positions[3 * v + std::size_t(c)]);
  return out;
}

Status write_each(const fs::path& path, const CurveSequence& sequence) {
  for (std::size_t i = 0; i < sequence.frames.size(); ++i) {
    Result<CurveFrame> frame = sequence.fetch(i);
    if (!frame) return frame.error();
    const fs::path target = numbered_name(path, sequence.frames[i]);
    // Of the formats for one frame only this one has velocities.
    Status written = path.extension() == ".vtp" ? write_file(target, encode_vtp(sequence, frame.value()))
                                                : write_groom(target, posed(sequence.groom, frame.value()));
    if (!written) return written;
  }
  return ok();
}

Status write_pc2(const fs::path& path, const CurveSequence& sequence) {
  const std::size_t points = sequence.groom.curves.points.size();
  const int stride = sequence.frames.size() > 1 ? sequence.frames[1] - sequence.frames[0] : 1;
  for (std::size_t i = 1; i < sequence.frames.size(); ++i)
    if (sequence.frames[i] - sequence.frames[i - 1] != stride)
      return Error{path.string(), fmt::format("cannot leave out frames between {} and {}; its samples are {} apart",
                                              sequence.frames[i - 1], sequence.frames[i], stride)};
  Result<std::vector<std::byte>> header =
      encode_pc2_header(points, float(sequence.frames.front()), float(stride), sequence.frames.size(), path.string());
  if (!header) return header.error();
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Status s = file.value().write(header.value()); !s) return s;
  for (std::size_t i = 0; i < sequence.frames.size(); ++i) {
    Result<CurveFrame> frame = sequence.fetch(i);
    if (!frame) return frame.error();
    if (Status s = file.value().write(std::as_bytes(std::span(frame.value().positions))); !s) return s;
  }
  return file.value().commit();
}

}  // namespace

Status write_sequence(const fs::path& path, const CurveSequence& sequence) {
  const fs::path extension = path.extension();
  if (is_numbered(path)) return write_each(path, sequence);
  if (extension == ".usda") return write_usda(path, sequence);
  if (extension == ".pvd") return write_pvd(path, sequence);
  if (extension == ".pc2") return write_pc2(path, sequence);
  if (sequence.frames.size() > 1 && writes_groom(path))
    return Error{path.string(), fmt::format("would hold one of {} frames; write #### into the name for the frame's "
                                            "number, or take a format for motion: .usda, .pvd, .pc2",
                                            sequence.frames.size())};
  if (!writes_groom(path)) return write_groom(path, {});  // which says what there is
  return write_each(path, sequence);
}

std::vector<fs::path> sequence_outputs(const fs::path& path, const CurveSequence& sequence) {
  std::vector<fs::path> outputs;
  if (is_numbered(path)) {
    for (const int frame : sequence.frames) outputs.push_back(numbered_name(path, frame));
    return outputs;
  }
  if (path.extension() == ".usda") return usda_outputs(path, sequence);
  outputs.push_back(path);
  if (path.extension() == ".pvd") outputs.push_back(path.parent_path() / path.stem());
  return outputs;
}

}  // namespace tendril
