// libFuzzer entry: any text through the reader of maps. What it accepts must ascend, and applied to a groom it gives
// positive, finite values or an error. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     fuzz/value_map_fuzz.cpp src/tendril/scene/{value_map,csv}.cpp src/tendril/io/{atomic_file,groom}.cpp -lfmt
//     -o value_map_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "tendril/scene/value_map.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

tendril::Groom two_strands() {
  tendril::Groom groom;
  groom.curves.points = {{0, 0, 0}, {1, 0, 0}, {4, 0, 0}, {0, 1, 0}, {2, 1, 0}};
  groom.curves.offsets = {0, 3, 5};
  return groom;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = tendril::parse_value_map({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
  if (!read) {
    require(!read.error().where.empty() && !read.error().what.empty());
    return 0;
  }
  const tendril::ValueMap& map = read.value();
  require(!map.rows.empty());
  for (std::size_t i = 0; i < map.rows.size(); ++i) {
    const tendril::ValueMap::Row& row = map.rows[i];
    require(row.position >= 0.0 && row.position <= 1.0 && std::isfinite(row.value));
    require(i == 0 || row.strand > map.rows[i - 1].strand ||
            (row.strand == map.rows[i - 1].strand && row.position > map.rows[i - 1].position));
  }
  std::vector<double> values(5, 1.0);
  if (tendril::apply(map, two_strands(), "radius", values))
    for (const double value : values) require(value > 0.0 && std::isfinite(value));
  return 0;
}
