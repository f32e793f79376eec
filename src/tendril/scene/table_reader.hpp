// A strict reader of one table of a scene. Each call reads one key into a variable that holds its default, and says in
// a few words what the key means; finish() then refuses every key that nobody asked for. The first error wins: it is
// kept in the ReadContext, and after it all calls leave their variables alone. The same calls describe the format: a
// reader without a document records key, type, unit, default and meaning of every key it is asked for, and takes every
// branch. So the schema cannot differ from what is read.
#pragma once

#include <Eigen/Core>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/scene/document.hpp"
#include "tendril/scene/quantity.hpp"

namespace tendril {

struct SchemaLine {
  std::string table;     // "[run]", "[[strands]].material"
  std::string key;       // empty: a line about the table itself
  std::string type;      // "length", "whole number", "'euler' | 'bdf2'"
  std::string unit;      // of plain numbers; empty if there is none
  std::string fallback;  // empty: none
  std::string meaning;
};

struct ReadContext {
  const Document* document = nullptr;  // nullptr: describe
  std::optional<Error> error;          // the first one
  std::vector<SchemaLine> schema;      // what was described
};

// Values that a key may have; the ends belong to it unless said otherwise.
struct Interval {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool above_low = false;  // low itself is excluded
};
inline constexpr Interval any_number{};
inline constexpr Interval positive{0.0, std::numeric_limits<double>::infinity(), true};
inline constexpr Interval not_negative{0.0, std::numeric_limits<double>::infinity(), false};

// A word that a key may have. One that is not built yet is refused by name.
template <class E>
struct Word {
  std::string_view name;
  E value;
  bool built = true;
};

class TableReader {
 public:
  // `table` holds a table, or is nullptr to describe; `name` stands in messages.
  TableReader(ReadContext& context, const Value* table, std::string name);

  bool describing() const { return context_->document == nullptr; }
  bool failed() const { return context_->error.has_value(); }
  const std::string& name() const { return name_; }

  bool has(std::string_view key) const;
  // For keys of several forms: which one was written. A describing reader says yes to both.
  bool is_table(std::string_view key) const;
  bool is_text(std::string_view key) const;
  bool is_list(std::string_view key) const;
  bool is_plain(std::string_view key) const;  // present, and neither table nor list
  bool is_table_with(std::string_view key, std::string_view inner) const;

  void text(std::string_view key, std::string_view meaning, std::string& out);
  void boolean(std::string_view key, std::string_view meaning, bool& out);
  void number(std::string_view key, std::string_view meaning, Interval allowed, double& out);
  void quantity(std::string_view key, std::string_view meaning, Dimension dimension, Interval allowed, double& out);
  void quantity(std::string_view key, std::string_view meaning, Dimension dimension, Interval allowed,
                std::optional<double>& out);
  // A quantity, or the one word that stands for "nothing" in `out`.
  void quantity_or(std::string_view key, std::string_view word, std::string_view meaning, Dimension dimension,
                   Interval allowed, std::optional<double>& out);
  void vector3(std::string_view key, std::string_view meaning, Dimension dimension, Eigen::Vector3d& out);
  void vector3(std::string_view key, std::string_view meaning, Dimension dimension,
               std::optional<Eigen::Vector3d>& out);

  // A list of exactly so many plain numbers as `out` has.
  void numbers(std::string_view key, std::string_view meaning, std::span<double> out);

  // A list of polylines [[[x, y, z], ...], ...] in metres, or a single one; all numbers are finite.
  void polylines(std::string_view key, std::string_view meaning, std::vector<std::vector<Eigen::Vector3d>>& out);

  template <std::integral I>
  void integer(std::string_view key, std::string_view meaning, I low, I high, I& out) {
    auto value = static_cast<std::int64_t>(out);
    read_integer(key, {}, meaning, static_cast<std::int64_t>(low), static_cast<std::int64_t>(high), &value, nullptr);
    out = static_cast<I>(value);
  }
  // A whole number, or the one word that stands for "nothing" in `out`.
  void integer_or(std::string_view key, std::string_view word, std::string_view meaning, std::int64_t low,
                  std::int64_t high, std::optional<std::int64_t>& out);

  template <class E, std::size_t N>
  void word(std::string_view key, std::string_view meaning, const Word<E> (&words)[N], E& out) {
    word<E>(key, meaning, std::span<const Word<E>>(words), out);
  }
  template <class E>
  void word(std::string_view key, std::string_view meaning, std::span<const Word<E>> words, E& out) {
    std::vector<std::pair<std::string_view, bool>> names;
    std::size_t chosen = 0;
    for (const Word<E>& w : words) {
      if (w.value == out && w.built) chosen = names.size();
      names.emplace_back(w.name, w.built);
    }
    if (read_word(key, meaning, names, chosen)) out = words[chosen].value;
  }

  // A table inside this one; nothing if the key is absent.
  std::optional<TableReader> table(std::string_view key, std::string_view meaning);
  // A list of tables, or a single table in place of a list of one.
  std::vector<TableReader> tables(std::string_view key, std::string_view meaning);
  // The bare value of a key of a form of its own, for which the caller answers; nullptr if it is absent.
  const Value* value(std::string_view key, std::string_view type, std::string_view meaning);

  // Refuses a key of a later feature by name: "contact is not built yet".
  void not_built(std::string_view key);
  // "<key> is missing in [run]; <hint>". Said by finish(), for a misspelt key is the better complaint.
  void missing(std::string_view key, std::string_view hint);
  // At the key's value, or at the table if the key is absent.
  void refuse(std::string_view key, const std::string& what);
  void refuse_at(const Place& place, const std::string& what);
  // Refuses the first key that was not asked for, then what is missing.
  void finish();

 private:
  const Entry* entry(std::string_view key) const;  // nullptr if absent
  const Value* take(std::string_view key);         // nullptr if absent or after an error; the key is then known
  template <class T>
  bool holds(std::string_view key) const;
  void describe(std::string_view key, std::string_view type, std::string_view unit, std::string_view fallback,
                std::string_view meaning);
  void read_integer(std::string_view key, std::string_view word, std::string_view meaning, std::int64_t low,
                    std::int64_t high, std::int64_t* number, std::optional<std::int64_t>* optional);
  bool read_word(std::string_view key, std::string_view meaning,
                 std::span<const std::pair<std::string_view, bool>> words, std::size_t& chosen);
  std::optional<Eigen::Vector3d> read_vector(std::string_view key, const Value& value, Dimension dimension);
  std::optional<double> read_quantity(std::string_view key, const Value& value, Dimension dimension, Interval allowed);
  std::string name_of(std::string_view key, bool list) const;

  ReadContext* context_;
  const Value* table_;
  std::string name_;
  std::set<std::string, std::less<>> known_;
  std::string missing_;  // the first complaint of that kind
};

}  // namespace tendril
