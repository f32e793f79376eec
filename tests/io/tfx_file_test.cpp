#include "tendril/io/tfx_file.hpp"

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
using Points = std::vector<Eigen::Vector3d>;
using Numbers = std::vector<double>;

template <class T>
Bytes with(Bytes bytes, std::size_t at, T value) {
  if (at + sizeof value <= bytes.size()) std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

Bytes filled(Bytes bytes, std::size_t at, std::size_t count, float first) {
  for (std::size_t i = 0; i < count; ++i) bytes = with(bytes, at + 4 * i, first + float(i));
  return bytes;
}

// Two strands of two vertices: positions 0 1 2 (3) 4 ..., texture coordinates 100 ..., thickness 200 ..., colour 300
// ...
Bytes version_4() {
  Bytes bytes(160 + 64 + 16 + 8 + 64);
  bytes = with(with(with(bytes, 0, 4.0f), 4, 2u), 8, 2u);
  bytes = with(with(with(with(bytes, 12, 160u), 16, 224u), 24, 240u), 28, 248u);
  return filled(filled(filled(filled(bytes, 160, 16, 0), 224, 4, 100), 240, 2, 200), 248, 16, 300);
}

Bytes version_3() {
  const Bytes bytes = with(with(with(with(Bytes(296 + 48), 0, 3.0f), 4, 2u), 8, 2u), 144, 296u);
  return filled(bytes, 296, 12, 0);
}

std::string refusal(const Bytes& bytes) {
  const auto groom = decode_tfx(bytes, "f.tfx");
  return groom ? "accepted" : groom.error().message();
}

TEST(TfxFile, ReadsVersion4) {
  const auto groom = decode_tfx(version_4(), "f.tfx");
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_EQ(groom.value().curves.points, (Points{{0, 1, 2}, {4, 5, 6}, {8, 9, 10}, {12, 13, 14}}));
  EXPECT_EQ(groom.value().curves.offsets, (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_TRUE(groom.value().radius.empty());
  ASSERT_EQ(groom.value().attributes.size(), 4u);
  const GroomAttribute *uv = groom.value().attribute("uv"), *thickness = groom.value().attribute("thickness");
  const GroomAttribute *color = groom.value().attribute("color"), *alpha = groom.value().attribute("alpha");
  EXPECT_EQ(uv->values, (Numbers{100, 101, 102, 103}));
  EXPECT_TRUE(!uv->per_vertex && uv->components == 2);
  EXPECT_EQ(thickness->values, (Numbers{200, 201}));
  EXPECT_TRUE(!thickness->per_vertex && thickness->components == 1);
  EXPECT_EQ(color->values, (Numbers{300, 301, 302, 304, 305, 306, 308, 309, 310, 312, 313, 314}));
  EXPECT_TRUE(color->per_vertex && color->components == 3);
  EXPECT_EQ(alpha->values, (Numbers{303, 307, 311, 315}));
  EXPECT_TRUE(alpha->per_vertex && alpha->components == 1);
}

TEST(TfxFile, LeavesOutArraysThatAreNotThere) {
  const auto groom = decode_tfx(with(with(with(version_4(), 16, 0u), 24, 0u), 28, 0u), "f.tfx");
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_TRUE(groom.value().attributes.empty());
}

TEST(TfxFile, ReadsVersion3) {
  const auto groom = decode_tfx(version_3(), "f.tfx");
  ASSERT_TRUE(groom) << groom.error().message();
  EXPECT_EQ(groom.value().curves.points, (Points{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {9, 10, 11}}));
  EXPECT_EQ(groom.value().curves.offsets, (std::vector<std::size_t>{0, 2, 4}));
}

TEST(TfxFile, SaysWhatIsWrong) {
  EXPECT_EQ(refusal({}), "f.tfx: byte 0: is not a .tfx file of version 3.0 or 4.0");
  EXPECT_EQ(refusal(with(version_4(), 0, 4.1f)), "f.tfx: byte 0: is not a .tfx file of version 3.0 or 4.0");
  EXPECT_EQ(refusal(with(Bytes(159), 0, 4.0f)), "f.tfx: byte 32: ends within its header, which has 160 bytes");
  EXPECT_EQ(refusal(with(Bytes(295), 0, 3.0f)), "f.tfx: byte 148: ends within its header, which has 296 bytes");
  EXPECT_EQ(refusal(with(version_4(), 8, 0u)), "f.tfx: byte 8: says that strands have no vertices");
  EXPECT_EQ(refusal(with(version_4(), 4, 1000u)), "f.tfx: byte 4: 1000 strands of 2 vertices do not fit in the file");
  EXPECT_EQ(refusal(with(version_4(), 12, 0u)), "f.tfx: byte 0: positions begin inside the header");
  EXPECT_EQ(refusal(with(version_4(), 12, 159u)), "f.tfx: byte 159: positions begin inside the header");
  EXPECT_EQ(refusal(with(version_4(), 12, 249u)), "f.tfx: byte 249: positions of 4 elements do not fit in the file");
  EXPECT_EQ(refusal(with(version_4(), 16, 297u)),
            "f.tfx: byte 297: texture coordinates of 2 elements do not fit in the file");
  EXPECT_EQ(refusal(with(version_4(), 24, 305u)),
            "f.tfx: byte 305: thickness values of 2 elements do not fit in the file");
  EXPECT_EQ(refusal(with(version_4(), 28, 4294967295u)),
            "f.tfx: byte 4294967295: colours of 4 elements do not fit in the file");
}

TEST(TfxFile, IsRefusedWhereverItIsCut) {
  for (const Bytes& bytes : {version_4(), version_3()})
    for (std::size_t size = 0; size < bytes.size(); ++size)
      EXPECT_FALSE(decode_tfx(std::span(bytes).first(size), "f.tfx")) << size;
}

TEST(TfxFile, RefusesHostileCounts) {
  for (const Bytes& bytes : {version_4(), version_3()})
    for (const std::size_t place : {4, 8})
      for (const std::uint32_t count : {0x7fffffffu, 0x80000000u, 0xffffffffu, 1000000u})
        EXPECT_FALSE(decode_tfx(with(bytes, place, count), "f.tfx")) << place << ", " << count;
  EXPECT_FALSE(decode_tfx(with(with(version_4(), 4, 0x80000000u), 8, 0x80000000u), "f.tfx"));
  EXPECT_FALSE(decode_tfx(with(with(version_4(), 4, 0xffffffffu), 8, 0u), "f.tfx"));
}

TEST(TfxFile, SurvivesTwentyThousandMutations) {
  const Bytes good[] = {version_4(), version_3()};
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(80, round);
    Bytes bytes = good[random.below(2)];
    for (auto changes = 1 + random.below(3); changes > 0; --changes)
      bytes[random.below(bytes.size())] =
          static_cast<std::byte>(random.below(2) == 0 ? random.bits() : random.below(4));
    auto groom = decode_tfx(bytes, "f.tfx");
    if (!groom) continue;
    ++accepted;
    ASSERT_EQ(groom.value().curves.offsets.back(), groom.value().curves.points.size());
    repair(groom.value(), 0.0);
    ASSERT_FALSE(repair(groom.value(), 0.0).any());
  }
  EXPECT_GT(accepted, 1000);  // else the mutations are too rough to test anything
}

TEST(TfxFile, EqualsItsConversionToHair) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const std::filesystem::path folder = std::filesystem::path(data) / "grooms/sintel";
  const auto original = read_groom(folder / "sintel_hair_16.tfx"), converted = read_groom(folder / "sintel.hair");
  ASSERT_TRUE(original) << original.error().message();
  ASSERT_TRUE(converted) << converted.error().message();
  EXPECT_EQ(original.value().curves.offsets, converted.value().curves.offsets);
  EXPECT_EQ(original.value().curves.points, converted.value().curves.points);
}

TEST(TfxFile, EqualsItsConversionToData) {
  const char* data = std::getenv("TENDRIL_DATA");
  if (!data) GTEST_SKIP() << "TENDRIL_DATA is not set";
  const std::filesystem::path folder = std::filesystem::path(data) / "grooms/ponytail";
  const auto converted = read_groom(folder / "ponytail.data");
  ASSERT_TRUE(converted) << converted.error().message();
  Points points;
  std::vector<std::size_t> strands;
  for (const char* part : {"back.tfx", "front_top.tfx", "side.tfx", "tail.tfx"}) {
    const auto original = read_groom(folder / part);
    ASSERT_TRUE(original) << original.error().message();
    strands.push_back(original.value().curves.strands());
    points.insert(points.end(), original.value().curves.points.begin(), original.value().curves.points.end());
  }
  EXPECT_EQ(strands, (std::vector<std::size_t>{517, 876, 3066, 474}));
  EXPECT_EQ(points, converted.value().curves.points);
}

}  // namespace
}  // namespace tendril
