#include "tendril/sagfree/shared_stiffness.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include "tendril/linalg/bcqp/bcqp.hpp"
#include "tendril/sagfree/mean_modulus.hpp"
#include "tendril/sagfree/sweep.hpp"

namespace tendril::sagfree {
namespace {

using Moduli = std::vector<double> der::RestState::*;
using StrandSets = std::vector<std::vector<std::size_t>>;

// Visits the vertices of a strand whose joint and edge are free.
template <class Visit>
void each_element(const der::Strands& strands, std::size_t s, const Visit& visit) {
  for (std::size_t i = 0; i + 1 < strands.vertices(s); ++i)
    if (der::has_joint(strands.description(), s, i)) visit(strands.offset(s) + i);
}

// The largest factor that any element of the set needs becomes that of all. A little more than it, so that the next
// sweep, for rest lengths that differ in the last digits, finds nothing wanting.
void share(const der::Strands& strands, const std::vector<std::size_t>& set, const std::vector<double>& initial,
           std::vector<double>& moduli) {
  constexpr double more = 1.0 + 1e-12;
  double factor = 1.0;
  for (const std::size_t s : set)
    each_element(strands, s, [&](std::size_t v) { factor = std::max(factor, moduli[v] / initial[v]); });
  if (factor > 1.0) factor *= more;
  for (const std::size_t s : set) each_element(strands, s, [&](std::size_t v) { moduli[v] = factor * initial[v]; });
}

// Eq. 14: the smoothest stiffness that is nowhere less than what is needed. A tridiagonal quadratic program.
void smooth(double smoothness, const der::Strands& strands, std::size_t s, const std::vector<double>& initial,
            std::vector<double>& moduli) {
  std::vector<std::size_t> elements;
  each_element(strands, s, [&](std::size_t v) { elements.push_back(v); });
  const std::size_t n = elements.size();
  if (n < 2) return;
  const double mean = mean_modulus(strands.description(), s);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Band<double> matrix(n, 1);
  std::vector<double> zero(n, 0.0), lower(n), upper(n, infinity), x(n);
  for (std::size_t i = 0; i < n; ++i) {
    lower[i] = (moduli[elements[i]] - initial[elements[i]]) / mean;
    matrix.at(i, i) = 1.0 + smoothness * (double(i > 0) + double(i + 1 < n));
    if (i + 1 < n) matrix.at(i + 1, i) = -smoothness;
  }
  bcqp::Workspace work;
  const bcqp::Report report = bcqp::solve(matrix, zero, lower, upper, {}, work, x);
  if (report.outcome != bcqp::Outcome::converged) return;  // what is needed is at least enough
  for (std::size_t i = 0; i < n; ++i)
    moduli[elements[i]] = std::max(moduli[elements[i]], initial[elements[i]] + mean * x[i]);
}

bool is_in_balance(const der::Strands& strands, const std::vector<StrandOutcome>& outcomes, std::size_t s) {
  return is_determinate(strands, s) && outcomes[s].status != StrandStatus::bounded;
}

// Gives one kind of stiffness to `start`: what the swept `rest` needs, made common.
void couple(const Options& options, const der::Strands& strands, const StrandSets& sets, Moduli kind,
            const der::RestState& initial, der::RestState rest, der::RestState& start) {
  for (const std::vector<std::size_t>& set : sets) {
    if (options.sharing != Sharing::element) share(strands, set, initial.*kind, rest.*kind);
    if (options.smoothness > 0.0) smooth(options.smoothness, strands, set[0], initial.*kind, rest.*kind);
    for (const std::size_t s : set)
      each_element(strands, s, [&](std::size_t v) { (start.*kind)[v] = (rest.*kind)[v]; });
  }
}

}  // namespace

bool couples(const Options& options) { return options.sharing != Sharing::element || options.smoothness > 0.0; }

StrandSets strand_sets(const Options& options, const der::Strands& strands) {
  std::map<std::size_t, std::vector<std::size_t>> sets;
  const bool grouped = options.sharing == Sharing::group && options.mode != Mode::rest_shape;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    if (!is_held(strands, s)) continue;
    const std::size_t group = options.groups.empty() ? 0 : std::size_t(options.groups[s]);
    sets[grouped ? group : s].push_back(s);
  }
  StrandSets out;
  for (auto& [key, set] : sets) out.push_back(std::move(set));
  return out;
}

Status sweep_in_common(const Options& options, const der::State& state, der::Strands& strands,
                       std::vector<StrandOutcome>& outcomes) {
  const der::RestState initial = strands.rest_state();
  Options least = options;
  least.rest_weight = 0.0;  // each element no stiffer than it has to be
  if (Status status = sweep(least, MuChoice::by_options, state, strands, outcomes); !status) return status;
  StrandSets sets = strand_sets(options, strands);
  std::erase_if(sets, [&](const auto& set) {
    return !std::ranges::all_of(set, [&](std::size_t s) { return is_in_balance(strands, outcomes, s); });
  });
  der::RestState start = initial;
  const auto sweep_again = [&] {
    Status status = strands.set_rest(start);
    return status ? sweep(least, MuChoice::kept, state, strands, outcomes) : status;
  };
  // First the edges: what joints need depends on the rest lengths beside them.
  couple(options, strands, sets, &der::RestState::stretch_modulus, initial, strands.rest_state(), start);
  if (Status status = sweep_again(); !status) return status;
  const der::RestState swept = strands.rest_state();
  for (const Moduli kind : {&der::RestState::bend_modulus, &der::RestState::twist_modulus})
    couple(options, strands, sets, kind, initial, swept, start);
  return sweep_again();
}

}  // namespace tendril::sagfree
