#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace tendril::app {

std::string duration_text(double seconds) {
  if (seconds < 60.0) return fmt::format("{:.1f} s", seconds);
  const auto total = static_cast<long>(seconds + 0.5);
  if (total < 3600) return fmt::format("{} min {:02} s", total / 60, total % 60);
  return fmt::format("{} h {:02} min", total / 3600, total % 3600 / 60);
}

Progress::Progress(std::string task, bool quiet)
    : task_(std::move(task)), quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}

Progress::~Progress() {
  if (open_) fmt::print(stderr, "\n");
}

void Progress::show(int done, int of, double seconds) {
  if (quiet_ || of <= 0) return;
  const double part = std::clamp(double(done) / of, 0.0, 1.0);
  const double left = done > 1 ? seconds * (of - done) / done : 0.0;
  const std::string eta = done >= of ? "done in " + duration_text(seconds)
                          : done > 1 ? duration_text(left) + " left"
                                     : "";
  if (terminal_) {
    if (done < of && seconds - last_seconds_ < 0.1 && last_seconds_ >= 0.0) return;  // ten times a second is enough
    last_seconds_ = seconds;
    constexpr int width = 30;
    const int filled = int(part * width);
    fmt::print(stderr, "\r{} [{}{}] {}/{}  {}        ", task_, std::string(std::size_t(filled), '='),
               std::string(std::size_t(width - filled), ' '), done, of, eta);
    std::fflush(stderr);
    open_ = true;
    return;
  }
  if (const int tenth = int(part * 10.0); tenth != last_tenth_) {
    last_tenth_ = tenth;
    fmt::print(stderr, "{} {}/{}  {}\n", task_, done, of, eta);
  }
}

}  // namespace tendril::app
