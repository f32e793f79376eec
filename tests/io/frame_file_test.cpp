#include "tendril/io/frame_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "tendril/base/hash.hpp"
#include "tendril/base/random.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;

// Three strands of 2, 3 and 4 vertices: odd counts, so that there is padding.
Frame small_frame() {
  Frame frame{17, 0.25, frame_flag_usable, {0, 2, 5, 9}, {}};
  const auto ramp = [](auto values) {
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<typename decltype(values)::value_type>(i) * 3;
    return values;
  };
  frame.channels.push_back({"position", PerElement::vertex, 3, ramp(std::vector<float>(27))});
  frame.channels.push_back({"velocity", PerElement::vertex, 3, ramp(std::vector<float>(27))});
  frame.channels.push_back({"tension", PerElement::edge, 1, ramp(std::vector<double>(6))});
  frame.channels.push_back({"group", PerElement::strand, 1, ramp(std::vector<std::uint32_t>(3))});
  return frame;
}

Bytes small_file() { return encode_frame(small_frame(), "small").value(); }

template <class T>
Bytes with(Bytes bytes, std::size_t at, T value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
  return bytes;
}

Bytes with_right_checksum(Bytes bytes) {
  const std::uint64_t checksum = Hash().bytes(std::span(bytes).first(bytes.size() - 8)).value();
  return with(bytes, bytes.size() - 8, checksum);
}

std::string refusal(const Bytes& bytes) {
  const auto frame = decode_frame(bytes, "f");
  return frame ? "accepted" : frame.error().message();
}

std::string refusal(const Frame& frame) {
  const auto bytes = encode_frame(frame, "f");
  return bytes ? "accepted" : bytes.error().message();
}

TEST(FrameFile, ReturnsEveryBitThatWasWritten) {
  Frame frame = small_frame();
  auto& position = std::get<std::vector<float>>(frame.channels[0].values);
  position[3] = std::numeric_limits<float>::quiet_NaN();
  position[4] = -0.0f;
  const Bytes bytes = encode_frame(frame, "f").value();
  const Frame back = decode_frame(bytes, "f").value();
  EXPECT_EQ(back.number, 17);
  EXPECT_EQ(back.time, 0.25);
  EXPECT_EQ(back.flags, frame_flag_usable);
  EXPECT_EQ(back.offsets, frame.offsets);
  ASSERT_EQ(back.channels.size(), 4u);
  EXPECT_EQ(back.channel("tension")->per, PerElement::edge);
  EXPECT_EQ(std::get<std::vector<double>>(back.channel("tension")->values)[2], 6.0);
  EXPECT_EQ(std::get<std::vector<std::uint32_t>>(back.channel("group")->values)[2], 6u);
  EXPECT_EQ(back.channel("mass"), nullptr);
  EXPECT_EQ(encode_frame(back, "f").value(), bytes);
}

TEST(FrameFile, LiesInBytesAsItsHeaderSays) {
  const Bytes bytes = small_file();
  const auto u32 = [&](std::size_t at) {
    std::uint32_t value;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
  };
  EXPECT_EQ(std::memcmp(bytes.data(), "TENDRIL\0\1\0\0\0\4\3\2\1", 16), 0);
  EXPECT_EQ(u32(16), 17u);
  EXPECT_EQ(u32(20), 1u);
  EXPECT_EQ(u32(32), 3u);
  EXPECT_EQ(u32(36), 9u);
  EXPECT_EQ(u32(40), 5u);
  EXPECT_EQ(std::memcmp(bytes.data() + 48, "offset\0\0", 8), 0);
  EXPECT_EQ(u32(48 + 40), 48u + 5 * 48);        // the first channel follows the table
  EXPECT_EQ(u32(96 + 40), 48u + 5 * 48 + 16);   // 4 offsets fill 16 bytes
  EXPECT_EQ(u32(144 + 40), 304u + 27 * 4 + 4);  // 108 bytes are padded to 112
  EXPECT_EQ(bytes.size() % 8, 0u);
  EXPECT_EQ(bytes.size(), 304u + 112 + 112 + 48 + 16 + 8);
}

TEST(FrameFile, HoldsAFrameWithoutStrands) {
  const Frame frame;
  const auto back = decode_frame(encode_frame(frame, "f").value(), "f");
  ASSERT_TRUE(back);
  EXPECT_EQ(back.value().offsets, std::vector<std::uint32_t>{0});
}

TEST(FrameFile, IsWrittenAndReadOnDisk) {
  const auto path = std::filesystem::path(testing::TempDir()) / "tendril_frame_test.bin";
  ASSERT_TRUE(write_frame(path, small_frame()));
  EXPECT_EQ(read_frame(path).value().offsets, small_frame().offsets);
  std::filesystem::remove(path);
  EXPECT_EQ(read_frame(path).error().message(), path.string() + ": cannot be opened: No such file or directory");
}

