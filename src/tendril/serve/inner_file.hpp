// A file within a folder, open for reading. Nothing outside the folder can be reached: every part of the name is opened
// for itself, and below the folder no symbolic link is followed, wherever it leads. What was opened stays as it is even
// if another file takes its name meanwhile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "tendril/base/error.hpp"

namespace tendril::serve {

class InnerFile {
 public:
  // Regular files only. `name` is relative to the folder.
  static Result<InnerFile> open(const std::filesystem::path& folder, const std::filesystem::path& name);
  InnerFile(InnerFile&& other) noexcept
      : file_(std::exchange(other.file_, -1)), size_(other.size_), tag_(std::move(other.tag_)) {}
  InnerFile& operator=(InnerFile&&) = delete;
  ~InnerFile();

  std::uint64_t size() const { return size_; }
  const std::string& tag() const { return tag_; }  // another one after every change of the file
  // False: the file has shrunk.
  bool read(std::uint64_t from, std::span<char> out) const;
  Result<std::string> text(std::uint64_t limit) const;

 private:
  explicit InnerFile(int file) : file_(file) {}

  int file_ = -1;
  std::uint64_t size_ = 0;
  std::string tag_;
};

}  // namespace tendril::serve
