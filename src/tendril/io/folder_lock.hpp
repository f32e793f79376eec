// A folder that one program writes to at a time. The lock is on a file `.lock` in it and ends with the program, however
// that ends; file systems that know no locks have none.
#pragma once

#include <filesystem>
#include <utility>

#include "tendril/base/error.hpp"

namespace tendril {

class FolderLock {
 public:
  FolderLock() = default;
  FolderLock(FolderLock&& other) noexcept : file_(std::exchange(other.file_, -1)) {}
  FolderLock& operator=(FolderLock&& other) noexcept {
    std::swap(file_, other.file_);
    return *this;
  }
  ~FolderLock();

  // The folder exists.
  static Result<FolderLock> take(const std::filesystem::path& folder);
  // Some program writes to the folder now. Asking disturbs nobody.
  static bool is_held(const std::filesystem::path& folder);

 private:
  int file_ = -1;
};

}  // namespace tendril
