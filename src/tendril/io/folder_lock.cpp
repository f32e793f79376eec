#include "tendril/io/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tendril {

FolderLock::~FolderLock() {
  if (file_ >= 0) ::close(file_);
}

Result<FolderLock> FolderLock::take(const std::filesystem::path& folder) {
  FolderLock lock;
  lock.file_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (lock.file_ < 0)
    return Error{folder.string(), fmt::format("cannot write in the folder: {}", std::strerror(errno))};
  if (::flock(lock.file_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    return Error{folder.string(),
                 "another run is writing to this folder; wait until it has ended, or give another --out"};
  return lock;
}

}  // namespace tendril
