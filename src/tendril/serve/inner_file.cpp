#include "tendril/serve/inner_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tendril::serve {
namespace {

// The folder or file `name` in an open folder, which is closed. Not blocking: a pipe would wait for its writer.
int open_next(int folder, const std::string& name, bool last) {
  const int flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (last ? 0 : O_DIRECTORY);
  const int next = name == "." || name == ".." || name.empty() ? -1 : ::openat(folder, name.c_str(), flags);
  const int fault = errno;
  ::close(folder);
  errno = fault;
  return next;
}

}  // namespace

InnerFile::~InnerFile() {
  if (file_ >= 0) ::close(file_);
}

Result<InnerFile> InnerFile::open(const std::filesystem::path& folder, const std::filesystem::path& name) {
  const std::string where = (folder / name).string();
  if (name.empty() || name.is_absolute()) return Error{where, "is not a name within the folder"};
  int at = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  for (auto part = name.begin(); part != name.end() && at >= 0; ++part)
    at = open_next(at, part->string(), std::next(part) == name.end());
  if (at < 0)
    return Error{where, errno == ELOOP ? "is a symbolic link, and links are not followed here" : std::strerror(errno)};
  InnerFile file(at);
  struct stat facts {};
  if (::fstat(at, &facts) != 0 || !S_ISREG(facts.st_mode)) return Error{where, "is not a file"};
  file.size_ = std::uint64_t(facts.st_size);
  file.tag_ =
      fmt::format("{:x}-{:x}-{:x}.{:x}", facts.st_ino, facts.st_size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  return file;
}

bool InnerFile::read(std::uint64_t from, std::span<char> out) const {
  while (!out.empty()) {
    const ssize_t got = ::pread(file_, out.data(), out.size(), off_t(from));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    from += std::uint64_t(got), out = out.subspan(std::size_t(got));
  }
  return true;
}

Result<std::string> InnerFile::text(std::uint64_t limit) const {
  if (size_ > limit) return Error{"", fmt::format("is of {} bytes; {} are the most", size_, limit)};
  std::string text(size_, '\0');
  if (!read(0, text)) return Error{"", "cannot be read"};
  return text;
}

}  // namespace tendril::serve
