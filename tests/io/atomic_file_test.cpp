#include "tendril/io/atomic_file.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <fstream>
#include <string>
#include <utility>

namespace tendril {
namespace {

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder = std::filesystem::path(testing::TempDir()) / (std::string("tendril_") + test->name());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::size_t files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator()));
  }

  std::filesystem::path folder;
};

TEST_F(AtomicFile, ReturnsWhatWasWritten) {
  const std::string text("a\0b\r\n\xff", 6);
  ASSERT_TRUE(write_file(folder / "text", text));
  EXPECT_EQ(read_text(folder / "text").value(), text);
  EXPECT_EQ(read_bytes(folder / "text").value().size(), text.size());
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, ReplacesAnOlderFileAndAForgottenTemporaryOne) {
  ASSERT_TRUE(write_file(folder / "text", "old and long"));
  std::ofstream(folder / "text.part") << "of a run that was killed";
  ASSERT_TRUE(write_file(folder / "text", "new"));
  EXPECT_EQ(read_text(folder / "text").value(), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, ReadsFilesOfAllSizes) {
  for (const std::size_t size : {0u, 1u, 65535u, 65536u, 65537u, 300000u}) {
    const std::string text(size, 'x');
    ASSERT_TRUE(write_file(folder / "text", text));
    EXPECT_EQ(read_text(folder / "text").value(), text);
  }
}

TEST_F(AtomicFile, NamesTheFileAndTheReasonWhenItCannotBeWritten) {
  const auto path = folder / "missing" / "text";
  EXPECT_EQ(write_file(path, "x").error().message(), path.string() + ": cannot be written: No such file or directory");
  std::filesystem::create_directories(folder / "folder" / "in it");
  EXPECT_FALSE(write_file(folder / "folder", "x"));
  EXPECT_EQ(files(), 1u);  // no temporary file is left behind
}

TEST_F(AtomicFile, KeepsTheOldFileWhenTheDiskIsFull) {
  ASSERT_TRUE(write_file(folder / "text", "old"));
  // A limit on the size of files makes write fail in the same place as a full disk does.
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit small = before;
  small.rlim_cur = 100000;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const Status large = write_file(folder / "text", std::string(1000000, 'x'));
  const Status few_more = write_file(folder / "text", std::string(100001, 'x'));  // fails as the buffer is flushed
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);

  ASSERT_FALSE(large);
  ASSERT_FALSE(few_more);
  EXPECT_EQ(large.error().message(), (folder / "text").string() + ": cannot be written: File too large");
  EXPECT_EQ(read_text(folder / "text").value(), "old");
  EXPECT_EQ(files(), 1u);
}

// The k-th call that writes fails, for every k.
TEST_F(AtomicFile, KeepsTheOldFileWhicheverCallFails) {
  ASSERT_TRUE(write_file(folder / "text", "old"));
  fail_writes_from(0);
  ASSERT_TRUE(write_file(folder / "other", "new"));
  const std::int64_t calls = fail_writes_from(0);
  EXPECT_EQ(calls, 4) << "open, write, close, rename";
  for (std::int64_t k = 1; k <= calls; ++k) {
    fail_writes_from(k);
    const Status status = write_file(folder / "text", "new");
    const std::int64_t made = fail_writes_from(0);
    ASSERT_FALSE(status) << k;
    EXPECT_EQ(made, k) << "nothing is tried after a failure";
    EXPECT_EQ(status.error().message(), (folder / "text").string() + ": cannot be written: No space left on device");
    EXPECT_EQ(read_text(folder / "text").value(), "old") << k;
    EXPECT_EQ(files(), 2u) << k;  // no temporary file is left behind
  }
  ASSERT_TRUE(write_file(folder / "text", "new"));
  EXPECT_EQ(read_text(folder / "text").value(), "new");
}

TEST_F(AtomicFile, FailsOnAfterTheFirstFailure) {
  fail_writes_from(5);  // the first file has four calls
  EXPECT_TRUE(write_file(folder / "a", "a"));
  EXPECT_FALSE(write_file(folder / "b", "b"));
  EXPECT_FALSE(write_file(folder / "c", "c"));
  fail_writes_from(0);
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, AppearsOnlyAtItsCommit) {
  ASSERT_TRUE(write_file(folder / "text", "old"));
  {
    auto file = NewFile::create(folder / "text");
    ASSERT_TRUE(file);
    NewFile moved = std::move(file.value());
    ASSERT_TRUE(moved.write("new "));
    ASSERT_TRUE(moved.write(std::string_view()));
    ASSERT_TRUE(moved.write("and longer"));
    EXPECT_EQ(read_text(folder / "text").value(), "old");
    ASSERT_TRUE(moved.commit());
    EXPECT_EQ(read_text(folder / "text").value(), "new and longer");
  }
  {
    auto file = NewFile::create(folder / "text");
    ASSERT_TRUE(file && file.value().write("not committed"));
  }
  EXPECT_EQ(read_text(folder / "text").value(), "new and longer");
  EXPECT_EQ(files(), 1u);
}

TEST_F(AtomicFile, NamesTheFileAndTheReasonWhenItCannotBeRead) {
  const auto path = folder / "missing";
  EXPECT_EQ(read_text(path).error().message(), path.string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(read_text(folder).error().message(), folder.string() + ": is a folder, not a file");
  ASSERT_TRUE(write_file(folder / "text", std::string(101, 'x')));
  EXPECT_FALSE(read_text(folder / "text", 100));
  EXPECT_TRUE(read_text(folder / "text", 101));
}

TEST_F(AtomicFile, StopsAtTheLimitOfAnEndlessFile) { EXPECT_FALSE(read_bytes("/dev/zero", 1 << 20)); }

}  // namespace
}  // namespace tendril
