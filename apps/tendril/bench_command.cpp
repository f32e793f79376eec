#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "bench/der_bench.hpp"
#include "commands.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril::app {
namespace {

struct BenchCommand {
  bench::DerBenchOptions der;
  std::string report;
  bool quick = false, quiet = false;
};

void print(const bench::Report& report) {
  for (const std::string& line : report.lines) fmt::print("{}\n", line);
  fmt::print("\n");
  for (const bench::Bar& bar : report.bars)
    fmt::print("{:24} {:10.4g}  {} {:<8g} {}\n", bar.name, bar.value, bar.at_most ? "<=" : ">=", bar.bound,
               bar.holds() ? "holds" : "MISSED");
}

void run_der(const BenchCommand& command) {
  bench::DerBenchOptions options = command.der;
  options.sizes = options.threads = !command.quick;
  const bench::Report report = bench::bench_der(options);
  if (!command.quiet) print(report);
  if (!command.report.empty()) or_fail(write_file(command.report, report.json().dump(2) + "\n"));
}

}  // namespace

void add_bench_command(CLI::App& app) {
  CLI::App* command = app.add_subcommand("bench", "Measure speed on this machine");
  command->footer("Example: tendril bench der --report bench.json");
  command->require_subcommand(1);
  auto options = std::make_shared<BenchCommand>();
  CLI::App* der =
      command->add_subcommand("der", "Discrete elastic rods: the whole step against LAPACK, threads, sizes");
  der->footer("Example: tendril bench der --report bench.json");
  der->add_option("--strands", options->der.strands, "Strands of the main case")->check(CLI::Range(1, 1'000'000));
  der->add_option("--vertices", options->der.vertices, "Vertices of each strand")->check(CLI::Range(4, 5000));
  der->add_option("--rounds", options->der.rounds, "Rounds of measurement")->check(CLI::Range(5, 1000));
  der->add_flag("--quick", options->quick, "Only the main case");
  der->add_option("--report", options->report, "Write the numbers to this JSON file");
  der->add_flag("-q,--quiet", options->quiet, "Print errors only");
  der->callback([options] { run_der(*options); });
}

}  // namespace tendril::app
