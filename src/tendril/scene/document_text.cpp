// Writing a document back as TOML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/scene/document.hpp"

namespace tendril {
namespace {

bool is_bare(const std::string& key) {
  return !key.empty() && std::ranges::all_of(key, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      out += {'\\', c};
    else if (code < 0x20 || code == 0x7f)
      out += fmt::format("\\u{:04X}", unsigned{code});
    else
      out += c;
  }
  return out + '"';
}

std::string key_text(const std::string& key) { return is_bare(key) ? key : quoted(key); }

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  const std::string text = fmt::format("{}", value);
  return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
}

class Writer {
 public:
  explicit Writer(bool sorted) : sorted_(sorted) {}

  // Plain keys first: in TOML they would belong to the section before otherwise.
  std::string whole(const ValueTable& root) const {
    std::string plain, sections;
    for (const Entry* entry : in_order(root)) {
      const auto* table = std::get_if<ValueTable>(&entry->value.held);
      const auto* array = std::get_if<ValueArray>(&entry->value.held);
      if (table != nullptr)
        sections += fmt::format("\n[{}]\n{}", key_text(entry->key), lines(*table));
      else if (array != nullptr && !array->empty() && std::ranges::all_of(*array, is_table))
        for (const Value& element : *array)
          sections += fmt::format("\n[[{}]]\n{}", key_text(entry->key), lines(std::get<ValueTable>(element.held)));
      else
        plain += line(*entry);
    }
    return plain + sections;
  }

 private:
  static bool is_table(const Value& value) { return std::holds_alternative<ValueTable>(value.held); }

  std::vector<const Entry*> in_order(const ValueTable& table) const {
    std::vector<const Entry*> entries;
    for (const Entry& entry : table) entries.push_back(&entry);
    if (sorted_) std::ranges::sort(entries, {}, [](const Entry* e) -> const std::string& { return e->key; });
    return entries;
  }
  std::string line(const Entry& entry) const {
    return fmt::format("{} = {}\n", key_text(entry.key), text(entry.value));
  }
  std::string lines(const ValueTable& table) const {
    std::string out;
    for (const Entry* entry : in_order(table)) out += line(*entry);
    return out;
  }

  std::string text(const Value& value) const {
    if (const auto* flag = std::get_if<bool>(&value.held)) return *flag ? "true" : "false";
    if (const auto* whole_number = std::get_if<std::int64_t>(&value.held)) return std::to_string(*whole_number);
    if (const auto* number = std::get_if<double>(&value.held)) return number_text(*number);
    if (const auto* words = std::get_if<std::string>(&value.held)) return quoted(*words);
    std::string out;
    if (const auto* array = std::get_if<ValueArray>(&value.held)) {
      for (const Value& element : *array) out += (out.empty() ? "" : ", ") + text(element);
      return "[" + out + "]";
    }
    for (const Entry* entry : in_order(std::get<ValueTable>(value.held)))
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", key_text(entry->key), text(entry->value));
    return "{ " + out + " }";
  }

  bool sorted_;
};

}  // namespace

std::string to_toml(const Document& document, bool sorted) {
  return Writer(sorted).whole(std::get<ValueTable>(document.root.held));
}

}  // namespace tendril
