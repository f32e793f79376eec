// A value that varies along strands and from strand to strand, such as radius or stiffness: from a file, or from an
// attribute of the groom.
//
// The file is CSV text. Empty lines and lines that begin with # are skipped. The first other line is one of the headers
//   position,value            along every strand: 0 at the root, 1 at the tip, a share of the length; linear in between
//   strand,value              one value per strand; the index counts from 0
//   strand,position,value     both
// and each line after it has these numbers, in SI units. Valid is a file with at least one line of finite numbers,
// positions from 0 to 1 that ascend along each strand, and indices that ascend. A strand that the file does not name
// keeps the value that it would have without the map.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/io/groom.hpp"

namespace tendril {

struct ValueMap {
  struct Row {
    std::size_t strand = 0;
    double position = 0.0, value = 0.0;
  };
  std::string attribute;  // of the groom; empty: the rows count
  bool per_strand = false;
  std::vector<Row> rows;  // ascending by strand, then by position
  double scale = 1.0;     // factor on all values
  bool complete = false;  // there is nothing else that a strand could have: the map must name all
};

Result<ValueMap> parse_value_map(std::string_view text, const std::string& filename);
Result<ValueMap> read_value_map(const std::filesystem::path& path);

// Linear from root to tip.
ValueMap taper(double root, double tip);

// The value of every vertex; `values` holds what strands without one in the map keep. Refuses an attribute that is not
// there, strands that do not exist and values that are not positive.
Status apply(const ValueMap& map, const Groom& groom, const std::string& what, std::vector<double>& values);

}  // namespace tendril
