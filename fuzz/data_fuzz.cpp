// libFuzzer entry: any bytes through the reader of .data files. What it accepts must be mended without harm, and must,
// once it is written, be read again and written to the same bytes. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/data_fuzz.cpp
//     src/tendril/io/data_file.cpp src/tendril/io/groom.cpp -lfmt -o data_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <cstddef>
#include <cstdint>

#include "groom_checks.hpp"
#include "tendril/io/data_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto groom = tendril::decode_data(std::as_bytes(std::span(data, size)), "fuzz");
  if (!groom) return 0;
  tendril::fuzz::check(groom.value());
  const auto bytes = tendril::encode_data(groom.value(), "fuzz");
  const auto again = tendril::decode_data(bytes.value(), "fuzz");
  tendril::fuzz::require(bool(again) && again.value().curves.offsets == groom.value().curves.offsets);
  tendril::fuzz::require(tendril::encode_data(again.value(), "fuzz").value() == bytes.value());
  tendril::fuzz::check_repair(groom.value());
  return 0;
}
