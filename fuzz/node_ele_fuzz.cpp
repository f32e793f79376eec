// libFuzzer entry: any text through the reader of TetGen's files; a byte 0 parts .node from .ele. Every tetrahedron
// must name points that exist and have a positive volume. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     fuzz/node_ele_fuzz.cpp src/tendril/io/node_ele_file.cpp -lfmt -o node_ele_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <Eigen/LU>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/io/node_ele_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::size_t cut = std::min(text.find('\0'), size);
  const auto mesh =
      tendril::read_node_ele(text.substr(0, cut), "fuzz.node", text.substr(std::min(cut + 1, size)), "fuzz.ele");
  if (!mesh) return 0;
  const auto& points = mesh.value().points;
  for (const auto& tet : mesh.value().tets) {
    if (*std::ranges::max_element(tet) >= points.size()) std::abort();
    Eigen::Matrix3d edges;
    for (int i = 0; i < 3; ++i) edges.col(i) = points[tet[std::size_t(i) + 1]] - points[tet[0]];
    if (!(edges.determinant() > 0.0)) std::abort();
  }
  return 0;
}
