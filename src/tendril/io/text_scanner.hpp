// Words and numbers out of the lines of a text file. Lines end with \n or \r\n; words are separated by blanks.
#pragma once

#include <charconv>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tendril/base/error.hpp"

namespace tendril {

class TextScanner {
 public:
  TextScanner(std::string_view text, std::string name) : rest_(text), name_(std::move(name)) {}

  // Goes on to the next line; false at the end of the text.
  bool next_line() {
    if (rest_.empty()) return false;
    const std::size_t end = rest_.find('\n');
    line_ = rest_.substr(0, end);
    rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
    if (line_.ends_with('\r')) line_.remove_suffix(1);
    ++number_;
    return true;
  }

  std::string_view line() const { return line_; }  // what of the line has not been taken
  std::size_t line_number() const { return number_; }
  std::string_view rest() const { return rest_; }  // all lines after this one

  // The next word of the line; empty if there is none.
  std::string_view word() {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; };
    std::size_t begin = 0;
    while (begin < line_.size() && blank(line_[begin])) ++begin;
    std::size_t end = begin;
    while (end < line_.size() && !blank(line_[end])) ++end;
    const std::string_view found = line_.substr(begin, end - begin);
    line_.remove_prefix(end);
    return found;
  }

  // The next word as a number; false if there is none or it is something else.
  template <class T>
  bool number(T& out) {
    return to_number(word(), out);
  }
  template <class T>
  static bool to_number(std::string_view word, T& out) {
    if (word.starts_with('+')) word.remove_prefix(1);
    const auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), out);
    return fault == std::errc() && end == word.data() + word.size() && !word.empty();
  }

  // A word for an error: the first 32 bytes of it, without those that a terminal would obey.
  static std::string quoted(std::string_view word) {
    std::string text(word.substr(0, 32));
    for (char& c : text)
      if (c < ' ' || c > '~') c = '?';
    return "'" + text + (word.size() > 32 ? "..." : "") + "'";
  }

  Error error(const std::string& what) const { return {name_ + ":" + std::to_string(number_), what}; }

 private:
  std::string_view rest_, line_;
  std::string name_;
  std::size_t number_ = 0;
};

}  // namespace tendril
