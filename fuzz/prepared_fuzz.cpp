// libFuzzer entry: any bytes as a prepared groom; and, after a letter f, as fields put in place of those of a good one,
// behind a right seal: each takes one byte for which, one for how many numbers, one that says what the numbers are. The
// HDF5 library itself is not tried here: its parser is not safe (checkpoint_fuzz.cpp says how), and the seal stands
// before it. What is accepted must be fit to simulate and must, once it is written, be read again with the same bytes.
// To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     -isystem /usr/include/hdf5/serial fuzz/prepared_fuzz.cpp
//     src/tendril/io/{prepared_groom,hdf5_file,sealed_file}.cpp build/release/libtendril_core.a -lfmt
//     -ltomlplusplus -lembree3 -lhdf5_serial -o prepared_fuzz
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "tendril/io/hdf5_file.hpp"
#include "tendril/io/prepared_groom.hpp"
#include "tendril/io/sealed_file.hpp"
#include "tendril/rods/der/strands.hpp"

namespace {

using namespace tendril;

constexpr SealKind seal = {"TENDRILP", 1, "a prepared groom"};

void require(bool good) {
  if (!good) std::abort();
}

struct Fields {
  std::map<std::string, std::vector<double>> numbers;
  std::map<std::string, std::vector<std::int64_t>> integers;
};

// Two strands, of three and two vertices.
Fields good_fields() {
  const std::vector<double> ones(5, 1.0), zeros(5, 0.0), two(2, 1.0);
  Fields fields;
  fields.integers = {{"/offsets", {0, 3, 5}},     {"/attribute_count", {0}},   {"/clamps", {1, 0}},
                     {"/curvature_measure", {0}}, {"/outcome/status", {0, 0}}, {"/outcome/negative_modes", {0, 0}}};
  for (const char* name : {"/semi_axis1", "/semi_axis2", "/density", "/stretch_modulus", "/bend_modulus",
                           "/twist_modulus", "/reference_length", "/radius", "/outcome/vertex_stiffness_factor"})
    fields.numbers[name] = ones;
  for (const char* name : {"/rest_strain", "/rest_twist"}) fields.numbers[name] = zeros;
  for (const char* name :
       {"/outcome/mu", "/outcome/imbalance_before", "/outcome/imbalance", "/outcome/stiffness_factor"})
    fields.numbers[name] = two;
  fields.numbers["/points"] = {0, 0, 0, 1, 0, 0, 2, 1, 0, 0, 1, 0, 1, 1, 0};
  fields.numbers["/rest_curvature"] = std::vector<double>(20, 0.1);
  fields.numbers["/damping"] = {0.0};
  fields.numbers["/root_director"] = {};
  fields.numbers["/gravity"] = {0.0, -9.81, 0.0};
  return fields;
}

double number_of(std::uint8_t kind, std::size_t i) {
  switch (kind % 8) {
    case 0: return 0.0;
    case 1: return double(i);
    case 2: return -1.0;
    case 3: return std::numeric_limits<double>::quiet_NaN();
    case 4: return std::numeric_limits<double>::infinity();
    case 5: return 1e300;
    case 6: return 1e-320;
    default: return 0.25 * double(kind);
  }
}

void put(std::uint8_t which, std::uint8_t count, std::uint8_t kind, Fields& fields) {
  const std::size_t total = fields.numbers.size() + fields.integers.size(), place = which % total;
  if (place < fields.numbers.size()) {
    std::vector<double>& values = std::next(fields.numbers.begin(), std::ptrdiff_t(place))->second;
    values.resize(count);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = number_of(kind, i);
  } else {
    const std::size_t at = place - fields.numbers.size();
    std::vector<std::int64_t>& values = std::next(fields.integers.begin(), std::ptrdiff_t(at))->second;
    values.resize(count);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = kind % 4 == 0 ? std::int64_t(i) : kind % 4 == 1 ? std::int64_t(kind) - 128 : std::int64_t(3 * i);
  }
}

std::vector<std::byte> file_of(const Fields& fields) {
  Hdf5Writer file;
  for (const auto& [name, values] : fields.numbers) file.numbers(name, values);
  for (const auto& [name, values] : fields.integers) file.integers(name, values);
  return sealed(seal, file.finish().value());
}

void check(std::span<const std::byte> bytes) {
  const Result<PreparedGroom> read = decode_prepared(bytes, "fuzz.h5");
  if (!read) {
    require(!read.error().where.empty() && !read.error().what.empty());
    return;
  }
  require(bool(der::Strands::create(read.value().description)));
  const std::vector<std::byte> again = encode_prepared(read.value()).value();
  const Result<PreparedGroom> kept = decode_prepared(again, "fuzz.h5");
  require(bool(kept) && encode_prepared(kept.value()).value() == again);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0 || data[0] != 'f') {
    check(std::as_bytes(std::span(data, size)));
    return 0;
  }
  Fields fields = good_fields();
  for (std::size_t i = 1; i + 2 < size && i < 64; i += 3) put(data[i], data[i + 1], data[i + 2], fields);
  check(file_of(fields));
  return 0;
}
