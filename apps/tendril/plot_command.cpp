// tendril plot: a page of charts from the report of a run, or of several runs beside each other.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "commands.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/plot/run_page.hpp"

namespace tendril::app {
namespace {

namespace fs = std::filesystem;

struct PlotCommand {
  std::vector<std::string> inputs;
  std::string out, report;
  bool force = false, quiet = false;
};

// A page may be replaced; anything else under that name is probably a mistake in the command line.
void refuse_to_overwrite(const PlotCommand& command) {
  const fs::path out = command.out;
  std::error_code fault;
  if (fs::is_directory(out, fault))
    throw CommandFailed{
        {command.out, fmt::format("is a folder; give the name of a page, such as {}", (out / "page.html").string())}};
  for (const std::string& input : command.inputs)
    if (fs::equivalent(input, out, fault))
      throw CommandFailed{{command.out, "is also what to plot; give the page another name"}};
  if (command.force) return;
  if (out.extension() != ".html" && out.extension() != ".htm")
    throw CommandFailed{{command.out, "is not the name of a page; end it in .html, or add --force"}};
  if (!fs::exists(out, fault)) return;
  const Result<std::string> old = read_text(out);
  if (!old || !plot::is_our_page(old.value()))
    throw CommandFailed{{command.out, "exists and is not a page of tendril plot; add --force to replace it"}};
}

plot::Page page_of(const std::vector<std::string>& inputs) {
  std::vector<plot::Report> reports;
  for (const std::string& input : inputs) reports.push_back(or_fail(plot::read_report(input)));
  return reports.size() == 1 ? plot::report_page(reports.front()) : or_fail(plot::comparison_page(reports));
}

void plot_reports(const PlotCommand& command) {
  refuse_to_overwrite(command);
  const plot::Page page = page_of(command.inputs);
  const std::string html = page.html();
  or_fail(write_file(command.out, html));
  const nlohmann::json report = {
      {"command", "plot"}, {"out", command.out}, {"charts", page.charts()}, {"bytes", html.size()}};
  if (!command.report.empty()) or_fail(write_file(command.report, report.dump(2) + "\n"));
  if (!command.quiet) fmt::print("{}: {} charts, {:.0f} kB\n", command.out, page.charts(), 1e-3 * double(html.size()));
}

}  // namespace

void add_plot_command(CLI::App& app) {
  auto options = std::make_shared<PlotCommand>();
  CLI::App* command = app.add_subcommand("plot", "Make a page of charts from reports");
  command->footer(
      "Example: tendril plot out/shaken-head --out shaken-head.html\n"
      "Several runs are compared: tendril plot out/a out/b --out comparison.html");
  command->add_option("reports", options->inputs, "Folders of runs, or files that --report wrote")->required();
  command->add_option("--out", options->out, "The page to write (.html)")->required();
  command->add_option("--report", options->report, "Write what was made to this JSON file");
  command->add_flag("--force", options->force, "Replace a file that is not a page");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { plot_reports(*options); });
}

}  // namespace tendril::app
