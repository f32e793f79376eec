// Counts strands that are done, from any thread, and tells whoever wants to know.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>

namespace tendril::sagfree {

class Progress {
 public:
  explicit Progress(const std::function<void(std::size_t strands, std::size_t of)>& tell) : tell_(tell) {}

  void expect(std::size_t strands) { of_ += strands; }  // before the work begins
  void add(std::size_t strands) {
    if (!tell_) return;
    const std::scoped_lock lock(mutex_);
    done_ += strands;
    tell_(done_, of_);
  }

 private:
  const std::function<void(std::size_t, std::size_t)>& tell_;
  std::mutex mutex_;
  std::size_t done_ = 0, of_ = 0;
};

}  // namespace tendril::sagfree
