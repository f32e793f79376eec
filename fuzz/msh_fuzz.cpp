// libFuzzer entry: any text through the reader of Gmsh meshes. Every tetrahedron must name nodes that exist and have a
// positive volume. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/msh_fuzz.cpp
//     src/tendril/io/msh_file.cpp -lfmt -o msh_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <Eigen/LU>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/io/msh_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto mesh = tendril::read_msh({reinterpret_cast<const char*>(data), size}, "fuzz");
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
