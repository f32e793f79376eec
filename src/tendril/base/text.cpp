#include "tendril/base/text.hpp"

#include <algorithm>
#include <vector>

namespace tendril {
namespace {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return lower;
}

}  // namespace

// Optimal string alignment: rows of the table over prefixes of a, of which three are kept for the swaps.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

std::size_t detail::misspelling_distance(std::string_view word, std::string_view candidate) {
  const std::size_t distance = edit_distance(lower_case(word), lower_case(candidate));
  // One slip in three letters: "yuong" is "young", but "mass" is not "wind". Short words are allowed one.
  const std::size_t allowed = std::max<std::size_t>(1, std::max(word.size(), candidate.size()) / 3);
  return distance <= allowed && distance < candidate.size() ? distance : unrelated;
}

}  // namespace tendril
