// The syntax of USD's text files, as far as curves need it: a tree of prims with their attributes. Numbers of tuples
// and lists are kept flat; relations, variants and dictionaries are checked for their brackets and left out, but for
// the sets of value clips of a prim. Of time samples one is kept.
#pragma once

#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril::usda {

struct Value {
  std::vector<double> numbers;     // True is 1, False is 0
  std::vector<std::string> words;  // strings, tokens, assets and paths

  const std::string& word() const;  // the first one; empty if there is none
};

using Metadata = std::map<std::string, Value, std::less<>>;

struct Attribute {
  std::string type, name;  // "point3f[]", "primvars:groom_id"
  Value value;
  Metadata metadata;
  std::size_t line = 0;
  std::string layer;  // the file with its value, if that is another than the prim's
};

struct Prim {
  std::string type, name;  // "BasisCurves", "hair"; an `over` may have no type
  bool defined = false;    // by `def`; `class` and `over` describe, they do not put anything on the stage
  Metadata metadata;
  std::map<std::string, Metadata, std::less<>> clips;  // what is said of value clips, by the names of their sets
  std::vector<Attribute> attributes;
  std::vector<Prim> children;
  std::size_t line = 0;

  const Attribute* attribute(std::string_view wanted) const;  // nullptr if there is none
};

struct Stage {
  Metadata metadata;
  std::vector<Prim> prims;
};

// Of time samples the last one up to `time` is kept, and the earliest one if there is none.
Result<Stage> parse(std::string_view text, const std::string& name,
                    double time = -std::numeric_limits<double>::infinity());

}  // namespace tendril::usda
