// libFuzzer entry: any text through the reader of key poses. What it accepts must be a motion: times that ascend, unit
// quaternions, at every key exactly its pose, and a pose at every time in between. To build it, in one line:
//   clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -Isrc -isystem /usr/include/eigen3
//     fuzz/motion_keys_fuzz.cpp src/tendril/scene/{motion_keys,csv,motion}.cpp src/tendril/geometry/pose.cpp
//     src/tendril/io/atomic_file.cpp -lfmt -o motion_keys_fuzz
// Run it with -malloc_limit_mb=64: a small file may not ask for more.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tendril/scene/motion.hpp"
#include "tendril/scene/motion_keys.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

bool is_unit(const Eigen::Quaterniond& rotation) { return std::abs(rotation.norm() - 1.0) <= 1e-12; }

// Far beyond any scene the squares and differences that a pose is made of are not finite.
bool is_moderate(const tendril::Pose& pose, double time) {
  return pose.translation.cwiseAbs().maxCoeff() < 1e100 && std::abs(time) < 1e100;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = tendril::parse_motion_keys({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
  if (!read) {
    require(!read.error().where.empty() && !read.error().what.empty());
    return 0;
  }
  const tendril::KeyedMotion& motion = read.value();
  require(!motion.times.empty() && motion.times.size() == motion.poses.size());
  for (std::size_t k = 0; k < motion.times.size(); ++k) {
    const tendril::Pose &key = motion.poses[k], at_key = tendril::pose_at(motion, motion.times[k]);
    require(std::isfinite(motion.times[k]) && key.translation.allFinite() && is_unit(key.rotation));
    require(at_key.translation == key.translation && at_key.rotation.coeffs() == key.rotation.coeffs());
    if (k == 0) continue;
    const double before = motion.times[k - 1], after = motion.times[k];
    require(before < after);
    if (!is_moderate(key, after) || !is_moderate(motion.poses[k - 1], before)) continue;
    const tendril::Pose between = tendril::pose_at(motion, before + 0.3 * (after - before));
    require(between.translation.allFinite() && is_unit(between.rotation));
  }
  return 0;
}
