#include "tendril/sim/frame_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

// Whole lines of frames up to `last`.
std::string kept_lines(const std::string& text, int last) {
  std::string kept;
  std::size_t at = std::min(text.size(), text.find('\n')) + 1;  // behind the header
  while (at < text.size()) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;
    int frame = 0;
    const auto [stop, fault] = std::from_chars(text.data() + at, text.data() + end, frame);
    if (fault != std::errc() || *stop != ',' || frame > last) break;
    kept.append(text, at, end + 1 - at);
    at = end + 1;
  }
  return kept;
}

}  // namespace

Result<FrameTable> FrameTable::open(const fs::path& path, const std::vector<std::string>& columns, int last_kept) {
  FrameTable table;
  table.path_ = path;
  std::error_code fault;
  fs::create_directories(path.parent_path(), fault);
  if (fault) return Error{path.string(), fmt::format("cannot make its folder: {}", fault.message())};
  std::string text = fmt::format("frame,{}\n", fmt::join(columns, ","));
  if (last_kept > 0)
    if (const Result<std::string> old = read_text(path)) text += kept_lines(old.value(), last_kept);
  if (Status status = write_file(path, text); !status) return status.error();
  return table;
}

Status FrameTable::append(int frame, const std::vector<double>& values) const {
  return append_text(path_, fmt::format("{},{}\n", frame, fmt::join(values, ",")));
}

}  // namespace tendril
