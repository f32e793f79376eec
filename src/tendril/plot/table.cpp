#include "tendril/plot/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

std::string class_text(bool number, Tone tone) {
  const std::string classes = fmt::format("{}{}", number ? "number " : "",
                                          tone == Tone::good  ? "good"
                                          : tone == Tone::bad ? "bad"
                                                              : "");
  if (classes.empty()) return "";
  return fmt::format(" class=\"{}\"", classes.ends_with(' ') ? classes.substr(0, classes.size() - 1) : classes);
}

std::string row_html(const Table& table, const std::vector<Cell>& row) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const Cell cell = i < row.size() ? row[i] : Cell("");
    const std::string classes = class_text(table.columns[i].number, cell.tone), text = escaped(cell.text);
    html += i == 0 ? fmt::format("<th scope=\"row\"{}>{}</th>", classes, text)
                   : fmt::format("<td{}>{}</td>", classes, text);
  }
  return html + "</tr>\n";
}

}  // namespace

std::string to_html(const Table& table) {
  const std::span rows = std::span(table.rows).first(std::min(most_rows, table.rows.size()));
  std::string caption = table.caption;
  if (rows.size() < table.rows.size())
    caption += fmt::format(" (the first {} of {})", rows.size(), counted(table.rows.size(), "row"));
  // It scrolls by itself on narrow screens, also by keyboard.
  std::string html = fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"{0}\"><table>\n<caption>{0}</caption>\n<thead><tr>",
      escaped(caption));
  for (const Column& column : table.columns)
    html += fmt::format("<th scope=\"col\"{}>{}</th>", class_text(column.number, Tone::plain), escaped(column.name));
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : rows) html += row_html(table, row);
  return html + "</tbody></table></div>\n";
}

}  // namespace tendril::plot
