// tendril contact: solves a frictional contact problem from a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "commands.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/io/any_contact_problem.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril::app {
namespace {

struct ContactCommand {
  std::string problem, solver = "auto", effort = "full", local, out, write, report;
  double tolerance = 1e-3;
  int max_sweeps = 0, threads = 0;
  std::optional<std::size_t> which;  // of a collection
  bool no_fail_safe = false, no_freezing = false, quiet = false;
};

template <class T>
std::vector<std::string> words(const T& names) {
  return {names.begin(), names.end()};
}

contact::Options options_of(const ContactCommand& command) {
  contact::Options options;
  options.solver = *contact::solver_named(command.solver);
  options.tolerance = command.tolerance, options.max_sweeps = command.max_sweeps;
  options.effort = *contact::effort_named(command.effort);
  options.freezing = !command.no_freezing;
  if (command.local.empty()) return options;
  options.local = contact::LocalOptions{*contact::local_method_named(command.local), !command.no_fail_safe};
  return options;
}

// What the report needs of a problem in either form. One that is given by W has no blocks.
struct Size {
  std::size_t contacts, blocks, unknowns;
};
Size size_of(const contact::Problem& problem) {
  return {problem.size(), problem.blocks.size(), std::size_t(problem.f.size())};
}
Size size_of(const contact::ExplicitDelassus& problem) { return {problem.size(), 0, 0}; }

nlohmann::json rows_of(const contact::Impulses& rows) {
  nlohmann::json out = nlohmann::json::array();
  for (const Eigen::Vector3d& row : rows) out.push_back({row[0], row[1], row[2]});
  return out;
}

void write_solution(const ContactCommand& command, const AnyContactProblem& problem,
                    const contact::Solution& solution) {
  if (is_fclib_path(command.out)) {
    or_fail(write_any_contact_problem(command.out, problem, &solution));
    return;
  }
  const nlohmann::json out = {{"r", rows_of(solution.r)},
                              {"u", rows_of(solution.u)},
                              {"v", std::vector<double>(solution.v.begin(), solution.v.end())},
                              {"error", solution.report.error}};
  or_fail(write_file(command.out, out.dump() + "\n"));
}

// Of each solver that was tried.
nlohmann::json sweeps_by(const contact::Report& report) {
  nlohmann::json out = nlohmann::json::object();
  for (std::size_t s = 0; s < contact::solver_count; ++s)
    if (report.sweeps_by[s] > 0) out[std::string(contact::name(contact::Solver(s)))] = report.sweeps_by[s];
  return out;
}

nlohmann::json report_of(const ContactCommand& command, const AnyContactProblem& problem,
                         const contact::Solution& solution, double seconds) {
  const contact::Report& report = solution.report;
  const Size size = std::visit([](const auto& given) { return size_of(given); }, problem);
  return {{"command", "contact"},
          {"problem", command.problem},
          {"contacts", size.contacts},
          {"blocks", size.blocks},
          {"unknowns", size.unknowns},
          {"solver", contact::name(report.solver)},
          {"status", contact::name(report.outcome)},
          {"error", report.error},
          {"tolerance", command.tolerance},
          {"sweeps", report.sweeps},
          {"sweeps_by", sweeps_by(report)},
          {"islands", report.islands},
          {"take_off", report.states[0]},
          {"stick", report.states[1]},
          {"slide", report.states[2]},
          {"local_solves", report.local_solves},
          {"rescued", report.rescued},
          {"unsolved", report.unsolved},
          {"immovable", report.immovable},
          {"jammed", report.jammed},
          {"seconds", seconds}};
}

void print(const nlohmann::json& r) {
  fmt::print("{}: {} contacts, {} blocks, {} unknowns\n", r["problem"].get<std::string>(), r["contacts"].get<int>(),
             r["blocks"].get<int>(), r["unknowns"].get<int>());
  fmt::print("  {} by {}: error {:.2e} after {} sweeps, {:.4f} s\n", r["status"].get<std::string>(),
             r["solver"].get<std::string>(), r["error"].get<double>(), r["sweeps"].get<int>(),
             r["seconds"].get<double>());
  fmt::print("  {} take off, {} stick, {} slide\n", r["take_off"].get<int>(), r["stick"].get<int>(),
             r["slide"].get<int>());
  if (r["immovable"].get<int>() > 0) fmt::print("  {} cannot move and are left out\n", r["immovable"].get<int>());
  if (r["jammed"].get<int>() > 0) fmt::print("  {} are jammed: no impulse keeps them apart\n", r["jammed"].get<int>());
}

// Why a solver refuses. Numbers are of contacts that feel each other.
std::string_view reason_of(const ContactCommand& command) {
  if (command.solver == "active-set") return "it takes no friction, and at most 600 contacts that feel each other";
  if (command.solver == "path") return "it takes at most 1000 unknowns that feel each other";
  if (command.solver == "newton") return "it takes M and H, or W of at most 3000 contacts that feel each other";
  return "it takes M and H, or W of at most 600 contacts that feel each other";
}

contact::Solution solved(const ContactCommand& command, const AnyContactProblem& problem, nlohmann::json& report) {
  const Timer timer;
  contact::Solution solution =
      std::visit([&](const auto& given) { return contact::solve(given, options_of(command)); }, problem);
  report = report_of(command, problem, solution, timer.seconds());
  return solution;
}

void write_report(const ContactCommand& command, const nlohmann::json& report) {
  if (!command.report.empty()) or_fail(write_file(command.report, report.dump(2) + "\n"));
}

void solve_one(const ContactCommand& command, const AnyContactProblem& problem) {
  nlohmann::json report;
  const contact::Solution solution = solved(command, problem, report);
  if (!command.out.empty()) write_solution(command, problem, solution);
  write_report(command, report);
  if (!command.quiet) print(report);
  if (solution.report.outcome == contact::Outcome::unsuitable)
    throw CommandFailed{
        {"--solver", fmt::format("{} is not for this problem: {}", command.solver, reason_of(command))}};
  if (solution.report.outcome != contact::Outcome::converged)
    throw CommandFailed{{command.problem, fmt::format("not solved to {:g}: {}, error {:.2e}", command.tolerance,
                                                      contact::name(solution.report.outcome), solution.report.error)}};
}

// A line each, and a list of their reports.
void solve_all(const ContactCommand& command, const std::vector<AnyContactProblem>& problems) {
  if (!command.out.empty() || !command.write.empty())
    throw CommandFailed{{command.problem, fmt::format("holds {} problems; choose one by --problem", problems.size())}};
  nlohmann::json reports = nlohmann::json::array();
  std::size_t unsolved = 0;
  for (std::size_t k = 0; k < problems.size(); ++k) {
    nlohmann::json r;
    unsolved += solved(command, problems[k], r).report.outcome != contact::Outcome::converged;
    if (!command.quiet)
      fmt::print("{}: {} contacts, {} by {}: error {:.2e} after {} sweeps, {:.4f} s\n", k, r["contacts"].get<int>(),
                 r["status"].get<std::string>(), r["solver"].get<std::string>(), r["error"].get<double>(),
                 r["sweeps"].get<int>(), r["seconds"].get<double>());
    reports.push_back(std::move(r));
  }
  write_report(command, reports);
  if (unsolved > 0)
    throw CommandFailed{{command.problem, fmt::format("{} of {} problems are not solved to {:g}", unsolved,
                                                      problems.size(), command.tolerance)}};
}

void solve_file(const ContactCommand& command) {
  if (command.no_fail_safe && command.local.empty())
    throw CommandFailed{{"--no-fail-safe", "is for a local solver that --local names"}, usage_error};
  set_thread_count(command.threads);
  const std::vector<AnyContactProblem> problems =
      command.which ? std::vector{or_fail(read_any_contact_problem(command.problem, command.which))}
                    : or_fail(read_any_contact_problems(command.problem));
  if (problems.size() != 1) return solve_all(command, problems);
  if (command.write.empty()) return solve_one(command, problems[0]);
  or_fail(write_any_contact_problem(command.write, problems[0]));
}

}  // namespace

