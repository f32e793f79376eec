// What an answer carries: bytes in memory, or an open file that is read piece by piece. Copies share it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tendril/serve/inner_file.hpp"

namespace tendril::serve {

class Content {
 public:
  Content() = default;                          // nothing
  explicit Content(std::string text);           // without a tag
  explicit Content(InnerFile file);             // as long as it was when it was opened
  Content(InnerFile file, std::uint64_t size);  // its first bytes
  static Content with_tag(std::span<const std::byte> bytes);

  std::uint64_t size() const { return size_; }
  const std::string& tag() const { return tag_; }  // tells versions apart, the same bytes or not; empty: none
  // False: the bytes are not there any more.
  bool read(std::uint64_t from, std::span<char> out) const;

 private:
  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const InnerFile> file_;
  std::uint64_t size_ = 0;
  std::string tag_;
};

}  // namespace tendril::serve
