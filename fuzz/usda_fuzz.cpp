// libFuzzer entry: any text through the reader of .usda files. What it accepts must be mended without harm. To build
// it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/usda_fuzz.cpp
//     src/tendril/io/usda_reader.cpp src/tendril/io/usda_parser.cpp src/tendril/io/groom.cpp -lfmt -o usda_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "groom_checks.hpp"
#include "tendril/io/usda_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  auto groom = tendril::decode_usda(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  if (!groom) return 0;
  tendril::fuzz::check(groom.value());
  tendril::fuzz::check_repair(groom.value());
  return 0;
}
