#include "tendril/io/usda_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

namespace tendril::usda {
namespace {

constexpr int deepest = 64;  // of prims, tuples and dictionaries in each other
// A word, a prim, an attribute and a key of metadata take far more memory than their letters do: in the whole file.
constexpr std::size_t most_words = 1'000'000, most_prims = 100'000, most_attributes = 100'000, most_keys = 100'000;
constexpr std::size_t most_attributes_of_a_prim = 5'000;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool starts_number(char c) { return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == ':' || c == '.'; }

class Parser {
 public:
  Parser(std::string_view text, const std::string& name, double time) : text_(text), name_(name), time_(time) {}

  Result<Stage> operator()() {
    Stage stage;
    if (!text_.starts_with("#usda 1.0"))
      return Error{name_, "is not a USD text file: it does not begin with #usda 1.0"};
    skip_comment();
    if (peek() == '(') metadata(stage.metadata, nullptr);
    while (!failed_ && peek() != '\0')
      if (!prim(stage.prims, 0)) fail("expected def, over or class");
    if (failed_) return error_;
    return stage;
  }

 private:
  // ---- characters ----

  // The next character that counts; '\0' at the end.
  char peek() {
    while (at_ < text_.size()) {
      if (text_[at_] == '\n') ++line_;
      if (is_blank(text_[at_]) || text_[at_] == ';')
        ++at_;
      else if (text_[at_] == '#')
        skip_comment();
      else
        return text_[at_] == '\0' ? (fail("has a zero byte"), '\0') : text_[at_];
    }
    return '\0';
  }
  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }
  bool take(char c) {
    if (failed_ || peek() != c) return false;
    ++at_;
    return true;
  }
  bool expect(char c, const char* where) {
    if (take(c)) return true;
    return fail(fmt::format("expected '{}' {}", c, where));
  }
  bool fail(const std::string& what) {
    if (!failed_) error_ = {fmt::format("{}:{}", name_, line_), what};
    failed_ = true;
    return false;
  }

  std::string_view name() {
    if (failed_ || !is_letter(peek())) return {};
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    if (text_.substr(at_).starts_with("[]")) at_ += 2;  // of an array type
    return text_.substr(begin, at_ - begin);
  }
  // Looks at the next name without taking it.
  std::string_view next_name() {
    const std::size_t at = at_, line = line_;
    const std::string_view found = name();
    at_ = at, line_ = line;
    return found;
  }

  bool quoted(std::string& out) {
    const char quote = peek();
    const std::string_view rest = text_.substr(at_);
    const std::string end(rest.size() >= 3 && rest[1] == quote && rest[2] == quote ? 3 : 1, quote);
    for (at_ += end.size(); at_ < text_.size(); ++at_) {
      if (text_[at_] == '\n') {
        if (end.size() == 1) return fail("a string is not closed on its line");
        ++line_;
      }
      if (text_.substr(at_).starts_with(end)) return at_ += end.size(), true;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) ++at_;
      out += text_[at_];
    }
    return fail("a string is not closed");
  }
  bool enclosed(char end, std::string& out) {
    const std::string mark(text_.substr(at_).starts_with("@@@") ? 3 : 1, end);
    const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
    const std::size_t close = line.find(mark, mark.size());
    if (close == std::string_view::npos) return fail(fmt::format("expected '{}' on this line", mark));
    out = line.substr(mark.size(), close - mark.size());
    at_ += close + mark.size();
    return true;
  }
  // From '{' or '(' to the bracket that closes it.
  bool skip_brackets() {
    const char begin = peek(), end = begin == '{' ? '}' : ')';
    int open = 0;
    do {
      const char c = peek();
      std::string ignored;
      if (c == '\0') return fail(fmt::format("a '{}' is not closed", begin));
      if (c == '"' || c == '\'') {
        if (!quoted(ignored)) return false;
        continue;
      }
      if (c == '@') {
        if (!enclosed('@', ignored)) return false;
        continue;
      }
      open += c == begin ? 1 : c == end ? -1 : 0;
      ++at_;
    } while (open > 0);
    return true;
  }

  // ---- values ----

