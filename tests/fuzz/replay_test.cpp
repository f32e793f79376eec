// The fuzz targets without libFuzzer: each is called with every file of fuzz/corpus/NAME and fuzz/regressions/NAME, and
// with every beginning of these files (of large ones, with 2000 evenly spread ones). A target aborts if what it checks
// does not hold; TENDRIL_FUZZ_TARGETS is their list, made by CMake.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Target = int(const std::uint8_t* data, std::size_t size);

constexpr std::size_t most_beginnings = 2000;

std::string at_work;  // file and length, told if the target aborts

void tell_and_die(int signal) {
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, at_work.data(), at_work.size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// In memory of exactly this size, so that AddressSanitizer sees a read beyond it.
void feed(Target& target, const fs::path& path, const std::vector<std::byte>& bytes, std::size_t size) {
  at_work = fmt::format("with the first {} of {} bytes of {}\n", size, bytes.size(), path.string());
  const auto data = std::make_unique<std::uint8_t[]>(size);
  std::transform(bytes.begin(), bytes.begin() + std::ptrdiff_t(size), data.get(),
                 [](std::byte b) { return std::uint8_t(b); });
  target(data.get(), size);
}

void replay(Target& target, const std::string& name) {
  std::vector<fs::path> files;
  for (const char* folder : {"corpus", "regressions"}) {
    std::error_code fault;  // there may be no regressions
    for (const fs::directory_entry& entry : fs::directory_iterator(fs::path(TENDRIL_FUZZ) / folder / name, fault))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  ASSERT_FALSE(files.empty()) << "fuzz/corpus/" << name << " has no files";
  const auto abort_before = std::signal(SIGABRT, tell_and_die), fault_before = std::signal(SIGSEGV, tell_and_die);
  for (const fs::path& path : files) {
    const auto bytes = read_bytes(path);
    ASSERT_TRUE(bytes) << bytes.error().message();
    const std::size_t size = bytes.value().size(), beginnings = std::min(size, most_beginnings);
    for (std::size_t i = 0; i < beginnings; ++i) feed(target, path, bytes.value(), i * size / beginnings);
    feed(target, path, bytes.value(), size);
  }
  std::signal(SIGABRT, abort_before), std::signal(SIGSEGV, fault_before);
}

}  // namespace
}  // namespace tendril

#define TENDRIL_REPLAY(name)                                              \
  extern "C" int name##_fuzz(const std::uint8_t* data, std::size_t size); \
  TEST(FuzzReplay, name) { tendril::replay(name##_fuzz, #name); }
TENDRIL_FUZZ_TARGETS
