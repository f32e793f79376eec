// Words on a picture, by FreeType in a typeface that is part of the program.
#pragma once

#include <memory>
#include <string>

#include "tendril/render/image.hpp"

namespace tendril::render {

class TextPainter {
 public:
  explicit TextPainter(float pixels);  // height of a line
  TextPainter(TextPainter&&) noexcept;
  ~TextPainter();

  float width(const std::string& text) const;  // [pixels]
  float ascent() const;                        // of figures and capitals above the base line

  // UTF-8; x is its left end, y its base line, from the top left corner. What lies outside the picture is left out.
  void paint(const std::string& text, float x, float y, const Rgb& colour, Image& image) const;

 private:
  struct Face;
  std::unique_ptr<const Face> face_;
};

}  // namespace tendril::render
