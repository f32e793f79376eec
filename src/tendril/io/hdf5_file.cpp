#include "tendril/io/hdf5_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>

#include <mutex>
#include <utility>

namespace tendril {
namespace {

constexpr std::size_t growth = std::size_t{1} << 20;  // [bytes] by which a file in memory grows

// Debian's library is not built for several threads.
std::mutex& library() {
  static std::mutex mutex;
  return mutex;
}

// An object of the library, closed when it goes.
class Handle {
 public:
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(id), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)), close_(other.close_) {}
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  hid_t id() const { return id_; }
  explicit operator bool() const { return id_ >= 0; }

 private:
  hid_t id_;
  herr_t (*close_)(hid_t);
};

void be_silent() { H5Eset_auto(H5E_DEFAULT, nullptr, nullptr); }

// Files in memory have names, too, and the library takes two of one name for the same file.
std::string new_name() {
  static std::int64_t files = 0;
  return fmt::format("memory {}", ++files);
}

Handle memory_access() {
  Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_fapl_core(access.id(), growth, false);
  return access;
}

Handle create_file() {
  const Handle access = memory_access();
  return {H5Fcreate(new_name().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access.id()), H5Fclose};
}

// A link into another file is not followed: all of a file is in memory.
Handle no_other_files() {
  Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  const H5L_elink_traverse_t refuse = [](const char*, const char*, const char*, const char*, unsigned*, hid_t, void*) {
    return herr_t{-1};
  };
  H5Pset_elink_cb(access.id(), refuse, nullptr);
  return access;
}

Handle open_file(std::span<const std::byte> bytes) {
  const Handle access = memory_access();
  H5Pset_file_image(access.id(), const_cast<std::byte*>(bytes.data()), bytes.size());  // copied by the library
  return {H5Fopen(new_name().c_str(), H5F_ACC_RDONLY, access.id()), H5Fclose};
}

}  // namespace

struct Hdf5Writer::File {
  Handle handle;
  std::string failed;  // the first thing that could not be written

  void write(const std::string& name, hid_t type, hid_t stored_type, std::size_t count, const void* data) {
    const std::lock_guard lock(library());
    const hsize_t size = count;
    write(name, type, stored_type, Handle(H5Screate_simple(1, &size, nullptr), H5Sclose), count == 0 ? nullptr : data);
  }
  void write_text(const std::string& name, const std::string& value) {
    const std::lock_guard lock(library());
    const Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
    H5Tset_size(type.id(), value.size() + 1);
    write(name, type.id(), type.id(), Handle(H5Screate(H5S_SCALAR), H5Sclose), value.c_str());
  }

