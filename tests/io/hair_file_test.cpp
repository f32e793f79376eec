#include "tendril/io/hair_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <limits>
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

// Strands of the given numbers of points, with numbers that float32 holds.
Groom small_groom(const std::vector<std::size_t>& counts) {
  Groom groom;
  for (const std::size_t count : counts) {
    for (std::size_t i = 0; i < count; ++i) {
      const auto v = double(groom.curves.points.size());
      groom.curves.points.emplace_back(v, 0.5 * v, -0.25 * v);
    }
    groom.curves.offsets.push_back(groom.curves.points.size());
  }
  return groom;
}

Groom full_groom(const std::vector<std::size_t>& counts) {
  Groom groom = small_groom(counts);
  GroomAttribute transparency{"transparency", true, 1, {}}, color{"color", true, 3, {}};
  for (std::size_t v = 0; v < groom.curves.points.size(); ++v) {
    groom.radius.push_back(0.125 * double(v));
    transparency.values.push_back(0.5 * double(v));
    for (int c = 0; c < 3; ++c) color.values.push_back(double(v) + 0.25 * c);
  }
  groom.attributes = {transparency, color};
  return groom;
}

Bytes encoded(const Groom& groom) { return encode_hair(groom, "f.hair").value(); }

std::string refusal(const Bytes& bytes) {
  const auto groom = decode_hair(bytes, "f.hair");
  return groom ? "accepted" : groom.error().message();
}

void expect_same(const Groom& a, const Groom& b) {
  EXPECT_EQ(a.curves.offsets, b.curves.offsets);
  EXPECT_EQ(a.curves.points, b.curves.points);
  EXPECT_EQ(a.radius, b.radius);
  ASSERT_EQ(a.attributes.size(), b.attributes.size());
  for (std::size_t i = 0; i < a.attributes.size(); ++i) {
    EXPECT_EQ(a.attributes[i].name, b.attributes[i].name);
    EXPECT_EQ(a.attributes[i].values, b.attributes[i].values);
  }
}

TEST(HairFile, ReturnsWhatWasWritten) {
  for (const auto& counts : std::vector<std::vector<std::size_t>>{{}, {3}, {4, 4, 4}, {1, 2, 3}, {65536, 2}}) {
    for (const Groom& groom : {small_groom(counts), full_groom(counts)}) {
      const auto back = decode_hair(encoded(groom), "f.hair");
      ASSERT_TRUE(back) << back.error().message();
      if (counts.empty()) continue;  // it has no radius to find again
      expect_same(back.value(), groom);
      EXPECT_FALSE(back.value().metres_per_unit);
      EXPECT_FALSE(back.value().up);
    }
  }
}

TEST(HairFile, LiesInBytesAsItsHeaderSays) {
  const Bytes bytes = encoded(full_groom({2, 3}));
  EXPECT_EQ(std::memcmp(bytes.data(), "HAIR", 4), 0);
  EXPECT_EQ(at<std::uint32_t>(bytes, 4), 2u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 8), 5u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 12), 31u);
  EXPECT_EQ(at<std::uint16_t>(bytes, 128), 1u);
  EXPECT_EQ(at<std::uint16_t>(bytes, 130), 2u);
  EXPECT_EQ(at<float>(bytes, 132 + 12), 1.0f);                // x of the second point
  EXPECT_EQ(at<float>(bytes, 132 + 60 + 4), 0.25f);           // its diameter
  EXPECT_EQ(at<float>(bytes, 132 + 60 + 20 + 4), 0.5f);       // its transparency
  EXPECT_EQ(at<float>(bytes, 132 + 60 + 40 + 12 + 8), 1.5f);  // its blue
  EXPECT_EQ(bytes.size(), 132u + 60 + 20 + 20 + 60);
}

TEST(HairFile, CountsSegmentsOnceWhereStrandsAreAlike) {
  const Bytes bytes = encoded(small_groom({4, 4, 4}));
  EXPECT_EQ(at<std::uint32_t>(bytes, 12), 2u);
  EXPECT_EQ(at<std::uint32_t>(bytes, 16), 3u);
  EXPECT_EQ(bytes.size(), 128u + 3 * 4 * 12);
}

TEST(HairFile, TakesNoRadiusFromTheDefaultThickness) {
  const auto groom = decode_hair(with(encoded(small_groom({2})), 20, 7e-5f), "f.hair");
  ASSERT_TRUE(groom);
  EXPECT_TRUE(groom.value().radius.empty());
}

TEST(HairFile, LeavesOutAttributesThatItHasNoPlaceFor) {
  Groom groom = small_groom({2, 2});
  groom.attributes = {{"color", false, 3, {1, 2, 3, 4, 5, 6}},
                      {"transparency", true, 2, std::vector<double>(8)},
                      {"id", true, 1, std::vector<double>(4)}};
  EXPECT_EQ(encoded(groom), encoded(small_groom({2, 2})));
}

