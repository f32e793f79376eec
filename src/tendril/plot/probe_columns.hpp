// The file of a probe, probes/NAME.csv of a run: a header "frame,time [s],fx [N],...", then a line of numbers per
// frame. A last line without its end is one that is still being written, and is left out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tendril::plot {

struct ProbeColumns {
  struct Column {
    std::string name, unit;
    std::vector<double> values;  // all columns have the same length; what is no number is a NaN
  };
  std::string name;
  std::vector<Column> columns;
};

ProbeColumns parse_probe(std::string_view text, std::string name);

}  // namespace tendril::plot