  bool number(double& out) {
    const std::size_t begin = at_ + (text_[at_] == '+' ? 1 : 0);
    const char *first = text_.data() + begin, *last = text_.data() + text_.size();
    const auto [end, fault] = std::from_chars(first, last, out);
    if (end == first || (fault != std::errc() && fault != std::errc::result_out_of_range))
      return fail("expected a number");
    if (fault == std::errc::result_out_of_range) return fail("a number is too large or too small");
    if (!std::isfinite(out)) return fail("a number is not finite");  // "-inf"
    at_ = std::size_t(end - text_.data());
    return true;
  }

  bool add_word(std::string word, Value& out) {
    if (++words_ > most_words) return fail(fmt::format("has more than {} words in its values", most_words));
    out.words.push_back(std::move(word));
    return true;
  }

  bool value(Value& out) {
    if (!value(out, 0)) return false;
    out.numbers.shrink_to_fit(), out.words.shrink_to_fit();  // it is kept while the rest is read
    return true;
  }

  bool value(Value& out, int depth) {
    const char c = peek();
    if (depth > deepest) return fail("brackets are too deep in each other");
    if (c == '(' || c == '[') return sequence(c == '(' ? ')' : ']', out, depth);
    if (c == '{') return skip_brackets();
    std::string word;
    if (c == '"' || c == '\'') return quoted(word) && add_word(std::move(word), out);
    if (c == '@') {  // a file that is referred to, with a prim in it and a shift in time: @a.usda@</Body> (offset = 10)
      std::string prim;
      return enclosed('@', word) && add_word(std::move(word), out) && (peek() != '<' || enclosed('>', prim)) &&
             (peek() != '(' || skip_brackets());
    }
    if (c == '<') return enclosed('>', word) && add_word(std::move(word), out);
    if (starts_number(c)) return number(out.numbers.emplace_back());
    const std::string_view found = name();
    if (found.empty()) return fail("expected a value");
    if (found == "True" || found == "true") return out.numbers.push_back(1.0), true;
    if (found == "False" || found == "false") return out.numbers.push_back(0.0), true;
    if (found == "None") return true;
    if (found == "inf" || found == "nan") return fail("a number is not finite");
    return add_word(std::string(found), out);
  }

  bool sequence(char end, Value& out, int depth) {
    ++at_;
    while (!take(end)) {
      if (!value(out, depth + 1)) return false;
      if (take(',')) continue;
      return expect(end, "or ',' after an element");
    }
    return true;
  }

  // "{ time: value, ... }" of which one is kept.
  bool samples(Value& out) {
    if (!expect('{', "before time samples")) return false;
    double kept = std::numeric_limits<double>::infinity();
    while (!take('}')) {
      double time = 0.0;
      if (!starts_number(peek())) return fail("expected the time of a sample");
      Value sample;
      if (!number(time) || !expect(':', "after the time of a sample") || !value(sample)) return false;
      const bool better = time <= time_ ? kept > time_ || time > kept : time < kept && kept > time_;
      if (better) kept = time, out = std::move(sample);
      if (take(',')) continue;
      return expect('}', "or ',' after a time sample");
    }
    return true;
  }

  bool count_key() { return ++keys_ <= most_keys || fail(fmt::format("has more than {} keys of metadata", most_keys)); }

  // "type key =" in a dictionary
  bool dictionary_key(std::string& key) {
    if (name().empty()) return fail("expected the type of an entry, or '}'");
    if (peek() == '"' || peek() == '\'') {
      if (!quoted(key)) return false;
    } else {
      key = name();
    }
    if (key.empty()) return fail("expected the name of an entry");
    return expect('=', "after the name of an entry") && count_key();
  }

  // "{ dictionary set = { type key = value ... } ... }"; what is no dictionary is no set.
  bool clip_sets(std::map<std::string, Metadata, std::less<>>& out) {
    for (++at_; !take('}');) {
      std::string set;
      Value ignored;
      if (!dictionary_key(set)) return false;
      if (peek() != '{') {
        if (!value(ignored)) return false;
        continue;
      }
      Metadata& entries = out[set];
      for (++at_; !take('}');) {
        std::string key;
        Value found;
        if (!dictionary_key(key) || !value(found)) return false;
        entries.insert_or_assign(std::move(key), std::move(found));
      }
    }
    return true;
  }

