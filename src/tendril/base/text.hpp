// Words for error messages: which known name did the user mean?
#pragma once

#include <cstddef>
#include <ranges>
#include <string>
#include <string_view>

namespace tendril {

// Least number of letters to insert, delete, replace or swap with a neighbour that turns a into b. Bytes, not code
// points: keys and names are ASCII.
std::size_t edit_distance(std::string_view a, std::string_view b);

namespace detail {
// How far `candidate` is from `word` regardless of case, or a huge number if they have too little in common.
std::size_t misspelling_distance(std::string_view word, std::string_view candidate);
inline constexpr std::size_t unrelated = static_cast<std::size_t>(-1);
}  // namespace detail

// The candidate nearest to word, the first of several; empty if none is near enough to be a misspelling.
template <std::ranges::input_range Candidates>
std::string nearest(std::string_view word, const Candidates& candidates) {
  std::string best;
  std::size_t best_distance = detail::unrelated;
  for (const auto& candidate : candidates) {
    const std::size_t distance = detail::misspelling_distance(word, candidate);
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

// " (did you mean 'young'?)" or nothing: to be put behind a complaint about word.
template <std::ranges::input_range Candidates>
std::string did_you_mean(std::string_view word, const Candidates& candidates) {
  const std::string guess = nearest(word, candidates);
  return guess.empty() ? std::string() : " (did you mean '" + guess + "'?)";
}

}  // namespace tendril
