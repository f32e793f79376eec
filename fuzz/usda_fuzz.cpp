// libFuzzer entry: any text through the reader of .usda files. What it accepts must be mended without harm. A second
// "#usda 1.0" begins the layer that all value clips of the first part find. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/usda_fuzz.cpp
//     src/tendril/io/usda_reader.cpp src/tendril/io/usda_clips.cpp src/tendril/io/usda_parser.cpp
//     src/tendril/io/groom.cpp -lfmt -o usda_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "groom_checks.hpp"
#include "tendril/io/usda_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t end = std::min(text.find("#usda 1.0", 1), size);
  const auto layers = [&](const std::string&) -> tendril::Result<std::optional<tendril::UsdaLayer>> {
    if (end == size) return std::optional<tendril::UsdaLayer>();
    return std::optional(tendril::UsdaLayer{"layer", std::string(text.substr(end))});
  };
  auto groom = tendril::decode_usda(text.substr(0, end), "fuzz", layers);
  if (!groom) return 0;
  tendril::fuzz::check(groom.value());
  tendril::fuzz::check_repair(groom.value());
  return 0;
}
