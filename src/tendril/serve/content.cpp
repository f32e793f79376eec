#include "tendril/serve/content.hpp"

#include <algorithm>
#include <cstring>

#include "tendril/base/hash.hpp"

namespace tendril::serve {

Content::Content(std::string text)
    : text_(std::make_shared<const std::string>(std::move(text))), size_(text_->size()) {}

Content::Content(InnerFile file) : Content(std::move(file), std::uint64_t(-1)) {}

Content::Content(InnerFile file, std::uint64_t size)
    : file_(std::make_shared<const InnerFile>(std::move(file))),
      size_(std::min(size, file_->size())),
      tag_(file_->tag()) {}

Content Content::with_tag(std::span<const std::byte> bytes) {
  Content content(std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  content.tag_ = hash_text(Hash().bytes(bytes).value());
  return content;
}

bool Content::read(std::uint64_t from, std::span<char> out) const {
  if (from > size_ || out.size() > size_ - from) return false;
  if (file_) return file_->read(from, out);
  if (text_) std::memcpy(out.data(), text_->data() + from, out.size());
  return true;
}

}  // namespace tendril::serve
