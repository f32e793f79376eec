// A scene file as a tree of plain values, each with the place where it was written, so that every later complaint can
// name file, line and column. The text is TOML; document.cpp is the only file that knows the TOML library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril {

struct Place {
  std::uint32_t source = 0;            // in Document::sources
  std::uint32_t line = 0, column = 0;  // from 1; 0 = the source has no lines
};

struct Value;
struct Entry;
using ValueArray = std::vector<Value>;
using ValueTable = std::vector<Entry>;

struct Value {
  std::variant<bool, std::int64_t, double, std::string, ValueArray, ValueTable> held;
  Place place;
};

struct Entry {
  std::string key;
  Place place;  // of the key
  Value value;
};

const Entry* find(const ValueTable& table, std::string_view key);  // nullptr if there is none
std::string_view kind_name(const Value& value);                    // "a text", "a whole number", ...

struct Document {
  Value root{ValueTable{}, {}};
  std::vector<std::string> sources;  // file name first, then one per override

  std::string where(const Place& place) const;  // "scene.toml:12:3", "--set run.fps=24"
};

Result<Document> parse_document(std::string_view text, const std::string& filename);

// The document as TOML that reads back the same, overrides included. Sorted: keys of a table by name, so that documents
// that say the same in another order have the same text.
std::string to_toml(const Document& document, bool sorted = false);

// One `--set` of the command line: "strands.0.material.young=2 GPa" replaces or adds the value of a key. Parts of the
// path are keys, or indices (from 0) of things that exist in an array. A value that is not TOML is taken as a text, for
// the shell has removed the quotes.
Status override_value(const std::string& assignment, Document& document);

}  // namespace tendril
