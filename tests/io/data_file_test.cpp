#include "tendril/io/data_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tendril/base/random.hpp"
#include "tendril/io/groom_file.hpp"

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;

template <class T>
Bytes with(Bytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

template <class T>
T at(const Bytes& bytes, std::size_t place) {
  T value;
  std::memcpy(&value, bytes.data() + place, sizeof value);
  return value;
}

// Strands of 2, 0 and 3 points.
Groom small_groom() {
  Groom groom;
  groom.curves.points = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}, {0.5, -0.25, 1e-3f}};
  groom.curves.offsets = {0, 2, 2, 5};
  return groom;
}

Bytes small_file() { return encode_data(small_groom(), "f.data").value(); }

std::string refusal(const Bytes& bytes) {
  const auto groom = decode_data(bytes, "f.data");
  return groom ? "accepted" : groom.error().message();
}

TEST(DataFile, ReturnsWhatWasWritten) {
  const auto back = decode_data(small_file(), "f.data");
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back.value().curves.points, small_groom().curves.points);
  EXPECT_EQ(back.value().curves.offsets, small_groom().curves.offsets);
  EXPECT_TRUE(back.value().radius.empty() && back.value().attributes.empty());
  EXPECT_FALSE(back.value().metres_per_unit || back.value().up);
  EXPECT_EQ(decode_data(encode_data(Groom(), "f.data").value(), "f.data").value().curves.strands(), 0u);
}

TEST(DataFile, LiesInBytesAsItsHeaderSays) {
  const Bytes bytes = small_file();
  ASSERT_EQ(bytes.size(), 4u + 3 * 4 + 5 * 12);
  EXPECT_EQ(at<std::int32_t>(bytes, 0), 3);
  EXPECT_EQ(at<std::int32_t>(bytes, 4), 2);
  EXPECT_EQ(at<float>(bytes, 8 + 12), 3.0f);
  EXPECT_EQ(at<std::int32_t>(bytes, 32), 0);
  EXPECT_EQ(at<std::int32_t>(bytes, 36), 3);
  EXPECT_EQ(at<float>(bytes, 72), 1e-3f);
}

TEST(DataFile, SaysWhatIsWrong) {
  EXPECT_EQ(refusal({}), "f.data: has fewer than 4 bytes; it must begin with the number of strands");
  EXPECT_EQ(refusal(with(small_file(), 0, -1)), "f.data: byte 0: -1 strands do not fit in 76 bytes");
  EXPECT_EQ(refusal(with(small_file(), 0, 2147483647)), "f.data: byte 0: 2147483647 strands do not fit in 76 bytes");
  EXPECT_EQ(refusal(with(small_file(), 0, 4)), "f.data: byte 76: ends before strand 3 of 4");
  EXPECT_EQ(refusal(with(small_file(), 4, -1)), "f.data: byte 4: -1 points of strand 0 do not fit in the file");
  EXPECT_EQ(refusal(with(small_file(), 36, 4)), "f.data: byte 36: 4 points of strand 2 do not fit in the file");
}

TEST(DataFile, IsRefusedWhereverItIsCut) {
  const Bytes bytes = small_file();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(decode_data(std::span(bytes).first(size), "f.data")) << size;
}

TEST(DataFile, RefusesHostileCounts) {
  for (const std::size_t place : {0, 4, 32, 36})
    for (const std::uint32_t count : {0x7fffffffu, 0x80000000u, 0xffffffffu, 0x15555556u})
      EXPECT_FALSE(decode_data(with(small_file(), place, count), "f.data")) << place << ", " << count;
}

TEST(DataFile, SurvivesTwentyThousandMutations) {
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(79, round);
    Bytes bytes = small_file();
    for (auto changes = 1 + random.below(3); changes > 0; --changes)
      bytes[random.below(bytes.size())] =
          static_cast<std::byte>(random.below(2) == 0 ? random.bits() : random.below(4));
    auto groom = decode_data(bytes, "f.data");
    if (!groom) continue;
    ++accepted;
    ASSERT_EQ(groom.value().curves.offsets.back(), groom.value().curves.points.size());
    ASSERT_TRUE(decode_data(encode_data(groom.value(), "f.data").value(), "f.data"));
    repair(groom.value(), 0.0);
    ASSERT_FALSE(repair(groom.value(), 0.0).any());
  }
  EXPECT_GT(accepted, 1000);  // else the mutations are too rough to test anything
}

TEST(DataFile, ReadsARealGroom) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const auto groom = read_groom(std::filesystem::path(data) / "grooms/ponytail/ponytail.data");
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_EQ(groom.value().curves.strands(), 4933u);
  EXPECT_EQ(groom.value().curves.points.size(), 78928u);
  for (std::size_t s = 0; s < 4933; ++s) ASSERT_EQ(groom.value().curves.vertices(s), 16u);
  EXPECT_EQ(decode_data(encode_data(groom.value(), "f.data").value(), "f.data").value().curves.points,
            groom.value().curves.points);
}

}  // namespace
}  // namespace tendril
