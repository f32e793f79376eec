#include "tendril/plot/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

namespace tendril::plot {
namespace {

struct Character {
  std::size_t bytes = 1;
  bool valid = false;
};

// The character at the front of text, which is not empty. Overlong forms, surrogates and values above U+10FFFF are not
// UTF-8; U+FFFE, U+FFFF and the control characters but tab and line ends are, but XML does not know them.
Character front(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {1, (first >= 0x20 && first != 0x7f) || first == '\t' || first == '\n' || first == '\r'};
  const std::size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = first & (0xffu >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0u) != 0x80u) return {};
    code = (code << 6) | (byte(i) & 0x3fu);
  }
  const bool overlong = (bytes == 3 && code < 0x800) || (bytes == 4 && code < 0x10000);
  if (overlong || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return {};
  return {bytes, code >= 0xa0 && code != 0xfffe && code != 0xffff};
}

// "1.2e-06" -> "1.2e-6"
std::string without_exponent_zeros(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::size_t digits = e + 1;
  if (text[digits] == '+') text.erase(digits, 1);
  if (text[digits] == '-') ++digits;
  while (digits + 1 < text.size() && text[digits] == '0') text.erase(digits, 1);
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = front(text);
    if (!c.valid) {
      out += "\xef\xbf\xbd";
    } else {
      switch (text.front()) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += text.substr(0, c.bytes);
      }
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t characters(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(front(text).bytes);
  return count;
}

std::string shortened(std::string_view text, std::size_t most) {
  if (characters(text) <= most) return std::string(text);
  std::size_t kept = 0;
  for (std::size_t i = 0; i + 1 < most; ++i) kept += front(text.substr(kept)).bytes;
  return std::string(text.substr(0, kept)) + "…";
}

std::string number_text(double value, int digits) {
  return without_exponent_zeros(fmt::format("{:.{}g}", value == 0.0 ? 0.0 : value, digits));
}

std::string count_text(double value) {
  if (!(std::abs(value) <= 9007199254740992.0) || value != std::floor(value)) return number_text(value);
  std::string text = fmt::format("{:.0f}", std::abs(value));
  if (text.size() > 4)  // a year is read without a space
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, "\u202f");
  return (value < 0.0 ? "-" : "") + text;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count_text(double(count)), noun, count == 1 ? "" : "s");
}

std::string pixels(double value) {
  const long tenths = std::lround(10.0 * value);
  const long whole = std::labs(tenths) / 10, tenth = std::labs(tenths) % 10;
  return fmt::format("{}{}{}", tenths < 0 ? "-" : "", whole, tenth == 0 ? "" : fmt::format(".{}", tenth));
}

std::string with_unit(std::string_view name, std::string_view unit) {
  return unit.empty() ? std::string(name) : fmt::format("{} [{}]", name, unit);
}

}  // namespace tendril::plot
