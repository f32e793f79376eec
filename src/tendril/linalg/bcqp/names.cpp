// The words by which methods and outcomes are known to users, in the order of their enumerations.
#include <algorithm>
#include <array>

#include "tendril/linalg/bcqp/bcqp.hpp"

namespace tendril::bcqp {
namespace {

constexpr std::array<std::string_view, 6> methods = {"auto", "mprgp", "pdas", "ipm", "pgs", "penalty"};
constexpr std::array<std::string_view, 8> preconditioners = {"none", "diagonal", "jacobi", "ssor",
                                                             "ic",   "mic",      "amg",    "asc"};
constexpr std::array<std::string_view, 2> expansions = {"fixed", "projected-cg"};
constexpr std::array<std::string_view, 7> outcomes = {
    "converged", "iteration limit", "cycled", "stalled", "not positive definite", "infeasible box", "not finite"};

template <class E, std::size_t n>
std::optional<E> named(std::string_view name, const std::array<std::string_view, n>& names) {
  const auto found = std::ranges::find(names, name);
  return found == names.end() ? std::nullopt : std::optional(E(found - names.begin()));
}

}  // namespace

std::string_view name(Method method) { return methods[std::size_t(method)]; }
std::string_view name(Preconditioner preconditioner) { return preconditioners[std::size_t(preconditioner)]; }
std::string_view name(Expansion expansion) { return expansions[std::size_t(expansion)]; }
std::string_view name(Outcome outcome) { return outcomes[std::size_t(outcome)]; }
std::optional<Method> method_named(std::string_view name) { return named<Method>(name, methods); }
std::optional<Preconditioner> preconditioner_named(std::string_view name) {
  return named<Preconditioner>(name, preconditioners);
}
std::optional<Expansion> expansion_named(std::string_view name) { return named<Expansion>(name, expansions); }
std::span<const std::string_view> method_names() { return methods; }
std::span<const std::string_view> preconditioner_names() { return preconditioners; }
std::span<const std::string_view> expansion_names() { return expansions; }

}  // namespace tendril::bcqp
