// libFuzzer entry: any text through both OBJ readers. What they accept must be written and read again as the same
// triangles or strands, with the same points in float32. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/obj_fuzz.cpp
//     src/tendril/io/obj_file.cpp src/tendril/io/segment_chains.cpp -lfmt -o obj_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <vector>

#include "tendril/io/obj_file.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

bool same(double a, double b) { return float(a) == float(b) || (std::isnan(a) && std::isnan(b)); }

void require_same(const std::vector<Eigen::Vector3d>& a, const std::vector<Eigen::Vector3d>& b) {
  require(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    for (int c = 0; c < 3; ++c) require(same(a[i][c], b[i][c]));
}

// Beyond float32 a coordinate is written as infinite, which a mesh does not have.
bool fits_float(const Eigen::Vector3d& point) {
  return point.cwiseAbs().maxCoeff() <= double(std::numeric_limits<float>::max());
}

void check_mesh(std::string_view text) {
  const auto mesh = tendril::read_obj_mesh(text, "fuzz");
  if (!mesh) return;
  for (const auto& triangle : mesh.value().triangles)
    for (const auto corner : triangle) require(corner < mesh.value().points.size());
  if (!std::ranges::all_of(mesh.value().points, fits_float)) return;
  const auto again = tendril::read_obj_mesh(tendril::encode_obj_mesh(mesh.value()), "fuzz");
  require(bool(again) && again.value().triangles == mesh.value().triangles);
  require_same(again.value().points, mesh.value().points);
}

void check_curves(std::string_view text) {
  const auto groom = tendril::read_obj_curves(text, "fuzz");
  if (!groom) return;
  const auto again = tendril::read_obj_curves(tendril::encode_obj_curves(groom.value()), "fuzz");
  require(bool(again) && again.value().curves.offsets == groom.value().curves.offsets);
  require_same(again.value().curves.points, groom.value().curves.points);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check_mesh(text);
  check_curves(text);
  return 0;
}
