// The analytic benchmarks: strands whose answer is known in closed form (docs/theory/benchmarks.md), run at several
// refinements and judged by the error of the finest one and by the observed order of convergence.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/der/description.hpp"

namespace tendril::validation {

// What is put to the test.
struct Model {
  std::string name = "der";
  // Changes the description of every strand before it is built. Tests put errors into the model with it and see that
  // the benchmarks find them; empty: the model as it is.
  std::function<void(der::Description&)> alter = {};
};

struct Refinement {
  int n = 0;  // edges, edges per turn or steps, as the quantity says
  double value = 0.0, error = 0.0;
};

// One quantity of one case.
struct CaseResult {
  std::string name;      // of the case, "B2-tip-load"
  std::string quantity;  // "drop/L, alpha = 2, hair"
  std::string unit;      // "" for none
  double exact = 0.0, ours = 0.0;
  double error = 0.0, error_relative = 0.0;  // |ours - exact|, and that over |exact|
  std::optional<double> order;  // observed between the two finest; none: not expected, or lost in round-off
  std::optional<double>
      expected_order;      // none: the quantity does not depend on the refinement, or only its size counts
  double tolerance = 0.0;  // on error_relative, or on error where exact is 0
  bool pass = false;
  std::vector<Refinement> refinements;  // the last one is the finest, and `ours`
};

// A set-up that gives one or more quantities. Its name is the family of the benchmark (B1 ... B11) and what it is.
struct Case {
  std::string name;
  std::function<std::vector<CaseResult>()> run;
};

// The cases that apply to a model; an error if there is no such model.
Result<std::vector<Case>> validation_cases(const Model& model = {});

// The cases of these names or families ("B3", "B3-euler"), in the order of `cases`; none named: all. An error if a name
// fits nothing.
Result<std::vector<Case>> choose(std::vector<Case> cases, std::span<const std::string> names);

// All quantities, in the order of the cases, which run in parallel. `done` hears of every case that has ended, one at a
// time, from any thread.
std::vector<CaseResult> run(std::span<const Case> cases, const std::function<void(const Case&)>& done = {});

// The report as JSON: {"model", "cases": [...], "passed", "failed"}; what is not a number is null.
std::string report_text(const Model& model, std::span<const CaseResult> results);

}  // namespace tendril::validation