void add_contact_command(CLI::App& app) {
  auto options = std::make_shared<ContactCommand>();
  CLI::App* command = app.add_subcommand("contact", "Solve a frictional contact problem");
  command->footer(
      "The error is how far the worst contact is from Coulomb's law: a velocity, over the largest one without "
      "contact.\n"
      "Example: tendril contact problem.json --tolerance 1e-6 --out solution.json");
  command->add_option("problem", options->problem, "The problem (.json, .h5 of FCLIB; docs/contact-problems.md)")
      ->required();
  command->add_option("--problem", options->which, "Of a collection, counted from 0; absent: all, with a line each");
  command
      ->add_option(
          "--solver", options->solver,
          "auto, gs: Gauss-Seidel, apgd: accelerated projected gradients, newton: proximal Newton, path: follows a "
          "curve of solutions from a convex problem; to compare: newton-mfb, newton-ac, newton-jm, admm; without "
          "friction: "
          "active-set")
      ->check(CLI::IsMember(words(contact::solver_names())));
  command->add_option("--tolerance", options->tolerance, "Largest error")->check(CLI::PositiveNumber);
  command->add_option("--max-sweeps", options->max_sweeps, "Or iterations; 0: as many as is usual for the solver")
      ->check(CLI::Range(0, 100000000));
  command
      ->add_option("--effort", options->effort,
                   "Of auto, for tolerances below 1e-4. full: all it knows, up to two minutes for a thousand contacts; "
                   "limited: as in steps of a simulation")
      ->check(CLI::IsMember(words(contact::effort_names())));
  command->add_option("--local", options->local, "Local solver of Gauss-Seidel, to compare; absent: the closed form")
      ->check(CLI::IsMember(words(contact::local_method_names())));
  command->add_flag("--no-fail-safe", options->no_fail_safe, "Leave --local alone where it fails");
  command->add_flag("--no-freezing", options->no_freezing,
                    "Of gs, to compare: contacts that hardly change do not sleep for ten sweeps");
  CLI::Option* out = command->add_option(
      "--out", options->out, "Write impulses r, velocities u and v (.json); or the problem with r and u (.h5)");
  command->add_option("--write", options->write, "Write the problem and do not solve it (.json, or by W as .h5)")
      ->excludes(out);
  command->add_option("--threads", options->threads, "0 = one per core")->check(CLI::Range(0, 1024));
  command->add_option("--report", options->report, "Write the numbers to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { solve_file(*options); });
}

}  // namespace tendril::app
