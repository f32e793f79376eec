#include "tendril/scene/document.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

// Compiled here and nowhere else, with errors as values.
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 32
#include <toml++/toml.h>

namespace tendril {
namespace {

// Dotted keys nest too, outside the library's limit: a long one would overflow the stack when its tree is taken down.
constexpr std::size_t max_dots = 16;

Place place_of(const toml::source_region& region, std::uint32_t source) {
  return {source, region.begin.line, region.begin.column};
}

std::optional<Error> convert(const toml::node& node, std::uint32_t source, const Document& document, Value& out) {
  out.place = place_of(node.source(), source);
  if (const auto* boolean = node.as_boolean()) {
    out.held = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    out.held = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    out.held = number->get();
  } else if (const auto* text = node.as_string()) {
    out.held = text->get();
  } else if (const auto* array = node.as_array()) {
    ValueArray values(array->size());
    for (std::size_t i = 0; i < values.size(); ++i)
      if (auto error = convert(*array->get(i), source, document, values[i])) return error;
    out.held = std::move(values);
  } else if (const auto* table = node.as_table()) {
    ValueTable entries;
    for (const auto& [key, value] : *table) {
      entries.push_back({std::string(key.str()), place_of(key.source(), source), {}});
      if (auto error = convert(value, source, document, entries.back().value)) return error;
    }
    out.held = std::move(entries);
  } else {
    return Error{document.where(out.place), "dates and times of day mean nothing in a scene"};
  }
  return std::nullopt;
}

// The end of the quoted text or comment that begins at `at`, or `at` itself if none does.
std::size_t skip_quoted(std::string_view text, std::size_t at) {
  if (text[at] == '#') return std::min(text.find('\n', at), text.size());
  if (text[at] != '"' && text[at] != '\'') return at;
  const char quote = text[at];
  const std::size_t width = text.substr(at, 3) == std::string(3, quote) ? 3 : 1;
  for (at += width; at < text.size(); ++at) {
    if (quote == '"' && text[at] == '\\')
      ++at;  // whatever is escaped ends nothing
    else if (width == 1 && text[at] == '\n')
      return at;
    else if (text.substr(at, width) == std::string(width, quote)) {
      at += width;
      while (width == 3 && at < text.size() && text[at] == quote) ++at;  // quotes may stand before the closing three
      return at;
    }
  }
  return text.size();
}

// Where a key has more dots than allowed. Numbers have dots as well, but a sign that ends a key stands between two.
std::optional<std::size_t> too_many_dots(std::string_view text) {
  std::size_t dots = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    at = skip_quoted(text, at);
    if (at >= text.size()) break;
    if (text[at] == '.' && ++dots > max_dots) return at;
    if (std::string_view("=,{]\n").find(text[at]) != std::string_view::npos) dots = 0;
  }
  return std::nullopt;
}

Place place_of(std::size_t at, std::string_view text, std::uint32_t source) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 = 0
  const auto line = 1 + std::ranges::count(before, '\n');
  return {source, static_cast<std::uint32_t>(line), static_cast<std::uint32_t>(at - line_start + 1)};
}

std::optional<Error> parse_into(std::string_view text, std::uint32_t source, const Document& document, Value& out) {
  if (const auto at = too_many_dots(text))
    return Error{document.where(place_of(*at, text, source)), fmt::format("more than {} dots in one key", max_dots)};
  const toml::parse_result result = toml::parse(text);
  if (!result) {
    const Place place = place_of(result.error().source(), source);
    return Error{document.where(place), fmt::format("this is not TOML: {}", result.error().description())};
  }
  return convert(result.table(), source, document, out);
}

bool is_index(std::string_view part) {
  return !part.empty() && std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
}

// Everything below `value` is said to come from `source` as a whole.
void relocate(std::uint32_t source, Value& value) {
  value.place = {source, 0, 0};
  if (auto* array = std::get_if<ValueArray>(&value.held))
    for (Value& element : *array) relocate(source, element);
  if (auto* table = std::get_if<ValueTable>(&value.held))
    for (Entry& entry : *table) {
      entry.place = {source, 0, 0};
      relocate(source, entry.value);
    }
}

Value override_from(std::string_view text, std::uint32_t source, const Document& document) {
  Value parsed;
  Value value{std::string(text), {}};
  if (!parse_into(fmt::format("value = {}\n", text), source, document, parsed)) {
    auto& entries = std::get<ValueTable>(parsed.held);
    if (entries.size() == 1 && entries.front().key == "value") value = std::move(entries.front().value);
  }
  relocate(source, value);
  return value;
}

}  // namespace

const Entry* find(const ValueTable& table, std::string_view key) {
  const auto found = std::ranges::find(table, key, &Entry::key);
  return found == table.end() ? nullptr : &*found;
}

std::string_view kind_name(const Value& value) {
  constexpr std::string_view names[] = {"a truth value", "a whole number", "a number", "a text", "a list", "a table"};
  return names[value.held.index()];
}

std::string Document::where(const Place& place) const {
  const std::string& source = place.source < sources.size() ? sources[place.source] : sources.front();
  return place.line == 0 ? source : fmt::format("{}:{}:{}", source, place.line, place.column);
}

Result<Document> parse_document(std::string_view text, const std::string& filename) {
  Document document;
  document.sources.push_back(filename);
  if (auto error = parse_into(text, 0, document, document.root)) return *error;
  return document;
}

Status override_value(const std::string& assignment, Document& document) {
  const auto source = static_cast<std::uint32_t>(document.sources.size());
  document.sources.push_back("--set " + assignment);
  const auto refuse = [&](const std::string& what) { return Error{document.sources[source], what}; };

  const std::size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0) return refuse("write key=value, such as run.fps=24");
  std::string_view path(assignment.data(), equals);
  Value* target = &document.root;
  if (static_cast<std::size_t>(std::ranges::count(path, '.')) > max_dots) return refuse("the key has too many parts");
  for (bool last = false; !last;) {
    const std::size_t dot = path.find('.');
    last = dot == std::string_view::npos;
    const std::string_view part = path.substr(0, dot);
    path.remove_prefix(last ? path.size() : dot + 1);
    if (part.empty()) return refuse("a part of the key is empty; write key=value, such as run.fps=24");

    if (auto* array = std::get_if<ValueArray>(&target->held)) {
      std::size_t index = 0;
      const char* end = part.data() + part.size();
      if (!is_index(part) || std::from_chars(part.data(), end, index).ec != std::errc{} || index >= array->size())
        return refuse(fmt::format("'{}' is no index of a list of {}, counted from 0", part, array->size()));
      target = &(*array)[index];
    } else if (auto* table = std::get_if<ValueTable>(&target->held)) {
      const auto found = std::ranges::find(*table, part, &Entry::key);
      if (found == table->end()) table->push_back({std::string(part), {source, 0, 0}, {ValueTable{}, {source, 0, 0}}});
      target = found == table->end() ? &table->back().value : &found->value;
    } else {
      return refuse(fmt::format("'{}' cannot be set in {}", part, kind_name(*target)));
    }
  }
  *target = override_from(std::string_view(assignment).substr(equals + 1), source, document);
  return ok();
}

}  // namespace tendril