TEST(FrameFile, RefusesWhatIsNoFrameAndSaysWhere) {
  const Bytes good = small_file();
  EXPECT_EQ(refusal(Bytes{}), "f: byte 0: 0 bytes are too few for a frame file");
  EXPECT_EQ(refusal(with(good, 0, 'X')), "f: byte 0: this is not a Tendril frame file: it does not begin with TENDRIL");
  EXPECT_EQ(refusal(with(good, 8, 2u)), "f: byte 8: version 2 is unknown; this program reads version 1");
  EXPECT_EQ(refusal(with(good, 12, 0x04030201u)), "f: byte 12: the byte-order mark is wrong");
  EXPECT_EQ(refusal(with(good, 24, std::numeric_limits<double>::infinity())), "f: byte 24: the time is not finite");
  EXPECT_EQ(refusal(with(good, 32, 5u)), "f: byte 32: 5 strands do not fit in 9 vertices");
  EXPECT_EQ(refusal(with(good, 36, 0x80000000u)), "f: byte 36: 2147483648 vertices are too many");
  EXPECT_EQ(refusal(with(good, 36, 0x7fffffffu)),
            "f: byte 96: 6442450941 numbers of channel 'position' do not fit in 600 bytes");
  EXPECT_EQ(refusal(with(good, 40, 65u)), "f: byte 40: 65 channels; there are 1 to 64");
  EXPECT_EQ(refusal(with(good, 40, 30u)), "f: byte 40: 30 channels do not fit in 600 bytes");
  EXPECT_EQ(refusal(with(good, 96 + 24, 4u)), "f: byte 96: channel 1 has the unknown type 4");
  EXPECT_EQ(refusal(with(good, 96 + 28, 17u)), "f: byte 96: channel 1 has 17 numbers per element; 1 to 16 are allowed");
  EXPECT_EQ(refusal(with(good, 96 + 32, 0u)), "f: byte 96: channel 1 has elements of the unknown kind 0");
  EXPECT_EQ(refusal(with(good, 96 + 40, std::uint64_t{8})),
            "f: byte 136: channel 'position' is said to begin at byte 8 instead of 304");
  EXPECT_EQ(refusal(with(good, 400, 1.5f)), "f: byte 592: the checksum does not match: the file is damaged");
  Bytes longer = good;
  longer.resize(good.size() + 8);
  EXPECT_EQ(refusal(longer), "f: byte 592: 16 bytes follow the last channel instead of 8");
}

TEST(FrameFile, RefusesAWrongContentWithARightChecksum) {
  const Bytes good = small_file();
  EXPECT_EQ(refusal(with_right_checksum(with(good, 288 + 4, 1u))), "f: byte 288: strand 0 has fewer than 2 vertices");
  EXPECT_EQ(refusal(with_right_checksum(with(good, 288 + 12, 8u))),
            "f: byte 288: the strands end at vertex 8, but there are 9");
  EXPECT_EQ(refusal(with_right_checksum(with(good, 304 + 108, 1u))), "f: byte 412: padding bytes are not 0");
}

TEST(FrameFile, RefusesEveryTruncation) {
  const Bytes good = small_file();
  for (std::size_t size = 0; size < good.size(); ++size) {
    const Bytes part(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    EXPECT_FALSE(decode_frame(part, "f")) << size;
    EXPECT_TRUE(size < 8 || !decode_frame(with_right_checksum(part), "f")) << size;
  }
}

TEST(FrameFile, RefusesToWriteAFrameThatItCouldNotRead) {
  Frame frame = small_frame();
  frame.channels[0].components = 2;
  EXPECT_EQ(refusal(frame), "f: channel 'position' holds 27 numbers instead of 18");
  frame = small_frame();
  frame.channels[1].name = "position";
  EXPECT_EQ(refusal(frame), "f: channel 'position' has the name 'position' of an earlier one");
  frame = small_frame();
  frame.channels[1].name = "a name that is far too long";
  EXPECT_EQ(refusal(frame), "f: channel 'a name that is far too long' has no name of 1 to 23 characters a-z 0-9 _ -");
  frame = small_frame();
  frame.offsets = {0, 2, 3, 9};
  EXPECT_EQ(refusal(frame), "f: strand 1 has fewer than 2 vertices");
  frame = small_frame();
  frame.time = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(frame), "f: the time is not finite");
}

// Bytes changed, cut out, doubled and swapped; half of the time with a right checksum, so that the rules behind it are
// reached. Nothing may crash, and what is accepted must be written back to the same bytes.
TEST(FrameFile, SurvivesTwentyThousandMutations) {
  const Bytes good = small_file();
  int accepted = 0;
  for (std::uint64_t round = 0; round < 20000; ++round) {
    Random random(2024, round);
    Bytes bytes = good;
    const auto place = [&] { return static_cast<std::size_t>(random.below(bytes.size())); };
    for (auto changes = 1 + random.below(4); changes > 0; --changes) switch (random.below(6)) {
        case 0: bytes[place()] = static_cast<std::byte>(random.bits()); break;
        case 1: bytes[place()] ^= static_cast<std::byte>(1u << random.below(8)); break;
        case 2: bytes.resize(std::max<std::size_t>(place(), 1)); break;
        case 3:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(place()), 1 + random.below(16), std::byte{0});
          break;
        case 4: std::swap(bytes[place()], bytes[place()]); break;
        case 5: {  // a count or an offset of a bad kind, where such numbers stand
          const std::uint32_t bad[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xffffffff, 1000000};
          const std::size_t at = 4 * static_cast<std::size_t>(random.below(80));
          if (at + 4 <= bytes.size()) bytes = with(bytes, at, bad[random.below(8)]);
          break;
        }
      }
    if (bytes.size() >= 8 && random.below(2) == 0) bytes = with_right_checksum(bytes);
    const auto frame = decode_frame(bytes, "f");
    if (!frame) {
      EXPECT_FALSE(frame.error().what.empty());
      continue;
    }
    ++accepted;
    ASSERT_EQ(encode_frame(frame.value(), "f").value(), bytes);
  }
  EXPECT_GT(accepted, 100);  // else the mutations are too rough to test anything
}

}  // namespace
}  // namespace tendril
