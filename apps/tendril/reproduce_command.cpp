// tendril reproduce: the experiments of papers, done again.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "experiments/experiment.hpp"
#include "progress.hpp"
#include "tendril/base/text.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/plot/page.hpp"

namespace tendril::app {
namespace {

using experiments::Claim;
using experiments::Experiment;
using experiments::Findings;

struct ReproduceCommand {
  std::vector<std::string> ids;
  std::string data, out, report;
  bool list = false, quiet = false;
};

// "sagfree" stands for all of that paper.
std::vector<const Experiment*> chosen(const ReproduceCommand& command) {
  std::vector<const Experiment*> found;
  std::vector<std::string> names;
  for (const Experiment& experiment : experiments::all()) names.emplace_back(experiment.id);
  for (const std::string& id : command.ids) {
    const std::size_t before = found.size();
    for (const Experiment& experiment : experiments::all())
      if (experiment.id == id || experiment.id.starts_with(id + "/")) found.push_back(&experiment);
    if (found.size() == before)
      throw CommandFailed{
          {id, fmt::format("is no experiment{}; tendril reproduce --list has them", did_you_mean(id, names))},
          usage_error};
  }
  if (command.ids.empty())
    for (const Experiment& experiment : experiments::all()) found.push_back(&experiment);
  return found;
}

void print(const Experiment& experiment, const Findings& findings) {
  fmt::print("{}: {}\n", experiment.id, experiment.title);
  for (const Claim& claim : findings.claims)
    fmt::print("  {:4} {}\n       paper: {}\n       ours: {}\n       required: {}\n", claim.held ? "held" : "NOT",
               claim.what, claim.paper, claim.ours, claim.required);
  for (const std::string& note : findings.notes) fmt::print("  note: {}\n", note);
}

void add_section(const Experiment& experiment, const Findings& findings, plot::Page& page) {
  page.add_heading(fmt::format("{}: {}", experiment.id, experiment.title));
  plot::Table table{"What the paper says, what we have, and what is required.",
                    {{"claim"}, {"paper"}, {"ours"}, {"required"}, {"held"}},
                    {}};
  for (const Claim& claim : findings.claims)
    table.rows.push_back({claim.what,
                          claim.paper,
                          claim.ours,
                          claim.required,
                          {claim.held ? "held" : "not held", claim.held ? plot::Tone::good : plot::Tone::bad}});
  page.add_table(table);
  for (const plot::Chart& chart : findings.charts) page.add(chart);
  for (const plot::BarChart& chart : findings.bars) page.add(chart);
  for (const plot::Table& more : findings.tables) page.add_table(more);
  if (!findings.notes.empty()) page.add_list(findings.notes);
}

void reproduce(const ReproduceCommand& command) {
  if (command.list) {
    for (const Experiment& experiment : experiments::all()) fmt::print("{:<16} {}\n", experiment.id, experiment.title);
    return;
  }
  const std::vector<const Experiment*> experiments = chosen(command);
  const char* variable = std::getenv("TENDRIL_DATA");
  const experiments::Context context{!command.data.empty() ? command.data : variable != nullptr ? variable : ""};
  nlohmann::json report = nlohmann::json::array();
  plot::Page page("Reproduced");
  std::size_t missed = 0;
  Progress progress("experiment", command.quiet);
  const Timer timer;
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const Findings findings = experiments[i]->run(context);
    if (!command.quiet) print(*experiments[i], findings);
    add_section(*experiments[i], findings, page);
    for (const Claim& claim : findings.claims) {
      report.push_back({{"id", experiments[i]->id},
                        {"what", claim.what},
                        {"paper", claim.paper},
                        {"ours", claim.ours},
                        {"required", claim.required},
                        {"held", claim.held}});
      missed += !claim.held;
    }
    progress.show(int(i + 1), int(experiments.size()), timer.seconds());
  }
  if (!command.report.empty()) or_fail(write_file(command.report, report.dump(2) + "\n"));
  if (!command.out.empty()) or_fail(write_file(command.out, page.html()));
  if (missed > 0)
    throw CommandFailed{{"reproduce", fmt::format("{} of {} required outcomes did not hold", missed, report.size())}};
}

}  // namespace

void add_reproduce_command(CLI::App& app) {
  auto options = std::make_shared<ReproduceCommand>();
  CLI::App* command = app.add_subcommand("reproduce", "Do the experiments of papers again");
  command->footer(
      "Says what the paper reports, what comes out here, and whether what is required of it holds.\n"
      "Example: tendril reproduce sagfree/fig-7 --out fig-7.html");
  command->add_option("experiments", options->ids, "Which: an id of --list, or the name of a paper; all if absent");
  command->add_flag("--list", options->list, "List the experiments");
  command->add_option("--data", options->data,
                      "Folder with real grooms; the environment variable TENDRIL_DATA if absent");
  command->add_option("--out", options->out, "Write a page with charts (.html)");
  command->add_option("--report", options->report, "Write the outcomes to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { reproduce(*options); });
}

}  // namespace tendril::app
