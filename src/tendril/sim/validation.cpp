#include "tendril/sim/validation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <mutex>
#include <nlohmann/json.hpp>

#include "tendril/base/parallel.hpp"
#include "tendril/base/text.hpp"
#include "tendril/sim/validation/families.hpp"

namespace tendril::validation {

Result<std::vector<Case>> validation_cases(const Model& model) {
  static const std::vector<std::string> models = {"der", "der-inextensible", "superhelix", "corde", "chain"};
  if (std::find(models.begin(), models.end(), model.name) == models.end())
    return Error{"model", fmt::format("there are no benchmarks for '{}'{}; known: {}", model.name,
                                      did_you_mean(model.name, models), fmt::join(models, ", "))};
  std::vector<Case> cases;
  const auto add = [&](auto... families) { (std::ranges::move(families(model), std::back_inserter(cases)), ...); };
  if (model.name == "der")
    add(elementary_cases, cantilever_cases, buckling_cases, twist_cases, spring_cases, catenary_cases, vibration_cases,
        pendulum_cases, friction_cases, conservation_cases);
  else if (model.name == "superhelix")
    add(any_model_cases);
  else if (model.name == "chain")
    add(any_model_cases, hanging_cases, friction_cases);
  else
    add(any_model_cases, friction_cases);
  return cases;
}

Result<std::vector<Case>> choose(std::vector<Case> cases, std::span<const std::string> names) {
  if (names.empty()) return cases;
  const auto fits = [](const Case& c, const std::string& name) {
    return c.name == name || c.name.starts_with(name + "-");
  };
  for (const std::string& name : names) {
    if (std::ranges::any_of(cases, [&](const Case& c) { return fits(c, name); })) continue;
    std::vector<std::string> known;
    for (const Case& c : cases) known.push_back(c.name);
    return Error{"case",
                 fmt::format("there is no '{}'{}; known: {}", name, did_you_mean(name, known), fmt::join(known, ", "))};
  }
  std::erase_if(cases, [&](const Case& c) {
    return std::ranges::none_of(names, [&](const std::string& name) { return fits(c, name); });
  });
  return cases;
}

std::vector<CaseResult> run(std::span<const Case> cases, const std::function<void(const Case&)>& done) {
  std::vector<std::vector<CaseResult>> results(cases.size());
  std::mutex one_at_a_time;
  parallel_for(cases.size(), [&](std::size_t i) {
    results[i] = cases[i].run();
    for (CaseResult& result : results[i]) result.name = cases[i].name;
    if (!done) return;
    const std::lock_guard lock(one_at_a_time);
    done(cases[i]);
  });
  std::vector<CaseResult> all;
  for (std::vector<CaseResult>& part : results) std::ranges::move(part, std::back_inserter(all));
  return all;
}

std::string report_text(const Model& model, std::span<const CaseResult> results) {
  using nlohmann::ordered_json;
  const auto optional = [](const std::optional<double>& value) {
    return value ? ordered_json(*value) : ordered_json();
  };
  ordered_json cases = ordered_json::array();
  for (const CaseResult& r : results) {
    ordered_json refinements = ordered_json::array();
    for (const Refinement& step : r.refinements)
      refinements.push_back({{"n", step.n}, {"value", step.value}, {"error", step.error}});
    cases.push_back({{"case", r.name},
                     {"quantity", r.quantity},
                     {"unit", r.unit},
                     {"exact", r.exact},
                     {"ours", r.ours},
                     {"error", r.error},
                     {"error_relative", r.error_relative},
                     {"order", optional(r.order)},
                     {"expected_order", optional(r.expected_order)},
                     {"tolerance", r.tolerance},
                     {"pass", r.pass},
                     {"refinements", refinements}});
  }
  const auto passed = std::ranges::count_if(results, &CaseResult::pass);
  return ordered_json{{"model", model.name},
                      {"command", "validate"},
                      {"cases", cases},
                      {"passed", passed},
                      {"failed", std::ptrdiff_t(results.size()) - passed}}
             .dump(2) +
         "\n";
}

}  // namespace tendril::validation
