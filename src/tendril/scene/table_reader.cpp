#include "tendril/scene/table_reader.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "tendril/base/text.hpp"

namespace tendril {
namespace {

std::string given(const Value& value) {
  if (const auto* text = std::get_if<std::string>(&value.held)) return fmt::format("'{}'", *text);
  if (const auto* integer = std::get_if<std::int64_t>(&value.held)) return fmt::format("{}", *integer);
  if (const auto* number = std::get_if<double>(&value.held)) return fmt::format("{}", *number);
  if (const auto* boolean = std::get_if<bool>(&value.held)) return *boolean ? "true" : "false";
  return std::string(kind_name(value));
}

std::string range_words(Interval allowed, std::string_view unit) {
  const std::string_view space = unit.empty() ? "" : " ";
  const std::string low = fmt::format("{}{}{}", allowed.low, space, unit);
  const std::string high = fmt::format("{}{}{}", allowed.high, space, unit);
  if (std::isinf(allowed.high)) return fmt::format("{} {}", allowed.above_low ? "above" : "at least", low);
  if (std::isinf(allowed.low)) return fmt::format("at most {}", high);
  if (allowed.above_low) return fmt::format("above {} and at most {}", low, high);
  return fmt::format("from {} to {}", low, high);
}

std::string joined(std::span<const std::pair<std::string_view, bool>> words, std::string_view separator) {
  std::string text;
  for (const auto& [word, built] : words)
    if (built) text += fmt::format("{}'{}'", text.empty() ? "" : separator, word);
  return text;
}

std::string number_text(double value) { return fmt::format("{:.9g}", value); }

}  // namespace

TableReader::TableReader(ReadContext& context, const Value* table, std::string name)
    : context_(&context), table_(table), name_(std::move(name)) {}

const Entry* TableReader::entry(std::string_view key) const {
  return describing() ? nullptr : find(std::get<ValueTable>(table_->held), key);
}

bool TableReader::has(std::string_view key) const { return entry(key) != nullptr; }

template <class T>
bool TableReader::holds(std::string_view key) const {
  const Entry* found = entry(key);
  return describing() || (found != nullptr && std::holds_alternative<T>(found->value.held));
}

bool TableReader::is_table(std::string_view key) const { return holds<ValueTable>(key); }
bool TableReader::is_list(std::string_view key) const { return holds<ValueArray>(key); }
bool TableReader::is_text(std::string_view key) const { return holds<std::string>(key); }
bool TableReader::is_plain(std::string_view key) const {
  return describing() || (has(key) && !is_table(key) && !is_list(key));
}

bool TableReader::is_table_with(std::string_view key, std::string_view inner) const {
  if (describing()) return true;
  const Entry* found = entry(key);
  const auto* table = found == nullptr ? nullptr : std::get_if<ValueTable>(&found->value.held);
  return table != nullptr && std::ranges::any_of(*table, [&](const Entry& e) { return e.key == inner; });
}

const Value* TableReader::take(std::string_view key) {
  known_.emplace(key);
  const Entry* found = failed() ? nullptr : entry(key);
  return found == nullptr ? nullptr : &found->value;
}

void TableReader::describe(std::string_view key, std::string_view type, std::string_view unit,
                           std::string_view fallback, std::string_view meaning) {
  if (describing())
    context_->schema.push_back(
        {name_, std::string(key), std::string(type), std::string(unit), std::string(fallback), std::string(meaning)});
}

void TableReader::text(std::string_view key, std::string_view meaning, std::string& out) {
  describe(key, "text", "", out, meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  if (const auto* text = std::get_if<std::string>(&value->held))
    out = *text;
  else
    refuse(key, fmt::format("{} must be a text, but it is {}", key, kind_name(*value)));
}

void TableReader::boolean(std::string_view key, std::string_view meaning, bool& out) {
  describe(key, "true | false", "", out ? "true" : "false", meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  if (const auto* boolean = std::get_if<bool>(&value->held))
    out = *boolean;
  else
    refuse(key, fmt::format("{} must be true or false, but it is {}", key, kind_name(*value)));
}

std::optional<double> TableReader::read_quantity(std::string_view key, const Value& value, Dimension dimension,
                                                 Interval allowed) {
  double number = 0.0;
  if (const auto* integer = std::get_if<std::int64_t>(&value.held)) {
    number = static_cast<double>(*integer);
  } else if (const auto* plain = std::get_if<double>(&value.held)) {
    number = *plain;
  } else if (const auto* text = std::get_if<std::string>(&value.held)) {
    const auto parsed = parse_quantity(key, *text, dimension);
    if (!parsed) return refuse_at(value.place, parsed.error().what), std::nullopt;
    number = parsed.value();
  } else {
    const DimensionWords wanted = words(dimension);
    refuse_at(value.place, fmt::format("{} must be a number{}, but it is {}", key,
                                       wanted.si_unit.empty() ? ""
                                                              : fmt::format(" or {} {} such as \"{}\"", wanted.article,
                                                                            wanted.name, wanted.example),
                                       kind_name(value)));
    return std::nullopt;
  }
  const bool too_low = allowed.above_low ? number <= allowed.low : number < allowed.low;
  if (!std::isfinite(number)) {
    refuse_at(value.place, fmt::format("{} must be finite, but {} was given", key, given(value)));
  } else if (too_low || number > allowed.high) {
    refuse_at(value.place, fmt::format("{} must be {}, but {} was given", key,
                                       range_words(allowed, words(dimension).si_unit), given(value)));
  } else {
    return number;
  }
  return std::nullopt;
}

void TableReader::quantity(std::string_view key, std::string_view meaning, Dimension dimension, Interval allowed,
                           double& out) {
  std::optional<double> value = out;
  quantity(key, meaning, dimension, allowed, value);
  out = *value;
}

void TableReader::quantity(std::string_view key, std::string_view meaning, Dimension dimension, Interval allowed,
                           std::optional<double>& out) {
  const DimensionWords kind = words(dimension);
  describe(key, dimension == Dimension::none ? "number" : kind.name, kind.si_unit, out ? number_text(*out) : "",
           meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  if (const auto number = read_quantity(key, *value, dimension, allowed)) out = number;
}

void TableReader::quantity_or(std::string_view key, std::string_view word, std::string_view meaning,
                              Dimension dimension, Interval allowed, std::optional<double>& out) {
  const DimensionWords kind = words(dimension);
  describe(key, fmt::format("{} or '{}'", kind.name, word), kind.si_unit,
           out ? number_text(*out) : fmt::format("'{}'", word), meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  const auto* text = std::get_if<std::string>(&value->held);
  if (text != nullptr && *text == word) return out.reset();
  if (text != nullptr && text->find_first_of("0123456789") == std::string::npos)
    return refuse(key, fmt::format("{} = '{}' is neither '{}' nor {} {} such as \"{}\"", key, *text, word, kind.article,
                                   kind.name, kind.example));
  if (const auto number = read_quantity(key, *value, dimension, allowed)) out = number;
}

void TableReader::number(std::string_view key, std::string_view meaning, Interval allowed, double& out) {
  quantity(key, meaning, Dimension::none, allowed, out);
}

void TableReader::vector3(std::string_view key, std::string_view meaning, Dimension dimension, Eigen::Vector3d& out) {
  std::optional<Eigen::Vector3d> value = out;
  vector3(key, meaning, dimension, value);
  out = *value;
}

void TableReader::vector3(std::string_view key, std::string_view meaning, Dimension dimension,
                          std::optional<Eigen::Vector3d>& out) {
  const DimensionWords kind = words(dimension);
  const std::string fallback =
      !out ? "" : fmt::format("[{}, {}, {}]", number_text(out->x()), number_text(out->y()), number_text(out->z()));
  describe(key, dimension == Dimension::none ? "[x, y, z]" : fmt::format("[x, y, z] of {}", kind.name), kind.si_unit,
           fallback, meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  if (const auto vector = read_vector(key, *value, dimension)) out = vector;
}

std::optional<Eigen::Vector3d> TableReader::read_vector(std::string_view key, const Value& value, Dimension dimension) {
  const auto* list = std::get_if<ValueArray>(&value.held);
  if (list == nullptr || list->size() != 3) {
    const std::string what =
        list == nullptr ? std::string(kind_name(value)) : fmt::format("a list of {}", list->size());
    refuse_at(value.place, fmt::format("{} must be a list of three numbers [x, y, z], but it is {}", key, what));
    return std::nullopt;
  }
  Eigen::Vector3d vector;
  for (int i = 0; i < 3; ++i) {
    const auto number = read_quantity(key, (*list)[static_cast<std::size_t>(i)], dimension, any_number);
    if (!number) return std::nullopt;
    vector[i] = *number;
  }
  return vector;
}

void TableReader::numbers(std::string_view key, std::string_view meaning, std::span<double> out) {
  describe(key, fmt::format("list of {} numbers", out.size()), "", fmt::format("[{}]", fmt::join(out, ", ")), meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  const auto* list = std::get_if<ValueArray>(&value->held);
  if (list == nullptr || list->size() != out.size())
    return refuse(key, fmt::format("{} must be a list of {} numbers", key, out.size()));
  for (std::size_t i = 0; i < out.size(); ++i)
    if (const auto number = read_quantity(key, (*list)[i], Dimension::none, any_number)) out[i] = *number;
}

void TableReader::polylines(std::string_view key, std::string_view meaning,
                            std::vector<std::vector<Eigen::Vector3d>>& out) {
  describe(key, "[[[x, y, z], ...], ...] of length", "m", "", meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  const auto is_list = [](const Value& v) { return std::holds_alternative<ValueArray>(v.held); };
  const auto first_of = [&](const Value& v) -> const Value* {
    return is_list(v) && !std::get<ValueArray>(v.held).empty() ? &std::get<ValueArray>(v.held).front() : nullptr;
  };
  const Value* first = first_of(*value);
  const Value* inner = first == nullptr ? nullptr : first_of(*first);
  if (inner == nullptr)
    return refuse(key, fmt::format("{} must be a list of strands [[[x, y, z], ...], ...], but it is {}", key,
                                   first == nullptr ? kind_name(*value) : "a list of something else"));
  // A single strand may stand without the outer list.
  const bool single = !is_list(*inner);
  const std::span<const Value> lines = single ? std::span(value, 1) : std::span(std::get<ValueArray>(value->held));
  for (const Value& line : lines) {
    if (!is_list(line))
      return refuse_at(line.place,
                       fmt::format("{} must hold lists of [x, y, z], but this is {}", key, kind_name(line)));
    auto& points = out.emplace_back();
    for (const Value& point : std::get<ValueArray>(line.held)) {
      const auto vector = read_vector(key, point, Dimension::length);
      if (!vector) return;
      points.push_back(*vector);
    }
  }
}

void TableReader::integer_or(std::string_view key, std::string_view word, std::string_view meaning, std::int64_t low,
                             std::int64_t high, std::optional<std::int64_t>& out) {
  read_integer(key, word, meaning, low, high, nullptr, &out);
}

void TableReader::read_integer(std::string_view key, std::string_view word, std::string_view meaning, std::int64_t low,
                               std::int64_t high, std::int64_t* number, std::optional<std::int64_t>* optional) {
  const std::optional<std::int64_t> fallback = number != nullptr ? *number : *optional;
  const std::string type = word.empty() ? "whole number" : fmt::format("whole number or '{}'", word);
  describe(key, type, "", fallback ? fmt::format("{}", *fallback) : fmt::format("'{}'", word), meaning);
  const Value* value = take(key);
  if (value == nullptr) return;
  const auto* text = std::get_if<std::string>(&value->held);
  if (optional != nullptr && text != nullptr && *text == word) return optional->reset();

  const auto* integer = std::get_if<std::int64_t>(&value->held);
  if (integer == nullptr)
    return refuse(key, fmt::format("{} must be a {}, but {} was given", key, type, given(*value)));
  if (*integer < low || *integer > high) {
    const std::string range = high == std::numeric_limits<std::int64_t>::max() ? fmt::format("at least {}", low)
                              : low == high                                    ? fmt::format("{}", low)
                                            : fmt::format("from {} to {}", low, high);
    return refuse(key, fmt::format("{} must be {}{}, but {} was given", key, range,
                                   word.empty() ? "" : fmt::format(" or '{}'", word), *integer));
  }
  if (number != nullptr)
    *number = *integer;
  else
    *optional = *integer;
}

bool TableReader::read_word(std::string_view key, std::string_view meaning,
                            std::span<const std::pair<std::string_view, bool>> words, std::size_t& chosen) {
  describe(key, joined(words, " | "), "", words[chosen].first, meaning);
  const Value* value = take(key);
  if (value == nullptr) return false;
  const auto* text = std::get_if<std::string>(&value->held);
  if (text == nullptr) {
    refuse(key, fmt::format("{} must be one of {}, but {} was given", key, joined(words, ", "), given(*value)));
    return false;
  }
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto& [name, built] = words[i];
    names.push_back(name);
    if (*text != name) continue;
    if (!built) {
      const auto choice = std::ranges::count_if(words, [](const auto& word) { return word.second; });
      refuse(key, fmt::format("{} '{}' is not built yet; there {} {}", key, name, choice == 1 ? "is" : "are",
                              joined(words, ", ")));
    }
    chosen = i;
    return built;
  }
  const std::string guess = nearest(*text, names);
  refuse(key, fmt::format("{} = '{}' is not one of {}{}", key, *text, joined(words, ", "),
                          guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)));
  return false;
}

std::string TableReader::name_of(std::string_view key, bool list) const {
  if (!name_.empty()) return fmt::format("{}.{}", name_, key);
  return list ? fmt::format("[[{}]]", key) : fmt::format("[{}]", key);
}

std::optional<TableReader> TableReader::table(std::string_view key, std::string_view meaning) {
  const std::string name = name_of(key, false);
  if (describing()) {
    context_->schema.push_back({name, "", "table", "", "", std::string(meaning)});
    return TableReader(*context_, nullptr, name);
  }
  const Value* value = take(key);
  if (value == nullptr) return std::nullopt;
  if (!std::holds_alternative<ValueTable>(value->held)) {
    refuse(key, fmt::format("{} must be a table, but it is {}", key, kind_name(*value)));
    return std::nullopt;
  }
  return TableReader(*context_, value, name);
}

std::vector<TableReader> TableReader::tables(std::string_view key, std::string_view meaning) {
  const std::string name = name_of(key, true);
  std::vector<TableReader> readers;
  if (describing()) {
    context_->schema.push_back({name, "", "list of tables", "", "", std::string(meaning)});
    readers.emplace_back(*context_, nullptr, name);
    return readers;
  }
  const Value* value = take(key);
  if (value == nullptr) return readers;
  if (std::holds_alternative<ValueTable>(value->held)) {
    readers.emplace_back(*context_, value, name);
    return readers;
  }
  const auto* list = std::get_if<ValueArray>(&value->held);
  if (list == nullptr) {
    refuse(key, fmt::format("{} must be a table or a list of tables, but it is {}", key, kind_name(*value)));
    return readers;
  }
  for (const Value& element : *list) {
    if (!std::holds_alternative<ValueTable>(element.held)) {
      refuse_at(element.place, fmt::format("{} must hold tables, but this is {}", key, kind_name(element)));
      return {};
    }
    readers.emplace_back(*context_, &element, name);
  }
  return readers;
}

const Value* TableReader::value(std::string_view key, std::string_view type, std::string_view meaning) {
  describe(key, type, "", "", meaning);
  return take(key);
}

void TableReader::not_built(std::string_view key) {
  if (const Entry* found = entry(key)) refuse_at(found->place, fmt::format("{} is not built yet", key));
}

void TableReader::missing(std::string_view key, std::string_view hint) {
  if (missing_.empty()) missing_ = fmt::format("{} is missing{}; {}", key, name_.empty() ? "" : " in " + name_, hint);
}

void TableReader::refuse(std::string_view key, const std::string& what) {
  if (describing()) return;
  const Entry* found = entry(key);
  refuse_at(found == nullptr ? table_->place : found->value.place, what);
}

void TableReader::refuse_at(const Place& place, const std::string& what) {
  if (!describing() && !failed()) context_->error = Error{context_->document->where(place), what};
}

void TableReader::finish() {
  if (describing() || failed()) return;
  const Entry* first = nullptr;
  const auto order = [](const Place& p) { return std::tuple(p.source, p.line, p.column); };
  for (const Entry& next : std::get<ValueTable>(table_->held))
    if (!known_.contains(next.key) && (first == nullptr || order(next.place) < order(first->place))) first = &next;
  if (first == nullptr && missing_.empty()) return;
  if (first == nullptr) return refuse_at(table_->place, missing_);
  const std::string guess = nearest(first->key, known_);
  refuse_at(first->place,
            fmt::format("unknown key '{}'{}{}", first->key, name_.empty() ? "" : fmt::format(" in {}", name_),
                        guess.empty() ? "" : fmt::format("; did you mean '{}'?", guess)));
}

}  // namespace tendril
