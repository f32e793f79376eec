#include "tendril/serve/target.hpp"

#include <charconv>

namespace tendril::serve {
namespace {

std::optional<std::string> decoded(std::string_view piece) {
  std::string out;
  for (std::size_t i = 0; i < piece.size(); ++i) {
    if (piece[i] != '%') {
      out += piece[i];
      continue;
    }
    unsigned value = 0;
    const char* first = piece.data() + i + 1;
    if (piece.size() - i < 3 || std::from_chars(first, first + 2, value, 16).ptr != first + 2) return std::nullopt;
    out += static_cast<char>(value);
    i += 2;
  }
  return out;
}

}  // namespace

std::optional<Target> parse_target(std::string_view target) {
  if (!target.starts_with('/')) return std::nullopt;
  Target out;
  const std::size_t question = target.find('?');
  if (question != std::string_view::npos) out.query = target.substr(question + 1);
  std::string_view path = target.substr(1, question == std::string_view::npos ? question : question - 1);
  while (true) {
    const std::size_t slash = path.find('/');
    const std::optional<std::string> piece = decoded(path.substr(0, slash));
    if (!piece) return std::nullopt;
    out.path.push_back(*piece);
    if (slash == std::string_view::npos) return out;
    path.remove_prefix(slash + 1);
  }
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const char* last = text.data() + text.size();
  if (text.empty() || text.front() < '0' || text.front() > '9' || (text.front() == '0' && text.size() > 1))
    return std::nullopt;
  const auto [end, fault] = std::from_chars(text.data(), last, value);
  return end == last && fault == std::errc() ? std::optional(value) : std::nullopt;
}

std::optional<int> query_number(std::string_view query, std::string_view key) {
  if (!query.starts_with(key) || query.substr(key.size(), 1) != "=") return std::nullopt;
  return whole_number(query.substr(key.size() + 1));
}

}  // namespace tendril::serve
