// libFuzzer entry: any bytes through the reader of point caches. What it accepts must be written back to the same
// bytes. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/pc2_fuzz.cpp
//     src/tendril/io/pc2_file.cpp -lfmt -o pc2_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "tendril/io/pc2_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto cache = tendril::read_pc2(bytes, "fuzz");
  if (!cache) return 0;
  const auto& [start, rate, points, samples] = cache.value();
  const auto header =
      tendril::encode_pc2_header(std::size_t(points), start, rate, cache.value().sample_count(), "fuzz");
  if (!header || !std::ranges::equal(header.value(), bytes.first(32))) std::abort();
  if (!std::ranges::equal(std::as_bytes(std::span(samples)), bytes.subspan(32))) std::abort();
  return 0;
}
