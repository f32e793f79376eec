#include "tendril/io/plain_hdf5.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "tendril/io/hdf5_file.hpp"

namespace tendril {
namespace {

using Bytes = std::vector<std::byte>;

// So many data sets in one group that its tree has several nodes.
Bytes many_sets() {
  Hdf5Writer file;
  for (std::int32_t i = 0; i < 300; ++i) file.integers(fmt::format("/group/set {}", i), std::span(&i, 1));
  file.numbers("/group/deeper/numbers", std::vector<double>{0.0, -1.0 / 3.0, std::numeric_limits<double>::infinity()});
  file.integers("/long", std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::min()});
  file.numbers("/none", {});
  file.fixed_text("/words", "two words"), file.fixed_text("/silent", "");
  return file.finish().value();
}

std::string refusal(const Result<std::vector<double>>& result) { return result ? "read" : result.error().message(); }

TEST(PlainHdf5, ReadsWhatTheLibraryWrites) {
  const Bytes bytes = many_sets();
  const Result<PlainHdf5> opened = PlainHdf5::open(bytes, "f.h5");
  ASSERT_TRUE(opened) << opened.error().message();
  const PlainHdf5& file = opened.value();
  for (std::int64_t i = 0; i < 300; ++i)
    EXPECT_EQ(file.integers(fmt::format("group/set {}", i)).value(), std::vector<std::int64_t>{i});
  EXPECT_EQ(file.numbers("/group/deeper/numbers").value()[1], -1.0 / 3.0);
  EXPECT_EQ(file.integers("long").value()[0], std::numeric_limits<std::int64_t>::min());
  EXPECT_TRUE(file.numbers("none").value().empty());
  EXPECT_EQ(file.text("words").value(), "two words");
  EXPECT_EQ(file.text("silent").value(), "");
  EXPECT_TRUE(file.has("group/deeper"));
  EXPECT_FALSE(file.has("group/set 300"));
  EXPECT_FALSE(file.has("words/set 3"));
}

TEST(PlainHdf5, SaysWhatIsMissingOrAnother) {
  const Bytes bytes = many_sets();
  const PlainHdf5 file = PlainHdf5::open(bytes, "f.h5").value();
  EXPECT_EQ(refusal(file.numbers("group/x")), "f.h5: group/x is missing");
  EXPECT_EQ(refusal(file.numbers("group")), "f.h5: group is not a data set");
  EXPECT_EQ(refusal(file.numbers("long")), "f.h5: long must hold numbers of double precision");
  EXPECT_EQ(file.integers("words").error().message(), "f.h5: words must hold whole numbers");
  EXPECT_EQ(file.text("long").error().message(), "f.h5: long must be a text");
}

TEST(PlainHdf5, RefusesOtherFilesAndLayouts) {
  EXPECT_EQ(PlainHdf5::open({}, "f.h5").error().message(), "f.h5: is not an HDF5 file");
  Bytes bytes = many_sets();
  bytes[8] = std::byte{2};
  EXPECT_EQ(PlainHdf5::open(bytes, "f.h5").error().message(),
            "f.h5: is an HDF5 file of a layout that is not read; h5repack makes one that is");
}

// Whatever byte is another: an answer or a refusal, within the bytes (AddressSanitizer sees the rest).
TEST(PlainHdf5, SurvivesEveryChangedByte) {
  Hdf5Writer file;
  file.numbers("/a/b", std::vector<double>{1.0, 2.0}), file.fixed_text("/a/c", "text");
  const Bytes good = file.finish().value();
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const std::uint8_t value : {0x00, 0x01, 0x7f, 0x80, 0xff}) {
      Bytes bytes = good;
      bytes[i] = std::byte{value};
      const Result<PlainHdf5> opened = PlainHdf5::open(bytes, "f.h5");
      if (!opened) continue;
      for (const char* path : {"a/b", "a/c", "a"})
        if (const auto numbers = opened.value().numbers(path)) {
          EXPECT_LE(numbers.value().size(), bytes.size());
        }
      if (const auto text = opened.value().text("a/c")) {
        EXPECT_LE(text.value().size(), bytes.size());
      }
    }
}

// A node of a tree that is its own child.
TEST(PlainHdf5, EndsInATreeThatTurnsInCircles) {
  Bytes bytes = many_sets();
  const std::string_view view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t at = view.find("TREE"); at != std::string_view::npos; at = view.find("TREE", at + 4)) {
    const std::uint64_t address = at;
    const std::uint8_t level = 1;
    std::memcpy(bytes.data() + at + 5, &level, 1);
    for (std::size_t child = 0; child < 2; ++child) std::memcpy(bytes.data() + at + 32 + 16 * child, &address, 8);
  }
  EXPECT_FALSE(PlainHdf5::open(bytes, "f.h5").value().has("group/set 0"));
}

}  // namespace
}  // namespace tendril
