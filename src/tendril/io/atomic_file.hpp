// Whole files. A file is written under the temporary name NAME.part in the same folder and renamed when every byte has
// been accepted: a reader sees the old file or the new one, never half of one, and a full disk leaves the old one as it
// was. Devices and pipes (/dev/stdout) are written to as they are. The data is not forced to the disk (no fsync): a
// power cut can cost the last files, a crash of ours cannot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

// A file in the making: it appears whole at commit(), or not at all.
class NewFile {
 public:
  static Result<NewFile> create(const std::filesystem::path& path);
  NewFile(NewFile&& other) noexcept = default;
  ~NewFile();  // without commit() nothing is left behind

  Status write(std::span<const std::byte> bytes);
  Status write(std::string_view text) { return write(std::as_bytes(std::span(text))); }
  Status commit();

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  explicit NewFile(const std::filesystem::path& path) : path_(path), temporary_(path.string() + ".part") {}
  Error refuse(int code);

  std::filesystem::path path_;
  std::string temporary_;
  std::unique_ptr<std::FILE, Close> file_;
};

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);
Status write_file(const std::filesystem::path& path, std::string_view text);

// Adds to the end of a file: what grows line by line cannot be renamed into place. A full disk or a crash may cut the
// last line short.
Status append_text(const std::filesystem::path& path, std::string_view text);

// Refuses folders and files above `limit` bytes; a file that grows or shrinks meanwhile is read as far as it goes.
Result<std::vector<std::byte>> read_bytes(const std::filesystem::path& path,
                                          std::uint64_t limit = std::uint64_t{1} << 36);
Result<std::string> read_text(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 30);

// For tests: of the calls that write (open, write, close, rename) the n-th from now fails as on a full disk, and so do
// all after it. 0: none. Returns how many calls there were since the last time.
std::int64_t fail_writes_from(std::int64_t n);

}  // namespace tendril
