// HDF5 files in memory: named arrays and texts, in groups if the name has slashes. hdf5_file.cpp is the only file that
// knows the library. Files are made and read as bytes, so that they can be written atomically and checked before the
// library sees them: it trusts what it reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

class Hdf5Writer {
 public:
  Hdf5Writer();
  ~Hdf5Writer();
  Hdf5Writer(const Hdf5Writer&) = delete;
  Hdf5Writer& operator=(const Hdf5Writer&) = delete;

  void numbers(const std::string& name, std::span<const double> values);
  void integers(const std::string& name, std::span<const std::int64_t> values);
  void integers(const std::string& name, std::span<const std::int32_t> values);
  void text(const std::string& name, const std::string& value);        // as bytes, so that it may be empty
  void fixed_text(const std::string& name, const std::string& value);  // as one value, with a zero at its end
  Result<std::vector<std::byte>> finish();                             // the file; an error if anything of it failed

 private:
  struct File;
  std::unique_ptr<File> file_;
};

class Hdf5Reader {
 public:
  // `name` stands in errors.
  static Result<Hdf5Reader> open(std::span<const std::byte> bytes, const std::string& name);
  Hdf5Reader(Hdf5Reader&&) noexcept;
  ~Hdf5Reader();

  Result<std::vector<double>> numbers(const std::string& name) const;
  Result<std::vector<std::int64_t>> integers(const std::string& name) const;
  Result<std::string> text(const std::string& name) const;

 private:
  struct File;
  explicit Hdf5Reader(std::unique_ptr<File> file);
  std::unique_ptr<File> file_;
};

}  // namespace tendril