 private:
  void write(const std::string& name, hid_t type, hid_t stored_type, const Handle& space, const void* data) {
    const Handle links(H5Pcreate(H5P_LINK_CREATE), H5Pclose), made(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.id(), 1);
    H5Pset_obj_track_times(made.id(), false);  // the same content, the same bytes
    const Handle set(H5Dcreate2(handle.id(), name.c_str(), stored_type, space.id(), links.id(), made.id(), H5P_DEFAULT),
                     H5Dclose);
    const bool written = set && (data == nullptr || H5Dwrite(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    if (!written && failed.empty()) failed = name;
  }
};

Hdf5Writer::Hdf5Writer() {
  const std::lock_guard lock(library());
  be_silent();
  file_.reset(new File{create_file(), {}});
}
Hdf5Writer::~Hdf5Writer() {
  const std::lock_guard lock(library());
  file_.reset();
}

void Hdf5Writer::numbers(const std::string& name, std::span<const double> values) {
  file_->write(name, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, values.size(), values.data());
}
void Hdf5Writer::integers(const std::string& name, std::span<const std::int64_t> values) {
  file_->write(name, H5T_NATIVE_INT64, H5T_STD_I64LE, values.size(), values.data());
}
void Hdf5Writer::integers(const std::string& name, std::span<const std::int32_t> values) {
  file_->write(name, H5T_NATIVE_INT32, H5T_STD_I32LE, values.size(), values.data());
}
void Hdf5Writer::text(const std::string& name, const std::string& value) {
  file_->write(name, H5T_NATIVE_UCHAR, H5T_STD_U8LE, value.size(), value.data());
}
void Hdf5Writer::fixed_text(const std::string& name, const std::string& value) { file_->write_text(name, value); }

Result<std::vector<std::byte>> Hdf5Writer::finish() {
  const std::lock_guard lock(library());
  if (!file_->failed.empty()) return Error{file_->failed, "cannot be put into an HDF5 file"};
  H5Fflush(file_->handle.id(), H5F_SCOPE_LOCAL);
  const ssize_t size = H5Fget_file_image(file_->handle.id(), nullptr, 0);
  std::vector<std::byte> bytes(size > 0 ? std::size_t(size) : 0);
  if (size <= 0 || H5Fget_file_image(file_->handle.id(), bytes.data(), bytes.size()) != size)
    return Error{"HDF5", "the library gives no image of the file"};
  return bytes;
}

struct Hdf5Reader::File {
  Handle handle;
  std::string name;

  // Room is made only for as many numbers as the file has bytes for. Only what the writer makes is read, numbers of one
  // type in one piece of the file: the library takes as much memory as other types, filters or pieces say.
  template <class T>
  Result<std::vector<T>> read(const std::string& what, hid_t type, hid_t stored_type, std::size_t bytes) const {
    const std::lock_guard lock(library());
    const auto refuse = [&](const char* why) { return Error{name, fmt::format("{} {}", what, why)}; };
    const Handle access = no_other_files(), set(H5Dopen2(handle.id(), what.c_str(), access.id()), H5Dclose);
    if (!set) return refuse("is missing");
    const Handle found_type(H5Dget_type(set.id()), H5Tclose), made(H5Dget_create_plist(set.id()), H5Pclose);
    if (H5Tequal(found_type.id(), stored_type) <= 0) return refuse("has numbers of another type");
    if (H5Pget_layout(made.id()) != H5D_CONTIGUOUS || H5Pget_external_count(made.id()) != 0)
      return refuse("is not in one piece");
    const Handle space(H5Dget_space(set.id()), H5Sclose);
    const hssize_t count = H5Sget_simple_extent_npoints(space.id());
    if (count < 0 || std::size_t(count) > bytes / sizeof(T)) return refuse("has more numbers than the file");
    std::vector<T> values(static_cast<std::size_t>(count));
    if (count > 0 && H5Dread(set.id(), type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()) < 0)
      return refuse("cannot be read");
    return values;
  }
  std::size_t size = 0;
};

Hdf5Reader::Hdf5Reader(std::unique_ptr<File> file) : file_(std::move(file)) {}
Hdf5Reader::Hdf5Reader(Hdf5Reader&&) noexcept = default;
Hdf5Reader::~Hdf5Reader() {
  const std::lock_guard lock(library());
  file_.reset();
}

Result<Hdf5Reader> Hdf5Reader::open(std::span<const std::byte> bytes, const std::string& name) {
  std::unique_ptr<File> file;
  {
    const std::lock_guard lock(library());
    be_silent();
    file.reset(new File{open_file(bytes), name, bytes.size()});
  }
  if (!file->handle) return Error{name, "is not an HDF5 file"};
  return Hdf5Reader(std::move(file));
}

Result<std::vector<double>> Hdf5Reader::numbers(const std::string& name) const {
  return file_->read<double>(name, H5T_NATIVE_DOUBLE, H5T_IEEE_F64LE, file_->size);
}
Result<std::vector<std::int64_t>> Hdf5Reader::integers(const std::string& name) const {
  return file_->read<std::int64_t>(name, H5T_NATIVE_INT64, H5T_STD_I64LE, file_->size);
}
Result<std::string> Hdf5Reader::text(const std::string& name) const {
  const Result<std::vector<char>> letters = file_->read<char>(name, H5T_NATIVE_UCHAR, H5T_STD_U8LE, file_->size);
  if (!letters) return letters.error();
  return std::string(letters.value().begin(), letters.value().end());
}

}  // namespace tendril
