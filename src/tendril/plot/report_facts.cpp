#include "tendril/plot/report_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/plot/text.hpp"

namespace tendril::plot {
namespace {

struct Known {
  const char* key;
  const char* name;
  const char* unit = "";
  double scale = 1.0;
};

constexpr Known run_numbers[] = {{"strands", "strands simulated"},
                                 {"groom_strands", "strands in all"},
                                 {"vertices", "vertices simulated"},
                                 {"frames", "frames"},
                                 {"steps", "steps"},
                                 {"dt", "time step", "ms", 1e3},
                                 {"threads", "threads"},
                                 {"seconds", "time in all", "s"},
                                 {"seconds_per_frame", "time per frame", "ms", 1e3},
                                 {"ns_per_vertex_step", "per vertex and step", "ns"},
                                 {"retries", "steps halved"},
                                 {"usable_steps", "steps above tolerance"},
                                 {"newton_iterations_max", "most Newton iterations"},
                                 {"force_residual_max", "largest force residual"},
                                 {"stretch_max", "largest stretch"},
                                 {"contacts_mean", "contacts per step"},
                                 {"contacts_max", "most contacts"},
                                 {"over_tolerance_share", "steps with friction above tolerance", "%", 100.0},
                                 {"sweeps_mean", "contact iterations per step"},
                                 {"resumes", "times resumed"}};

std::string value_text(const Known& known, double value) {
  const std::string number = count_text(known.scale * value);
  return *known.unit == '\0' ? number : fmt::format("{} {}", number, known.unit);
}

void add_text(const Report& report, const char* key, const char* name, std::vector<Fact>& facts) {
  if (const std::string text = report.text(key); !text.empty()) facts.push_back({name, text});
}

std::vector<Fact> run_facts(const Report& report) {
  std::vector<Fact> facts;
  if (const std::string outcome = report.text("outcome"); !outcome.empty())
    facts.push_back({"outcome", outcome, outcome == "finished" ? Tone::good : Tone::bad});
  for (const Known& known : run_numbers) {
    const double value = report.number(known.key);
    if (!std::isfinite(value)) continue;
    if (known.key == std::string("groom_strands") && value == report.number("strands")) continue;  // nothing is carried
    facts.push_back({known.name, value_text(known, value)});
  }
  add_text(report, "isa", "instruction set", facts);
  add_text(report, "hash", "hash of the result", facts);
  add_text(report, "version", "version", facts);
  add_text(report, "commit", "commit", facts);
  return facts;
}

std::vector<Fact> all_facts(const Report& report) {
  std::vector<Fact> facts;
  for (const auto& [key, value] : report.numbers) facts.push_back({words(key), count_text(value)});
  for (const auto& [key, value] : report.texts)
    if (key != "command" && key != "name") facts.push_back({words(key), value});
  return facts;
}

}  // namespace

std::string words(std::string key) {
  std::ranges::replace(key, '_', ' ');
  return key;
}

std::vector<Fact> facts_of(const Report& report) { return report.is_run() ? run_facts(report) : all_facts(report); }

std::string title_of(const Report& report) {
  if (const std::string name = report.text("name"); !name.empty()) return name;
  if (report.is_run()) return "Run";
  if (const std::string name = report.text("benchmark"); !name.empty()) return "Benchmark " + name;
  if (!report.cases.empty()) return "Validation " + report.text("model");
  return report.claims.empty() ? "Benchmark" : "Reproduced results";
}

}  // namespace tendril::plot
