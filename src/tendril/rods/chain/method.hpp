// How points are brought to the lengths of their links (docs/theory/chain.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace tendril::chain {

enum class Method : std::uint8_t {
  hybrid,     // Newton's method, with two-stage steps beside it far from the solution
  two_stage,  // multipliers, then points: each step cheap, convergence linear
  newton,     // Newton's method alone
  // Rivals, to compare; all but the first of them end at other points that have the lengths.
  kkt,  // Newton's method by one banded factorisation; between two held points as newton
  fast,
  pbd,
  xpbd,
  shake,  // corrections along the links of the start
};
std::optional<Method> method_named(std::string_view word);
std::string_view name(Method method);
std::span<const std::string_view> method_names();

}  // namespace tendril::chain
