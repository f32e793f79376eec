// libFuzzer entry: any bytes through the frame reader, as they are and with a right checksum (a mutation would hardly
// ever hit it). What the reader accepts must be written back to the same bytes. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc fuzz/frame_file_fuzz.cpp
//     src/tendril/io/frame_file.cpp src/tendril/io/atomic_file.cpp src/tendril/base/hash.cpp -lfmt -o frame_file_fuzz
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

#include "tendril/base/hash.hpp"
#include "tendril/io/frame_file.hpp"

namespace {

void check(std::span<const std::byte> bytes) {
  const auto frame = tendril::decode_frame(bytes, "fuzz");
  if (!frame) return;
  const auto again = tendril::encode_frame(frame.value(), "fuzz");
  if (!again || !std::ranges::equal(again.value(), bytes)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check(bytes);
  if (size < 8) return 0;
  std::vector<std::byte> repaired(bytes.begin(), bytes.end());
  const std::uint64_t checksum = tendril::Hash().bytes(bytes.first(size - 8)).value();
  std::memcpy(repaired.data() + size - 8, &checksum, 8);
  check(repaired);
  return 0;
}
