// The words by which methods and outcomes are known to users, in the order of their enumerations.
#include <algorithm>
#include <array>

#include "tendril/contact/solver.hpp"

namespace tendril::contact {
namespace {

constexpr std::array<std::string_view, 7> methods = {"mfb", "enum", "pac", "dac", "duriez06", "duriez08", "4sides"};
constexpr std::array<std::string_view, 3> outcomes = {"converged", "rescued", "unsolved"};
constexpr std::array<std::string_view, solver_count> solvers = {
    "auto", "gs", "apgd", "newton", "newton-mfb", "newton-ac", "newton-jm", "path", "admm", "active-set"};
constexpr std::array<std::string_view, 6> solver_outcomes = {"converged",    "iteration-limit", "stalled",
                                                             "not-definite", "not-finite",      "unsuitable"};
constexpr std::array<std::string_view, 2> efforts = {"limited", "full"};
constexpr std::array<std::string_view, 3> states = {"take-off", "stick", "slide"};

}  // namespace

std::string_view name(ContactState state) { return states[std::size_t(state)]; }
std::string_view name(LocalMethod method) { return methods[std::size_t(method)]; }
std::string_view name(LocalOutcome outcome) { return outcomes[std::size_t(outcome)]; }
std::string_view name(Solver solver) { return solvers[std::size_t(solver)]; }
std::string_view name(Outcome outcome) { return solver_outcomes[std::size_t(outcome)]; }
std::optional<Solver> solver_named(std::string_view name) {
  const auto found = std::ranges::find(solvers, name);
  return found == solvers.end() ? std::nullopt : std::optional(Solver(found - solvers.begin()));
}
std::span<const std::string_view> solver_names() { return solvers; }
std::optional<Effort> effort_named(std::string_view name) {
  const auto found = std::ranges::find(efforts, name);
  return found == efforts.end() ? std::nullopt : std::optional(Effort(found - efforts.begin()));
}
std::span<const std::string_view> effort_names() { return efforts; }
std::optional<LocalMethod> local_method_named(std::string_view name) {
  const auto found = std::ranges::find(methods, name);
  return found == methods.end() ? std::nullopt : std::optional(LocalMethod(found - methods.begin()));
}
std::span<const std::string_view> local_method_names() { return methods; }

}  // namespace tendril::contact
