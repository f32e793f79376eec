// tendril validate: the analytic benchmarks as a table; success only if all pass.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "commands.hpp"
#include "progress.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/sim/validation.hpp"

namespace tendril::app {
namespace {

using validation::CaseResult;

struct ValidateCommand {
  std::string model = "der";
  std::vector<std::string> cases;
  std::string report;
  bool quiet = false;
};

// A wrong name is a wrong command line.
template <class T>
T or_misused(Result<T> result) {
  if (!result) throw CommandFailed{result.error(), usage_error};
  return std::move(result.value());
}

std::string order_text(const CaseResult& r) {
  if (!r.expected_order) return "";
  return r.order ? fmt::format("{:.2f} ({:g})", *r.order, *r.expected_order) : "round-off";
}

void print(const std::vector<CaseResult>& results) {
  const auto quantity_text = [](const CaseResult& r) {
    return r.unit.empty() ? r.quantity : fmt::format("{} [{}]", r.quantity, r.unit);
  };
  std::size_t name = 0, quantity = 0;
  for (const CaseResult& r : results)
    name = std::max(name, r.name.size()), quantity = std::max(quantity, quantity_text(r).size());
  fmt::print("{:{}}  {:{}}  {:>15}  {:>15}  {:>8}  {:>8}  {:>9}  {}\n", "case", name, "quantity", quantity, "exact",
             "ours", "error", "allowed", "order", "verdict");
  for (const CaseResult& r : results)
    fmt::print("{:{}}  {:{}}  {:>15.9g}  {:>15.9g}  {:>8.1e}  {:>8.1e}  {:>9}  {}\n", r.name, name, quantity_text(r),
               quantity, r.exact, r.ours, r.error_relative, r.tolerance, order_text(r), r.pass ? "pass" : "FAIL");
}

void validate(const ValidateCommand& command) {
  const validation::Model model{command.model};
  const std::vector<validation::Case> cases =
      or_misused(validation::choose(or_misused(validation::validation_cases(model)), command.cases));
  const Timer timer;
  std::vector<CaseResult> results;
  {
    Progress progress("validate", command.quiet);
    int done = 0;
    results = validation::run(
        cases, [&](const validation::Case&) { progress.show(++done, int(cases.size()), timer.seconds()); });
  }
  if (!command.report.empty()) or_fail(write_file(command.report, validation::report_text(model, results)));

  const auto passed = std::size_t(std::ranges::count_if(results, &CaseResult::pass));
  if (!command.quiet) {
    print(results);
    fmt::print(
        "\nErrors are relative, or absolute where the exact value is 0; behind an order stands the expected one.\n");
    fmt::print("{} of {} passed in {}.\n", passed, results.size(), duration_text(timer.seconds()));
  }
  if (passed < results.size())
    throw CommandFailed{
        {"validate", fmt::format("{} of {} quantities are wrong", results.size() - passed, results.size())}};
}

}  // namespace

void add_validate_command(CLI::App& app) {
  auto options = std::make_shared<ValidateCommand>();
  CLI::App* command = app.add_subcommand("validate", "Compare a strand model with analytic solutions");
  command->footer("Example: tendril validate --case B2 --case B3-euler --report validation.json");
  command->add_option("--model", options->model, "The strand model: der, der-inextensible, superhelix, corde or chain")
      ->capture_default_str();
  command->add_option("--case", options->cases, "A case (B3-euler) or a family of cases (B3); may be repeated");
  command->add_option("--report", options->report, "Write all numbers to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { validate(*options); });
}

}  // namespace tendril::app
