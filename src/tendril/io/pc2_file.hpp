// Point cache 2 (.pc2): the moving points of a mesh or of curves, as Blender's Mesh Cache modifier reads them.
//
// Layout; every number is little-endian. P points, S samples:
//
//   byte        size      what
//   0           12        "POINTCACHE2" and a zero byte
//   12          4         i32  version, 1
//   16          4         i32  P, at least 1
//   20          4         f32  frame of the first sample, finite
//   24          4         f32  frames from one sample to the next, finite
//   28          4         i32  S, 0 or more
//   32          12 P S    f32  x y z of every point, sample after sample
//
// A file is valid if it has exactly these bytes. Coordinates may be anything, so that what was written is read.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

struct PointCache {
  float start = 0.0f;  // [frames]
  float rate = 1.0f;   // [frames]
  std::int32_t points = 1;
  std::vector<float> samples;  // 3 * points for each

  std::size_t sample_count() const { return samples.size() / (3 * static_cast<std::size_t>(points)); }
};

Result<PointCache> read_pc2(std::span<const std::byte> bytes, const std::string& name);  // `name` stands in errors

// A long run is written piece by piece: the header, then sample after sample. The header refuses what a reader would;
// `name` stands in that error.
Result<std::vector<std::byte>> encode_pc2_header(std::size_t points, float start, float rate, std::size_t samples,
                                                 const std::string& name);
std::vector<std::byte> encode_pc2_sample(std::span<const Eigen::Vector3d> points);

}  // namespace tendril
