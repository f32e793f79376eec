// libFuzzer entry: any bytes through the reader of .hair files. What it accepts must be mended without harm, and must,
// once it is written, be read again and written to the same bytes. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/hair_fuzz.cpp
//     src/tendril/io/hair_file.cpp src/tendril/io/groom.cpp -lfmt -o hair_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <cstddef>
#include <cstdint>

#include "groom_checks.hpp"
#include "tendril/io/hair_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto groom = tendril::decode_hair(std::as_bytes(std::span(data, size)), "fuzz");
  if (!groom) return 0;
  tendril::fuzz::check(groom.value());
  const auto bytes = tendril::encode_hair(groom.value(), "fuzz");
  if (bytes) {  // a strand of the default number of segments may be too long to be written
    const auto again = tendril::decode_hair(bytes.value(), "fuzz");
    tendril::fuzz::require(bool(again) && again.value().curves.offsets == groom.value().curves.offsets);
    tendril::fuzz::require(tendril::encode_hair(again.value(), "fuzz").value() == bytes.value());
  }
  tendril::fuzz::check_repair(groom.value());
  return 0;
}