  // "( key = value ... )"; a bare string is a comment.
  bool metadata(Metadata& out, Prim* owner) {
    ++at_;
    while (!take(')')) {
      if (failed_) return false;
      std::string comment;
      if (peek() == '"' || peek() == '\'') {
        if (!quoted(comment)) return false;
        continue;
      }
      std::string_view key = name();
      for (std::string_view next = next_name(); !next.empty(); next = next_name())
        key = name();  // "prepend references"
      if (key.empty()) return fail("expected a key or ')'");
      if (!expect('=', "after a key")) return false;
      if (!count_key()) return false;
      if (key == "clips" && owner != nullptr && peek() == '{') {
        if (!clip_sets(owner->clips)) return false;
      } else {
        Value found;
        if (!value(found)) return false;
        out.insert_or_assign(std::string(key), std::move(found));
      }
      take(',');
    }
    return true;
  }

  // ---- prims ----

  // False if there is none here.
  bool prim(std::vector<Prim>& siblings, int depth) {
    const std::string_view specifier = next_name();
    if (specifier != "def" && specifier != "over" && specifier != "class") return false;
    Prim made;
    made.line = line_;
    if (++prims_ > most_prims) return fail(fmt::format("has more than {} prims", most_prims)), true;
    made.defined = name() == "def";
    made.type = name();
    if (depth > deepest) return fail("prims are too deep in each other"), true;
    if (peek() != '"' && peek() != '\'') return fail("expected the prim's name in quotes"), true;
    if (!quoted(made.name)) return true;
    if (peek() == '(' && !metadata(made.metadata, &made)) return true;
    if (!expect('{', "before the prim's contents")) return true;
    while (!failed_ && !take('}'))
      if (!prim(made.children, depth + 1) && !property(made)) break;
    siblings.push_back(std::move(made));
    return true;
  }

  // "[qualifiers] type name[.timeSamples] [= value] [( metadata )]"
  bool property(Prim& owner) {
    Attribute attribute;
    attribute.line = line_;
    std::string_view word = name();
    while (word == "custom" || word == "uniform" || word == "varying" || word == "prepend" || word == "append" ||
           word == "add" || word == "delete" || word == "config")
      word = name();
    if (word.empty()) return fail("expected an attribute, a prim or '}'");
    if (word == "variantSet") {
      std::string ignored;
      return (peek() == '"' || peek() == '\'' || fail("expected the name of the variants")) && quoted(ignored) &&
             expect('=', "after the name of the variants") &&
             (peek() == '{' ? skip_brackets() : fail("expected '{' before variants"));
    }
    attribute.type = word;
    attribute.name = name();
    if (attribute.name.empty()) return fail("expected the name of an attribute");
    const bool sampled = attribute.name.ends_with(".timeSamples");
    if (sampled) attribute.name.resize(attribute.name.size() - std::string_view(".timeSamples").size());
    if (take('=') && !(sampled ? samples(attribute.value) : value(attribute.value))) return false;
    if (peek() == '(' && !metadata(attribute.metadata, nullptr)) return false;
    if (failed_) return false;
    if (++attributes_ > most_attributes || owner.attributes.size() == most_attributes_of_a_prim)
      return fail("has more attributes than any groom needs");
    keep(std::move(attribute), owner);
    return true;
  }

  // Time samples come beside a default value or metadata of the same name: what is new counts.
  static void keep(Attribute attribute, Prim& owner) {
    const auto same = std::ranges::find(owner.attributes, attribute.name, &Attribute::name);
    if (same == owner.attributes.end()) return owner.attributes.push_back(std::move(attribute));
    if (!attribute.value.numbers.empty() || !attribute.value.words.empty()) same->value = std::move(attribute.value);
    same->metadata.merge(attribute.metadata);
  }

  std::string_view text_;
  const std::string& name_;
  const double time_;  // of the samples
  std::size_t at_ = 0, line_ = 1, words_ = 0, prims_ = 0, attributes_ = 0, keys_ = 0;
  bool failed_ = false;
  Error error_;
};

}  // namespace

const std::string& Value::word() const {
  static const std::string none;
  return words.empty() ? none : words.front();
}

const Attribute* Prim::attribute(std::string_view wanted) const {
  const auto found = std::ranges::find(attributes, wanted, &Attribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

Result<Stage> parse(std::string_view text, const std::string& name, double time) { return Parser(text, name, time)(); }

}  // namespace tendril::usda
