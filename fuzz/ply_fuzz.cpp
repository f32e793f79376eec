// libFuzzer entry: any bytes through both PLY readers. Indices must exist, and what is read must, once it is written,
// be read again and written to the same bytes. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3 fuzz/ply_fuzz.cpp
//     src/tendril/io/ply_file.cpp src/tendril/io/ply_rows.cpp src/tendril/io/segment_chains.cpp -lfmt -o ply_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <span>

#include "tendril/io/ply_file.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

// Beyond float32 a coordinate is written as infinite, which a mesh does not have.
bool fits_float(const Eigen::Vector3d& point) {
  return point.cwiseAbs().maxCoeff() <= double(std::numeric_limits<float>::max());
}

void check_mesh(std::span<const std::byte> bytes) {
  const auto mesh = tendril::read_ply_mesh(bytes, "fuzz");
  if (!mesh) return;
  for (const auto& triangle : mesh.value().triangles)
    for (const auto corner : triangle) require(corner < mesh.value().points.size());
  if (!std::ranges::all_of(mesh.value().points, fits_float)) return;
  const auto written = tendril::encode_ply_mesh(mesh.value());
  const auto again = tendril::read_ply_mesh(written, "fuzz");
  require(bool(again) && again.value().triangles == mesh.value().triangles);
  require(tendril::encode_ply_mesh(again.value()) == written);
}

void check_curves(std::span<const std::byte> bytes) {
  const auto groom = tendril::read_ply_curves(bytes, "fuzz");
  if (!groom) return;
  require(groom.value().curves.offsets.back() == groom.value().curves.points.size());
  const auto written = tendril::encode_ply_curves(groom.value());
  const auto again = tendril::read_ply_curves(written, "fuzz");
  require(bool(again) && again.value().curves.offsets == groom.value().curves.offsets);
  require(again.value().attributes.size() == groom.value().attributes.size());
  require(tendril::encode_ply_curves(again.value()) == written);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  check_mesh(bytes);
  check_curves(bytes);
  return 0;
}
