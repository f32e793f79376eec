// What every drawing and page must be: well-formed XML with unique ids, each reference to one of them met.
#pragma once

#include <algorithm>
#include <cctype>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tendril::plot::support {

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + part.size())) ++found;
  return found;
}

// Small, and strict about what we write ourselves: no comments, no CDATA, no processing instructions.
class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) { run(); }

  std::string fault;             // empty: well-formed
  std::set<std::string> ids;     // of all elements
  std::set<std::string> labels;  // ids that aria-labelledby speaks of
  std::vector<std::string> tags;

 private:
  void run() {
    if (text_.starts_with("<!DOCTYPE html>")) at_ = 15;
    while (fault.empty() && at_ < text_.size()) text_[at_] == '<' ? tag() : character(false);
    if (fault.empty() && !open_.empty()) fail("not closed: " + open_.back());
  }

  void fail(std::string why) {
    if (fault.empty()) fault = why + " at byte " + std::to_string(at_) + ": " + std::string(text_.substr(at_, 60));
    at_ = text_.size();
  }

  void character(bool in_value) {
    const auto c = static_cast<unsigned char>(text_[at_]);
    if ((c < 0x20 && c != '\n' && c != '\t') || c == 0x7f) return fail("control character");
    if (in_value && c == '<') return fail("< in a value");
    if (c == '&') {
      for (const char* entity : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"})
        if (text_.substr(at_).starts_with(entity)) {
          at_ += std::string_view(entity).size();
          return;
        }
      return fail("bare &");
    }
    ++at_;
  }

  std::string name() {
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '-' || text_[at_] == ':'))
      ++at_;
    return std::string(text_.substr(first, at_ - first));
  }

  bool skip(std::string_view part) {
    if (!text_.substr(at_).starts_with(part)) return false;
    at_ += part.size();
    return true;
  }

  void tag() {
    if (skip("</")) {
      const std::string closed = name();
      if (open_.empty() || open_.back() != closed || !skip(">")) return fail("wrong end of " + closed);
      open_.pop_back();
      return;
    }
    ++at_;
    const std::string opened = name();
    if (opened.empty()) return fail("no name");
    tags.push_back(opened);
    std::set<std::string> keys;
    while (skip(" ")) {
      const std::string key = name();
      if (key.empty() || !skip("=\"") || !keys.insert(key).second) return fail("wrong attribute " + key);
      const std::size_t first = at_;
      while (at_ < text_.size() && text_[at_] != '"') character(true);
      const std::string value(text_.substr(first, at_ - first));
      if (!skip("\"")) return fail("value without end");
      if (key == "id" && !ids.insert(value).second) return fail("second id " + value);
      if (key == "aria-labelledby")
        for (std::size_t from = 0; from <= value.size();) {
          const std::size_t blank = std::min(value.find(' ', from), value.size());
          labels.insert(value.substr(from, blank - from));
          from = blank + 1;
        }
    }
    if (skip("/>")) return;
    if (!skip(">")) return fail("tag without end");
    open_.push_back(opened);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
};

}  // namespace tendril::plot::support
