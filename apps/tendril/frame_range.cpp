#include "frame_range.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

namespace tendril::app {
namespace {

// 0 if it is no number from 1 on.
int positive_number(std::string_view text) {
  int value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  return fault == std::errc() && end == text.data() + text.size() ? std::max(value, 0) : 0;
}

}  // namespace

Result<FrameRange> parse_frames(const std::string& text, const std::string& option) {
  const std::size_t colon = text.find(':');
  const std::string_view whole = text;
  const int first = positive_number(whole.substr(0, colon));
  const int last = colon == std::string::npos ? first : positive_number(whole.substr(colon + 1));
  if (first >= 1 && last >= first) return FrameRange{first, last};
  return Error{option, fmt::format("'{}' is not a range; give first and last frame, as in 1:60", text)};
}

}  // namespace tendril::app
