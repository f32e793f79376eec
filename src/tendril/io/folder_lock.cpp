#include "tendril/io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace tendril {
namespace {

bool is_taken(int file, int lock) { return ::flock(file, lock | LOCK_NB) != 0 && errno == EWOULDBLOCK; }

// is_held() takes the lock for an instant: what is taken is so only if it stays so.
bool stays_taken(int file) {
  for (int attempt = 0; attempt < 5; ++attempt) {
    if (!is_taken(file, LOCK_EX)) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  FolderLock lock;
  lock.file_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock.file_ < 0)
    return Error{folder.string(), fmt::format("cannot write in the folder: {}", std::strerror(errno))};
  if (stays_taken(lock.file_))
    return Error{folder.string(),
                 "another run is writing to this folder; wait until it has ended, or give another --out"};
  return lock;
}

bool FolderLock::is_held(const std::filesystem::path& folder) {
  FolderLock look;
  look.file_ = ::open((folder / ".lock").c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  return look.file_ >= 0 && is_taken(look.file_, LOCK_SH);
}

}  // namespace tendril
