#include "tendril/io/pc2_file.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes with(Bytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

void append(const Bytes& more, Bytes& bytes) { bytes.insert(bytes.end(), more.begin(), more.end()); }

// Two points in three samples.
Bytes small_file() {
  Bytes bytes = encode_pc2_header(2, 1.0f, 0.5f, 3, "f.pc2").value();
  for (int s = 0; s < 3; ++s) {
    const std::vector<Eigen::Vector3d> points = {{0.1 * s, 1, 2}, {3, 4, 5}};
    append(encode_pc2_sample(points), bytes);
  }
  return bytes;
}

std::string refusal(const Bytes& bytes) {
  const auto cache = read_pc2(bytes, "f.pc2");
  return cache ? "accepted" : cache.error().message();
}

TEST(Pc2File, ReturnsSamplesThatWereWrittenOneByOne) {
  const Bytes bytes = small_file();
  ASSERT_EQ(bytes.size(), 32u + 3 * 2 * 12);
  EXPECT_EQ(std::memcmp(bytes.data(), "POINTCACHE2\0\1\0\0\0\2\0\0\0\0\0\x80\x3f\0\0\0\x3f\3\0\0\0", 32), 0);
  const auto cache = read_pc2(bytes, "f.pc2");
  ASSERT_TRUE(cache) << cache.error().message();
  EXPECT_EQ(cache.value().start, 1.0f);
  EXPECT_EQ(cache.value().rate, 0.5f);
  EXPECT_EQ(cache.value().points, 2);
  EXPECT_EQ(cache.value().sample_count(), 3u);
  EXPECT_EQ(cache.value().samples[6], 0.1f);
  EXPECT_EQ(cache.value().samples[17], 5.0f);
}

TEST(Pc2File, MayHaveNoSamplesYet) {
  const auto cache = read_pc2(encode_pc2_header(7, 0.0f, 1.0f, 0, "f.pc2").value(), "f.pc2");
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache.value().sample_count(), 0u);
}

TEST(Pc2File, SaysWhatIsWrongAndWhere) {
  const Bytes good = small_file();
  EXPECT_EQ(refusal({}), "f.pc2: byte 0: 0 bytes are too few for a point cache; its header has 32");
  EXPECT_EQ(refusal(with(good, 0, 'p')),
            "f.pc2: byte 0: this is not a point cache: it does not begin with POINTCACHE2");
  EXPECT_EQ(refusal(with(good, 12, 2)), "f.pc2: byte 12: version 2 is unknown; this program reads version 1");
  EXPECT_EQ(refusal(with(good, 16, 0)), "f.pc2: byte 16: 0 points; there is at least 1");
  EXPECT_EQ(refusal(with(good, 20, std::numeric_limits<float>::quiet_NaN())),
            "f.pc2: byte 20: the first frame is not a finite number");
  EXPECT_EQ(refusal(with(good, 24, std::numeric_limits<float>::infinity())),
            "f.pc2: byte 24: the frames per sample are not a finite number");
  EXPECT_EQ(refusal(with(good, 28, -1)), "f.pc2: byte 28: -1 samples; there are 0 or more");
  EXPECT_EQ(refusal(with(good, 28, 4)),
            "f.pc2: byte 32: 4 samples of 2 points with 12 bytes each do not make the 72 bytes that follow");
  EXPECT_EQ(refusal(with(with(good, 16, 2147483647), 28, 2147483647)),
            "f.pc2: byte 32: 2147483647 samples of 2147483647 points with 12 bytes each do not make the 72 bytes that "
            "follow");
  Bytes longer = good;
  longer.push_back({});
  EXPECT_EQ(refusal(longer),
            "f.pc2: byte 32: 3 samples of 2 points with 12 bytes each do not make the 73 bytes that follow");
}

TEST(Pc2File, HasNoHeaderThatItCouldNotRead) {
  const auto refused = [](std::size_t points, float start, std::size_t samples) {
    const auto header = encode_pc2_header(points, start, 1.0f, samples, "f.pc2");
    return header ? "accepted" : header.error().message();
  };
  EXPECT_EQ(refused(2147483647, 0.0f, 2147483647), "accepted");
  EXPECT_EQ(refused(0, 0.0f, 1), "f.pc2: 0 points; a point cache has 1 to 2147483647");
  EXPECT_EQ(refused(2147483648, 0.0f, 1), "f.pc2: 2147483648 points; a point cache has 1 to 2147483647");
  EXPECT_EQ(refused(1, 0.0f, 2147483648), "f.pc2: 2147483648 samples; a point cache has at most 2147483647");
  EXPECT_EQ(refused(1, std::numeric_limits<float>::infinity(), 1),
            "f.pc2: the first frame or the frames per sample are not a finite number");
}

TEST(Pc2File, RefusesEveryTruncation) {
  const Bytes good = small_file();
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(read_pc2(std::span(good).first(size), "f.pc2")) << size;
}

}  // namespace
}  // namespace tendril
