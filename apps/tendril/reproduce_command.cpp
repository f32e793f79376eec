// tendril reproduce: the experiments of papers, done again.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "experiments/csv.hpp"
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
  std::string data, runs, out, csv, report;
  bool list = false, quick = false, quiet = false;
};

struct Done {
  const Experiment* experiment;
  Findings findings;
};

// "sagfree/fig-7" is one, "sagfree" stands for all of that paper.
bool names(const std::string& id, const Experiment& experiment) {
  return experiment.id == id || experiment.id.starts_with(id + "/");
}

void refuse_unknown(const std::vector<std::string>& ids) {
  std::vector<std::string> known;
  for (const Experiment& experiment : experiments::all()) {
    const std::string paper(experiment.id.substr(0, experiment.id.find('/')));
    if (known.empty() || !std::ranges::count(known, paper)) known.push_back(paper);
    known.emplace_back(experiment.id);
  }
  for (const std::string& id : ids)
    if (!std::ranges::count(known, id))
      throw CommandFailed{
          {id, fmt::format("is no experiment{}; tendril reproduce --list has them", did_you_mean(id, known))},
          usage_error};
}

std::vector<const Experiment*> chosen(const std::vector<std::string>& ids) {
  refuse_unknown(ids);
  std::vector<const Experiment*> found;
  for (const Experiment& experiment : experiments::all())
    if (ids.empty() || std::ranges::any_of(ids, [&](const std::string& id) { return names(id, experiment); }))
      found.push_back(&experiment);
  return found;
}

const char* verdict(const Claim& claim) {
  if (!claim.is_required()) return "-";
  return claim.held ? "held" : "NOT HELD";
}

void print(const Done& done, double seconds) {
  fmt::print("{}: {} ({})\n", done.experiment->id, done.experiment->title, duration_text(seconds));
  for (const Claim& claim : done.findings.claims)
    fmt::print("  {}\n    paper     {}\n    ours      {}\n    required  {}\n    {}\n", claim.what, claim.paper,
               claim.ours, claim.required, verdict(claim));
  for (const std::string& note : done.findings.notes) fmt::print("  Note: {}\n", note);
  fmt::print("\n");
  std::fflush(stdout);
}

void add_section(const Done& done, plot::Page& page) {
  page.add_heading(fmt::format("{}: {}", done.experiment->id, done.experiment->title));
  plot::Table table{"What the paper says, what we have, and what is required.",
                    {{"claim"}, {"paper"}, {"ours"}, {"required"}, {"held"}},
                    {}};
  const auto tone = [](const Claim& claim) {
    return !claim.is_required() ? plot::Tone::plain : claim.held ? plot::Tone::good : plot::Tone::bad;
  };
  for (const Claim& claim : done.findings.claims)
    table.rows.push_back({claim.what, claim.paper, claim.ours, claim.required, {verdict(claim), tone(claim)}});
  page.add_table(table);
  for (const plot::Chart& chart : done.findings.charts) page.add(chart);
  for (const plot::BarChart& chart : done.findings.bars) page.add(chart);
  for (const plot::Table& more : done.findings.tables) page.add_table(more);
  if (!done.findings.notes.empty()) page.add_list(done.findings.notes);
}

std::string page_of(const std::vector<Done>& all) {
  plot::Page page("Experiments of papers, done again");
  for (const Done& done : all) add_section(done, page);
  return page.html();
}

nlohmann::json report_of(const std::vector<Done>& all) {
  nlohmann::json report = nlohmann::json::array();
  for (const Done& done : all)
    for (const Claim& claim : done.findings.claims)
      report.push_back({{"id", done.experiment->id},
                        {"what", claim.what},
                        {"paper", claim.paper},
                        {"ours", claim.ours},
                        {"required", claim.required},
                        {"held", claim.held}});
  return report;
}

// contact/fig-11 has contact-fig-11-chart-1.csv, ...
void write_csv(const std::vector<Done>& all, const std::filesystem::path& folder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);  // if that fails, so does the first file, which says why
  for (const Done& done : all) {
    std::string name(done.experiment->id);
    std::ranges::replace(name, '/', '-');
    const auto write = [&](const char* kind, const auto& list) {
      for (std::size_t i = 0; i < list.size(); ++i)
        or_fail(write_file(folder / fmt::format("{}-{}-{}.csv", name, kind, i + 1), experiments::to_csv(list[i])));
    };
    write("chart", done.findings.charts), write("table", done.findings.tables);
  }
}

std::vector<Done> run(const ReproduceCommand& command) {
  const char* variable = std::getenv("TENDRIL_DATA");
  const experiments::Context context{!command.data.empty() ? command.data
                                     : variable != nullptr ? variable
                                                           : "",
                                     command.runs, command.quick};
  std::vector<Done> all;
  for (const Experiment* experiment : chosen(command.ids)) {
    const Timer timer;
    all.push_back({experiment, experiment->run(context)});
    if (!command.quiet) print(all.back(), timer.seconds());
  }
  return all;
}

void reproduce(const ReproduceCommand& command) {
  if (command.list) {
    for (const Experiment& experiment : experiments::all()) fmt::print("{:<18} {}\n", experiment.id, experiment.title);
    return;
  }
  const std::vector<Done> all = run(command);
  if (!command.report.empty()) or_fail(write_file(command.report, report_of(all).dump(2) + "\n"));
  if (!command.out.empty()) or_fail(write_file(command.out, page_of(all)));
  if (!command.csv.empty()) write_csv(all, command.csv);
  std::size_t required = 0, missed = 0;
  for (const Done& done : all)
    for (const Claim& claim : done.findings.claims) required += claim.is_required(), missed += !claim.held;
  if (missed > 0)
    throw CommandFailed{{"reproduce", fmt::format("{} of {} required outcomes did not hold", missed, required)}};
  if (!command.quiet) fmt::print("All {} required outcomes held.\n", required);
}

}  // namespace

void add_reproduce_command(CLI::App& app) {
  auto options = std::make_shared<ReproduceCommand>();
  CLI::App* command = app.add_subcommand("reproduce", "Do the experiments of papers again");
  command->footer(
      "Says what the paper reports, what comes out here, what is required of it, and whether that held.\n"
      "Example: tendril reproduce sagfree/fig-7 --out fig-7.html");
  command->add_option("experiments", options->ids, "Which: an id of --list, or the name of a paper; all if absent");
  command->add_flag("--list", options->list, "List the experiments");
  command->add_option("--data", options->data, "Folder with grooms/; the environment variable TENDRIL_DATA if absent");
  command->add_flag("--quick", options->quick, "Few problems and strands, short times: to see that everything works");
  command->add_option("--runs", options->runs, "Keep long runs in this folder, and go on with those that are there");
  command->add_option("--out", options->out, "Write a page with charts (.html)");
  command->add_option("--csv", options->csv, "Write the numbers of charts and tables to this folder (.csv)");
  command->add_option("--report", options->report, "Write the outcomes to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { reproduce(*options); });
}

}  // namespace tendril::app
