#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "bench/chain_bench.hpp"
#include "bench/contact_bench.hpp"
#include "bench/der_bench.hpp"
#include "bench/sagfree_bench.hpp"
#include "commands.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril::app {
namespace {

struct BenchCommand {
  bench::DerBenchOptions der;
  bench::SagfreeBenchOptions sagfree;
  bench::ContactBenchOptions contact;
  bench::ChainBenchOptions chain;
  std::string contact_part;
  std::string data;
  std::string report;
  bool quick = false, quiet = false;
};

void print(const bench::Report& report) {
  if (!report.listener)
    for (const std::string& line : report.lines) fmt::print("{}\n", line);
  fmt::print("\n");
  for (const bench::Bar& bar : report.bars)
    fmt::print("{:24} {:10.4g}  {} {:<8g} {}\n", bar.name, bar.value, bar.at_most ? "<=" : ">=", bar.bound,
               bar.holds() ? "holds" : "MISSED");
}

void deliver(const BenchCommand& command, const bench::Report& report) {
  if (!command.quiet) print(report);
  if (!command.report.empty()) or_fail(write_file(command.report, report.json().dump(2) + "\n"));
}

void run_der(const BenchCommand& command) {
  bench::DerBenchOptions options = command.der;
  options.sizes = options.threads = !command.quick;
  deliver(command, bench::bench_der(options));
}

void run_sagfree(const BenchCommand& command) {
  bench::SagfreeBenchOptions options = command.sagfree;
  const char* variable = std::getenv("TENDRIL_DATA");
  options.data = !command.data.empty() ? command.data : variable != nullptr ? variable : "";
  deliver(command, bench::bench_sagfree(options));
}

// Lines as they come: some benchmarks take minutes.
std::function<void(const std::string&)> listener(const BenchCommand& command) {
  if (command.quiet) return {};
  return [](const std::string& line) {
    fmt::print("{}\n", line);
    std::fflush(stdout);
  };
}

void run_contact(const BenchCommand& command) {
  bench::ContactBenchOptions options = command.contact;
  options.quick = command.quick;
  using Part = bench::ContactPart;
  for (const auto& [name, part] :
       {std::pair{"bundles", Part::bundles}, {"batches", Part::batches}, {"scenes", Part::scenes}})
    if (command.contact_part == name) options.only = part;
  options.listener = listener(command);
  deliver(command, bench::bench_contact(options));
}

void run_chain(const BenchCommand& command) {
  bench::ChainBenchOptions options = command.chain;
  options.quick = command.quick;
  options.listener = listener(command);
  deliver(command, bench::bench_chain(options));
}

void add_common(CLI::App* command, const std::shared_ptr<BenchCommand>& options) {
  command->add_option("--report", options->report, "Write the numbers to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
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
  add_common(der, options);
  der->callback([options] { run_der(*options); });
  CLI::App* sagfree =
      command->add_subcommand("sagfree", "Starts without sag: generated curls, and real grooms where there are");
  sagfree->footer("Example: tendril bench sagfree --data ../data --report bench.json");
  sagfree->add_option("--strands", options->sagfree.strands, "Generated curls")->check(CLI::Range(1, 1'000'000));
  sagfree->add_option("--vertices", options->sagfree.vertices, "Vertices of each curl")->check(CLI::Range(3, 5000));
  sagfree->add_option("--rounds", options->sagfree.rounds, "Rounds of measurement; the best counts")
      ->check(CLI::Range(1, 1000));
  sagfree->add_option("--data", options->data, "Folder with grooms/; the environment variable TENDRIL_DATA if absent");
  add_common(sagfree, options);
  sagfree->callback([options] { run_sagfree(*options); });
  CLI::App* contact = command->add_subcommand("contact", "Frictional contact: bundles of hair by several solvers");
  contact->footer("Example: tendril bench contact --quick");
  contact->add_option("--rounds", options->contact.rounds, "Rounds of measurement; the best counts")
      ->check(CLI::Range(1, 1000));
  contact->add_flag("--quick", options->quick, "Small bundles and the small scene, no tight tolerance on large ones");
  contact->add_option("--only", options->contact_part, "bundles, batches or scenes; all three if absent")
      ->check(CLI::IsMember({"bundles", "batches", "scenes"}));
  add_common(contact, options);
  contact->callback([options] { run_contact(*options); });
  CLI::App* chain =
      command->add_subcommand("chain", "Chains with exact links: the projection against its rivals, lanes, real time");
  chain->footer("Example: tendril bench chain --report bench.json");
  chain->add_option("--chains", options->chain.chains, "Chains of the crowd")->check(CLI::Range(100, 1'000'000));
  chain->add_option("--points", options->chain.points, "Points of each chain")->check(CLI::Range(2, 5000));
  chain->add_flag("--quick", options->quick, "A tenth of the chains, half of the time");
  add_common(chain, options);
  chain->callback([options] { run_chain(*options); });
}

}  // namespace tendril::app
