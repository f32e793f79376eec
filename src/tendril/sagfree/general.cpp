#include "tendril/sagfree/general.hpp"

#include <algorithm>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"

namespace tendril::sagfree {
namespace {

LagrangianOptions lagrangian_options(const Options& options) {
  LagrangianOptions out;
  out.multipliers = options.mode == Mode::full || options.mode == Mode::sweep;
  out.growth = options.growth;
  out.balance_tolerance = 1e-5;  // polish() does the rest
  out.max_iterations = options.max_iterations;
  out.stiffness_weight = options.stiffness_weight, out.rest_weight = options.rest_weight;
  return out;
}

// One strand: with mu chosen, the optimum there and what is known of its stability.
struct Attempt {
  Eigen::VectorXd p;
  LagrangianReport report;
  int negative_modes = 0;
};

class StrandSearch {
 public:
  StrandSearch(const Options& options, const der::State& state, const der::Strands& strands, std::size_t strand)
      : options_(options),
        targets_(strands.make_targets()),
        rod_(der::extract(strands, targets_, state, strand)),
        problem_(strands, targets_, state, strand, options.gravity,
                 options.mode == Mode::rest_shape ? Freedom::rest_shape : Freedom::full) {}

  const StrandProblem& problem() const { return problem_; }

  Attempt search(const Eigen::VectorXd& start, double mu) const {
    Attempt attempt{start, {}, 0};
    const Box box = box_of(problem_, options_, mu);
    attempt.report = minimise(problem_, box, lagrangian_options(options_), {}, attempt.p);
    if (options_.mode == Mode::full || options_.mode == Mode::sweep) polish(problem_, box, attempt.p);
    if (options_.check_stability) {
      der::Rod rod = rod_;
      problem_.apply(attempt.p, rod);
      attempt.negative_modes = der::StaticPotential(rod, options_.gravity).negative_modes();
    }
    return attempt;
  }

 private:
  const Options& options_;
  der::Targets targets_;
  der::Rod rod_;
  StrandProblem problem_;
};

// mu is halved while the optimum is unstable, as in the sweep but without its bisections: every try is an optimisation.
Attempt search_stable(const Options& options, const StrandSearch& strand, const Eigen::VectorXd& start, double& mu) {
  constexpr int most_halvings = 6;
  mu = options.mu.value_or(Options::largest_mu);
  Attempt best = strand.search(start, mu);
  for (int halving = 0; !options.mu && best.negative_modes > 0 && halving < most_halvings; ++halving) {
    Attempt next = strand.search(start, 0.5 * mu);
    if (next.report.ending != Ending::converged) break;
    best = std::move(next), mu *= 0.5;
  }
  return best;
}

}  // namespace

void optimise_generally(const Options& options, const der::State& state, const der::Strands& strands,
                        const std::vector<std::size_t>& which, bool from_rest, der::RestState& rest,
                        std::vector<StrandOutcome>& outcomes) {
  parallel_for(which.size(), [&](std::size_t i) {
    const std::size_t s = which[i];
    const StrandSearch strand(options, state, strands, s);
    StrandOutcome& outcome = outcomes[s];
    const Eigen::VectorXd start = from_rest ? strand.problem().read(strands, rest) : strand.problem().initial();
    const Attempt found = search_stable(options, strand, start, outcome.mu);
    outcome.newton_iterations = found.report.iterations;
    outcome.qp_iterations =
        found.report.iterations > 0 ? double(found.report.qp_iterations) / found.report.iterations : 0;
    outcome.negative_modes = found.negative_modes;
    strand.problem().store(found.p, strands, rest);
  });
}

}  // namespace tendril::sagfree
