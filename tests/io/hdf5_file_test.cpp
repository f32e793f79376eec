#include "tendril/io/hdf5_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace tendril {
namespace {

TEST(Hdf5File, ReturnsEveryBit) {
  const std::vector<double> numbers = {0.0, -0.0, 1.0 / 3.0, std::numeric_limits<double>::infinity(), 5e-324};
  const std::vector<std::int64_t> integers = {0, -1, std::numeric_limits<std::int64_t>::min()};
  Hdf5Writer writer;
  writer.numbers("/a/b/numbers", numbers), writer.integers("/a/integers", integers);
  writer.text("/words", "two\nlines"), writer.numbers("/empty", {}), writer.text("/silent", "");
  const std::vector<std::byte> bytes = writer.finish().value();
  const Hdf5Reader reader = std::move(Hdf5Reader::open(bytes, "f.h5").value());
  EXPECT_EQ(reader.numbers("/a/b/numbers").value(), numbers);
  EXPECT_TRUE(std::signbit(reader.numbers("/a/b/numbers").value()[1]));
  EXPECT_EQ(reader.integers("/a/integers").value(), integers);
  EXPECT_EQ(reader.text("/words").value(), "two\nlines");
  EXPECT_TRUE(reader.numbers("/empty").value().empty());
  EXPECT_EQ(reader.text("/silent").value(), "");
}

TEST(Hdf5File, SaysWhatIsMissingOrNoFileAtAll) {
  Hdf5Writer writer;
  writer.numbers("/a", std::vector<double>{1.0});
  const std::vector<std::byte> bytes = writer.finish().value();
  const Hdf5Reader reader = std::move(Hdf5Reader::open(bytes, "f.h5").value());
  EXPECT_EQ(reader.numbers("/b").error().message(), "f.h5: /b is missing");
  const std::vector<std::byte> zeros(4096);
  const Result<Hdf5Reader> none = Hdf5Reader::open(zeros, "g.h5");
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(), "g.h5: is not an HDF5 file");
  EXPECT_FALSE(Hdf5Reader::open({}, "h.h5"));
}

TEST(Hdf5File, SeveralAreOpenAtOnce) {
  Hdf5Writer first, second;
  first.numbers("/a", std::vector<double>{1.0}), second.numbers("/a", std::vector<double>{2.0});
  const std::vector<std::byte> one = first.finish().value(), two = second.finish().value();
  const Hdf5Reader a = std::move(Hdf5Reader::open(one, "one").value()),
                   b = std::move(Hdf5Reader::open(two, "two").value());
  EXPECT_EQ(a.numbers("/a").value()[0], 1.0);
  EXPECT_EQ(b.numbers("/a").value()[0], 2.0);
}

TEST(Hdf5File, RefusesANameThatIsInUse) {
  Hdf5Writer writer;
  writer.numbers("/a", {}), writer.numbers("/a", {});
  EXPECT_EQ(writer.finish().error().message(), "/a: cannot be put into an HDF5 file");
}

}  // namespace
}  // namespace tendril
