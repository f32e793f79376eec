#include "tendril/io/atomic_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

namespace tendril {
namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, Close>;

std::atomic<std::int64_t> write_calls = 0, first_failure = 0;

// Counts the call, and says no where a test has asked for it.
bool may_write() {
  const std::int64_t n = ++write_calls, failure = first_failure;
  if (failure == 0 || n < failure) return true;
  errno = ENOSPC;
  return false;
}

std::string reason(int code) { return std::generic_category().message(code); }

template <class Bytes>
Result<Bytes> read_whole(const std::filesystem::path& path, std::uint64_t limit) {
  const std::string name = path.string();
  std::error_code fault;
  if (std::filesystem::is_directory(path, fault)) return Error{name, "is a folder, not a file"};
  errno = 0;
  const File file(std::fopen(name.c_str(), "rb"));
  if (!file) return Error{name, fmt::format("cannot be opened: {}", reason(errno))};

  // Read in growing pieces: the size that the system tells is only a hint (it is 0 for pipes).
  Bytes bytes;
  const auto hint = std::filesystem::file_size(path, fault);
  std::size_t room = fault ? 0 : static_cast<std::size_t>(std::min<std::uintmax_t>(hint, limit)) + 1;
  room = std::max<std::size_t>(room, 1 << 16);
  for (std::size_t used = 0;; room = bytes.size()) {
    bytes.resize(used + room);
    const std::size_t got = std::fread(bytes.data() + used, 1, room, file.get());
    used += got;
    if (used > limit) return Error{name, fmt::format("is larger than the {} bytes that are read at most", limit)};
    if (got < room) {
      if (std::ferror(file.get())) return Error{name, fmt::format("cannot be read: {}", reason(errno))};
      bytes.resize(used);
      return bytes;
    }
  }
}

}  // namespace

Result<NewFile> NewFile::create(const std::filesystem::path& path) {
  NewFile made(path);
  std::error_code fault;
  if (std::filesystem::is_other(path, fault)) made.temporary_ = path.string();  // a device or a pipe stays one
  errno = 0;
  if (may_write()) made.file_.reset(std::fopen(made.temporary_.c_str(), "wb"));
  if (!made.file_) return Error{path.string(), fmt::format("cannot be written: {}", reason(errno))};
  return made;
}

NewFile::~NewFile() {
  if (file_) refuse(0);
}

Error NewFile::refuse(int code) {
  file_.reset();
  if (temporary_ != path_.string()) std::remove(temporary_.c_str());
  return {path_.string(), fmt::format("cannot be written: {}", reason(code))};
}

Status NewFile::write(std::span<const std::byte> bytes) {
  errno = 0;
  if (!may_write()) return refuse(errno);
  if (bytes.empty()) return ok();  // its address may be null, which fwrite must not get
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) != bytes.size()) return refuse(errno);
  return ok();
}

Status NewFile::commit() {
  errno = 0;
  if (!may_write() || std::fflush(file_.get()) != 0) return refuse(errno);
  if (std::fclose(file_.release()) != 0) return refuse(errno);  // some file systems tell of a full disk only here
  if (temporary_ == path_.string()) return ok();
  std::error_code fault;
  if (may_write())
    std::filesystem::rename(temporary_, path_, fault);
  else
    fault.assign(errno, std::generic_category());
  if (fault) return refuse(fault.value());
  return ok();
}

Status write_file(const std::filesystem::path& path, std::span<const std::byte> bytes) {
  Result<NewFile> file = NewFile::create(path);
  if (!file) return file.error();
  if (Status written = file.value().write(bytes); !written) return written;
  return file.value().commit();
}

Status write_file(const std::filesystem::path& path, std::string_view text) {
  return write_file(path, std::as_bytes(std::span(text)));
}

Status append_text(const std::filesystem::path& path, std::string_view text) {
  errno = 0;
  File file(may_write() ? std::fopen(path.c_str(), "ab") : nullptr);
  const bool written = file && may_write() && std::fwrite(text.data(), 1, text.size(), file.get()) == text.size() &&
                       may_write() && std::fclose(file.release()) == 0;
  if (written) return ok();
  return Error{path.string(), fmt::format("cannot be written: {}", reason(errno))};
}

Result<std::vector<std::byte>> read_bytes(const std::filesystem::path& path, std::uint64_t limit) {
  return read_whole<std::vector<std::byte>>(path, limit);
}

Result<std::string> read_text(const std::filesystem::path& path, std::uint64_t limit) {
  return read_whole<std::string>(path, limit);
}

std::int64_t fail_writes_from(std::int64_t n) {
  first_failure = n;
  return write_calls.exchange(0);
}

}  // namespace tendril