TEST(HairFile, SaysWhatCannotBeWritten) {
  const auto no_points = encode_hair(small_groom({2, 0}), "f.hair"), many = encode_hair(small_groom({65537}), "f.hair");
  EXPECT_EQ(no_points.error().message(), "f.hair: strand 1 has 0 points; a .hair file takes 1 to 65536 of them");
  EXPECT_EQ(many.error().message(), "f.hair: strand 0 has 65537 points; a .hair file takes 1 to 65536 of them");
}

TEST(HairFile, SaysWhatIsWrong) {
  const Bytes small = encoded(full_groom({2, 3})), uniform = encoded(small_groom({2, 2}));
  EXPECT_EQ(refusal({}), "f.hair: is not a .hair file: it does not begin with HAIR");
  EXPECT_EQ(refusal(with(small, 0, 'h')), "f.hair: is not a .hair file: it does not begin with HAIR");
  EXPECT_EQ(refusal(Bytes(20)), "f.hair: is not a .hair file: it does not begin with HAIR");
  EXPECT_EQ(refusal(Bytes(small.begin(), small.begin() + 127)), "f.hair: has 127 bytes; the header alone has 128");
  EXPECT_EQ(refusal(Bytes(small.begin(), small.begin() + 4)), "f.hair: has 4 bytes; the header alone has 128");
  EXPECT_EQ(refusal(with(small, 12, 29u)), "f.hair: has no points (flag 2); there is nothing to read");
  EXPECT_EQ(refusal(with(small, 4, 1000u)), "f.hair: byte 128: segment counts of 1000 strands do not fit in the file");
  EXPECT_EQ(refusal(with(uniform, 4, 1000u)), "f.hair: byte 128: 1000 strands do not fit in the file");
  EXPECT_EQ(refusal(with(small, 8, 6u)), "f.hair: byte 8: says 6 points, but the segments of 2 strands make 5");
  EXPECT_EQ(refusal(with(uniform, 16, 4294967295u)),
            "f.hair: byte 8: says 4 points, but the segments of 2 strands make 8589934592");
  const auto cut = [](Bytes bytes, std::size_t size) { return bytes.resize(size), bytes; };
  EXPECT_EQ(refusal(cut(small, 132 + 59)), "f.hair: byte 132: 5 points do not fit in the file");
  EXPECT_EQ(refusal(cut(small, 132 + 79)), "f.hair: byte 192: thickness of 5 points does not fit in the file");
  EXPECT_EQ(refusal(cut(small, 132 + 99)), "f.hair: byte 212: transparency of 5 points does not fit in the file");
  EXPECT_EQ(refusal(cut(small, 132 + 159)), "f.hair: byte 232: color of 5 points does not fit in the file");
}

TEST(HairFile, IsRefusedWhereverItIsCut) {
  for (const Bytes& bytes : {encoded(full_groom({2, 3, 1})), encoded(small_groom({3, 3}))})
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(decode_hair(std::span(bytes).first(size), "f.hair")) << size;
}

TEST(HairFile, RefusesHostileCounts) {
  const Bytes bytes = encoded(full_groom({2, 3}));
  for (const std::size_t place : {4, 8})
    for (const std::uint32_t count : {0u, 1u, 0x7fffffffu, 0x80000000u, 0xfffffffeu, 0xffffffffu})
      for (const std::uint32_t flags : {2u, 3u, 31u})
        EXPECT_FALSE(decode_hair(with(with(bytes, place, count), 12, flags), "f.hair")) << place << ", " << count;
}

TEST(HairFile, SurvivesTwentyThousandMutations) {
  const Bytes good[] = {encoded(full_groom({2, 3})), encoded(small_groom({3, 3}))};
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(78, round);
    Bytes bytes = good[random.below(2)];
    for (auto changes = 1 + random.below(3); changes > 0; --changes)
      bytes[random.below(bytes.size())] =
          static_cast<std::byte>(random.below(2) == 0 ? random.bits() : random.below(4));
    auto groom = decode_hair(bytes, "f.hair");
    if (!groom) continue;
    ++accepted;
    ASSERT_EQ(groom.value().curves.offsets.back(), groom.value().curves.points.size());
    repair(groom.value(), 0.0);
    ASSERT_FALSE(repair(groom.value(), 0.0).any());
  }
  EXPECT_GT(accepted, 1000);  // else the mutations are too rough to test anything
}

TEST(HairFile, ReadsARealGroom) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const auto groom = read_groom(std::filesystem::path(data) / "grooms/sintel/sintel.hair");
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_EQ(groom.value().curves.strands(), 11400u);
  EXPECT_EQ(groom.value().curves.points.size(), 182400u);
  for (std::size_t s = 0; s < 11400; ++s) ASSERT_EQ(groom.value().curves.vertices(s), 16u);
  EXPECT_TRUE(groom.value().radius.empty());
  const auto back = decode_hair(encoded(groom.value()), "f.hair");
  ASSERT_TRUE(back);
  EXPECT_EQ(back.value().curves.points, groom.value().curves.points);
  Groom mended = groom.value();
  EXPECT_FALSE(repair(mended, 1e-7).any());
}

}  // namespace
}  // namespace tendril
