// A table of a page: text in cells, the first column names the rows.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tendril::plot {

enum class Tone : std::uint8_t { plain, good, bad };  // the text says it too: colour is never alone

struct Cell {
  std::string text;
  Tone tone = Tone::plain;

  Cell(std::string words, Tone how = Tone::plain) : text(std::move(words)), tone(how) {}  // NOLINT: text is a cell
  Cell(const char* words) : text(words) {}                                                // NOLINT: text is a cell
};

struct Column {
  std::string name;
  bool number = false;  // aligned to the right
};

struct Table {
  std::string caption;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // a short row ends in empty cells
};

// As HTML; of more than `most_rows` rows the first ones, and the caption says so.
inline constexpr std::size_t most_rows = 500;
std::string to_html(const Table& table);

}  // namespace tendril::plot
