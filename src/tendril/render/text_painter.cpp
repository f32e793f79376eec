#include "tendril/render/text_painter.hpp"

#include <ft2build.h>
#include FT_FREETYPE_H

#include <cmath>
#include <stdexcept>
#include <vector>

// The typeface, put into the program when it is built (cmake/TendrilTypeface.cmake).
extern "C" const unsigned char tendril_typeface_begin[], tendril_typeface_end[];

namespace tendril::render {
namespace {

void check(FT_Error error) {
  if (error != 0) throw std::runtime_error("FreeType: error " + std::to_string(error));
}

// Code points of well-formed UTF-8; anything else becomes a question mark.
std::vector<char32_t> code_points(const std::string& text) {
  std::vector<char32_t> out;
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i++]);
    const int more = lead < 0x80 ? 0 : lead >= 0xc2 && lead < 0xe0 ? 1 : lead >= 0xe0 && lead < 0xf0 ? 2 : -1;
    char32_t code = more == 0 ? lead : more == 1 ? lead & 0x1fu : lead & 0x0fu;
    bool good = more >= 0;
    for (int k = 0; good && k < more; ++k) {
      good = i < text.size() && (static_cast<unsigned char>(text[i]) & 0xc0u) == 0x80u;
      if (good) code = code << 6 | (static_cast<unsigned char>(text[i++]) & 0x3fu);
    }
    out.push_back(good ? code : U'?');
  }
  return out;
}

}  // namespace

struct TextPainter::Face {
  FT_Library library = nullptr;
  FT_Face face = nullptr;

  explicit Face(float pixels) {
    check(FT_Init_FreeType(&library));
    check(FT_New_Memory_Face(library, tendril_typeface_begin, tendril_typeface_end - tendril_typeface_begin, 0, &face));
    check(FT_Set_Char_Size(face, 0, FT_F26Dot6(pixels * 64.0f), 72, 72));
  }
  ~Face() { FT_Done_FreeType(library); }  // and its faces
  Face(const Face&) = delete;
  Face& operator=(const Face&) = delete;

  // Calls f(glyph with its bitmap, pen position) and returns where the pen ends.
  template <class F>
  float each_glyph(const std::string& text, F&& f) const {
    float pen = 0.0f;
    FT_UInt before = 0;
    for (const char32_t code : code_points(text)) {
      const FT_UInt glyph = FT_Get_Char_Index(face, code);
      FT_Vector kerning{};
      if (before != 0) FT_Get_Kerning(face, before, glyph, FT_KERNING_UNFITTED, &kerning);
      pen += float(kerning.x) / 64.0f;
      check(FT_Load_Glyph(face, glyph, FT_LOAD_RENDER | FT_LOAD_NO_HINTING));
      f(*face->glyph, pen);
      pen += float(face->glyph->linearHoriAdvance) / 65536.0f;
      before = glyph;
    }
    return pen;
  }
};

TextPainter::TextPainter(float pixels) : face_(std::make_unique<const Face>(pixels)) {}
TextPainter::TextPainter(TextPainter&&) noexcept = default;
TextPainter::~TextPainter() = default;

float TextPainter::width(const std::string& text) const {
  return face_->each_glyph(text, [](const FT_GlyphSlotRec&, float) {});
}

float TextPainter::ascent() const {
  float most = 0.0f;
  face_->each_glyph("0", [&](const FT_GlyphSlotRec& glyph, float) { most = float(glyph.bitmap_top); });
  return most;
}

void TextPainter::paint(const std::string& text, float x, float y, const Rgb& colour, Image& image) const {
  face_->each_glyph(text, [&](const FT_GlyphSlotRec& glyph, float pen) {
    const int left = int(std::lround(x + pen)) + glyph.bitmap_left, top = int(std::lround(y)) - glyph.bitmap_top;
    for (int row = 0; row < int(glyph.bitmap.rows); ++row)
      for (int column = 0; column < int(glyph.bitmap.width); ++column) {
        const int px = left + column, py = top + row;
        if (px < 0 || px >= image.width || py < 0 || py >= image.height) continue;
        const float cover = float(glyph.bitmap.buffer[row * glyph.bitmap.pitch + column]) / 255.0f;
        Rgb& pixel = image.at(px, py);
        pixel += cover * (colour - pixel);
      }
  });
}

}  // namespace tendril::render
