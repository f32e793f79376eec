#include "tendril/serve/conditions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace tendril::serve {
namespace {

std::optional<std::uint64_t> digits(std::string_view text) {
  std::uint64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, fault] = std::from_chars(text.data(), last, value);
  return !text.empty() && end == last && fault == std::errc() ? std::optional(value) : std::nullopt;
}

struct ByteRange {
  std::optional<std::uint64_t> first, last;  // without `first`: so many from the end
};

// "bytes=2-5", "bytes=2-" or "bytes=-5".
std::optional<ByteRange> parse_range(std::string_view text) {
  constexpr std::string_view unit = "bytes=";
  const std::size_t dash = text.find('-');
  if (!text.starts_with(unit) || dash == std::string_view::npos) return std::nullopt;
  const std::string_view first = text.substr(unit.size(), dash - unit.size()), last = text.substr(dash + 1);
  const ByteRange range{digits(first), digits(last)};
  if ((!range.first && !first.empty()) || (!range.last && !last.empty())) return std::nullopt;
  if (!range.first && !range.last) return std::nullopt;
  if (range.first && range.last && *range.last < *range.first) return std::nullopt;
  return range;
}

bool has_tag(std::string_view list, const std::string& tag) {
  return list == "*" || list.find('"' + tag + '"') != std::string_view::npos;
}

}  // namespace

void apply_conditions(const Request& request, Response& response) {
  const std::string& tag = response.content.tag();
  if (response.status != 200 || tag.empty()) return;
  if (request.if_none_match && has_tag(*request.if_none_match, tag)) {
    response.status = 304, response.length = 0;
    return;
  }
  if (!request.range || (request.if_range && *request.if_range != '"' + tag + '"')) return;
  const std::optional<ByteRange> range = parse_range(*request.range);
  if (!range) return;
  const std::uint64_t size = response.content.size();
  const std::uint64_t from = range->first ? *range->first : size - std::min(size, *range->last);
  if (from >= size) {
    const std::uint64_t whole = size;
    response = refusal(416, fmt::format("the content has {} bytes", whole));
    response.range = fmt::format("bytes */{}", whole);
    return;
  }
  const std::uint64_t last = range->first && range->last ? std::min(*range->last, size - 1) : size - 1;
  response.status = 206, response.from = from, response.length = last - from + 1;
  response.range = fmt::format("bytes {}-{}/{}", from, last, size);
}

}  // namespace tendril::serve
