// What is in a report (docs/runs.md): of a run, a benchmark, a validation, or a list of claims that were reproduced.
// One shape for all: what a report lacks, or has in another type than expected, is empty here. So pages of old, new and
// damaged reports need no special cases.
#pragma once

#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/plot/probe_columns.hpp"

namespace tendril::plot {

inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

// "worst_strands" of a run.
struct WorstStrand {
  std::string set;
  double strand = unknown, frame = unknown;
  double stretch = unknown, curvature = unknown, speed = unknown;  // -, [1/m], [m/s]
};

// "bars" of a benchmark: what it measured and what it had to reach.
struct Bar {
  std::string name;
  double value = unknown, bound = unknown;
  std::optional<bool> holds;
};

// "cases" of a validation: a computed quantity against its exact value.
struct Case {
  std::string name, quantity, unit;
  double exact = unknown, ours = unknown, error_relative = unknown, tolerance = unknown;
  double order = unknown, expected_order = unknown;
  std::optional<bool> pass;
  std::vector<double> resolutions, errors;  // of its refinements
};

// A number of a paper beside ours; numbers and ranges come as text.
struct Claim {
  std::string id, paper, ours, required;
  std::optional<bool> held;
};

using FrameColumn = std::pair<std::string, std::vector<double>>;

struct Report {
  std::string file;                          // as the user named it
  std::map<std::string, double> numbers;     // of the top level: "steps", "dt", ...
  std::map<std::string, std::string> texts;  // "name", "hash", ...
  std::vector<std::string> notes;
  std::vector<std::pair<std::string, double>> repairs, stages;  // what was mended; seconds per stage
  std::vector<FrameColumn> frames;  // of "frame_records" by key, of equal length; what a frame lacks is unknown
  std::vector<WorstStrand> worst;
  std::vector<Bar> bars;
  std::vector<Case> cases;
  std::vector<Claim> claims;
  std::vector<ProbeColumns> probes;  // not in the report but beside it

  bool is_run() const;
  double number(const std::string& key) const;     // unknown if it is not there
  std::string text(const std::string& key) const;  // empty if it is not there
  const std::vector<double>* frame_column(std::string_view key) const;
};

// An error if the text is not JSON, or no report of any kind.
Result<Report> parse_report(std::string_view text, const std::string& file);

// A report file, or the folder of a run with its probes.
Result<Report> read_report(const std::filesystem::path& path);

}  // namespace tendril::plot
