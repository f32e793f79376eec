#include "tendril/rods/chain/method.hpp"

#include <algorithm>
#include <array>

namespace tendril::chain {
namespace {

constexpr std::array<std::string_view, 8> words = {"hybrid", "two-stage", "newton", "kkt",
                                                   "fast",   "pbd",       "xpbd",   "shake"};

}  // namespace

std::string_view name(Method method) { return words[std::size_t(method)]; }

std::span<const std::string_view> method_names() { return words; }

std::optional<Method> method_named(std::string_view word) {
  const auto found = std::ranges::find(words, word);
  return found == words.end() ? std::nullopt : std::optional(Method(found - words.begin()));
}

}  // namespace tendril::chain
