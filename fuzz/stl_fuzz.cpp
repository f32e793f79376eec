// libFuzzer entry: any bytes through the STL reader, as they are and with the count that their size asks for (a
// mutation would hardly ever hit it). No point may stand twice, and no triangle may have a point twice. To build it, in
// one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/stl_fuzz.cpp
//     src/tendril/io/stl_file.cpp -lfmt -o stl_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <span>
#include <vector>

#include "tendril/io/stl_file.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void check(std::span<const std::byte> bytes) {
  const auto mesh = tendril::read_stl(bytes, "fuzz");
  if (!mesh) return;
  std::vector<std::array<double, 3>> points;
  bool fits_float = true;
  for (const auto& p : mesh.value().points) {
    points.push_back({p[0], p[1], p[2]});
    fits_float = fits_float && p.cwiseAbs().maxCoeff() <= double(std::numeric_limits<float>::max());
  }
  std::ranges::sort(points);
  require(std::ranges::adjacent_find(points) == points.end());
  for (const auto& [a, b, c] : mesh.value().triangles)
    require(a != b && b != c && c != a && std::max({a, b, c}) < points.size());
  if (!fits_float) return;  // it would be written as infinite
  const auto again = tendril::read_stl(tendril::encode_stl(mesh.value()), "fuzz");
  require(bool(again) && again.value().triangles.size() <= mesh.value().triangles.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check(bytes);
  if (size < 84) return 0;
  const auto count = static_cast<std::uint32_t>((size - 84) / 50);
  std::vector<std::byte> repaired(bytes.begin(), bytes.begin() + 84 + 50 * std::ptrdiff_t{count});
  std::memcpy(repaired.data() + 80, &count, 4);
  check(repaired);
  return 0;
}
