#include "tendril/sagfree/general.hpp"

#include <algorithm>
#include <deque>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"
#include "tendril/sagfree/polish.hpp"
#include "tendril/sagfree/sweep.hpp"

namespace tendril::sagfree {
namespace {

using Eigen::VectorXd;

bool meets_balance(Mode mode) { return mode == Mode::full || mode == Mode::sweep; }

Freedom freedom_of(const Options& options) {
  const bool four = options.curvature_variables == CurvatureVariables::four;
  if (options.mode == Mode::rest_shape) return four ? Freedom::rest_shape4 : Freedom::rest_shape;
  return four ? Freedom::full4 : Freedom::full;
}

LagrangianOptions lagrangian_options(const Options& options) {
  LagrangianOptions out;
  out.multipliers = meets_balance(options.mode);
  out.growth = options.growth || options.mode == Mode::sweep;
  out.balance_tolerance = 1e-5;  // polish() does the rest
  out.max_iterations = options.max_iterations;
  out.stiffness_weight = options.stiffness_weight, out.rest_weight = options.rest_weight;
  out.smoothness = options.smoothness, out.storage = options.storage;
  return out;
}

// One strand as it is drawn, and as a problem.
struct Member {
  std::size_t strand;
  der::Rod rod;
  StrandProblem problem;

  Member(const Options& options, const der::State& state, const der::Strands& strands, const der::Targets& targets,
         std::size_t s)
      : strand(s),
        rod(der::extract(strands, targets, state, s)),
        problem(strands, targets, state, s, options.gravity, freedom_of(options)) {}

  int negative_modes(const Options& options, const VectorXd& p) const {
    der::Rod changed = rod;
    problem.apply(p, changed);
    return der::StaticPotential(changed, options.gravity).negative_modes();
  }

  // Whether a bound on what has to change stands in the way: on stiffness, or on rest shape if nothing else may change.
  bool is_at_bounds(const VectorXd& p, const Box& box) const {
    for (std::size_t i = 0; i < problem.size(); ++i) {
      const auto at = Eigen::Index(i);
      if (problem.is_of_held_edge(i)) continue;
      if (is_stiffness(problem.variable(i)) && p[at] >= box.upper[at]) return true;
      if (problem.is_rest_only() && (p[at] <= box.lower[at] || p[at] >= box.upper[at])) return true;
    }
    return false;
  }
};

// How tightly a strand is bound.
struct Bounds {
  double mu = Options::largest_mu;
  double tautness = 0.0;  // least strain of its edges
};

// Bounds of every strand, the optimum within them, and what is known of its stability.
struct Attempt {
  std::vector<Bounds> bounds;
  std::vector<VectorXd> p;
  std::vector<int> negative_modes;
  LagrangianReport report;

  bool is_stable() const {
    return std::ranges::all_of(negative_modes, [](int count) { return count == 0; });
  }
};

// The strands of a set: usually one.
class SetSearch {
 public:
  SetSearch(const Options& options, const der::State& state, const der::Strands& strands,
            const std::vector<std::size_t>& set)
      : options_(options), strands_(strands) {
    const der::Targets targets = strands.make_targets();
    for (const std::size_t s : set) members_.emplace_back(options, state, strands, targets, s);
  }

  void run(bool from_rest, der::RestState& rest, std::vector<StrandOutcome>& outcomes) const {
    std::vector<VectorXd> start;
    for (const Member& member : members_)
      start.push_back(from_rest ? member.problem.read(strands_, rest) : member.problem.initial());
    const Attempt found = search_stable(start);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      StrandOutcome& outcome = outcomes[member.strand];
      const int newton = found.report.iterations;
      outcome.mu = found.bounds[i].mu, outcome.negative_modes = found.negative_modes[i];
      outcome.newton_iterations = newton;
      outcome.qp_iterations = newton > 0 ? double(found.report.qp_iterations) / newton : 0.0;
      // A strand that the sweep found bounded stays so.
      if (outcome.status != StrandStatus::bounded)
        outcome.status = member.is_at_bounds(found.p[i], box_within(member, found.bounds[i])) ? StrandStatus::bounded
                                                                                              : StrandStatus::stopped;
      member.problem.store(found.p[i], strands_, rest);
    }
  }

 private:
  Box box_within(const Member& member, const Bounds& bounds) const {
    Box box = box_of(member.problem, options_, bounds.mu);
    if (bounds.tautness > 0.0) tauten(member.problem, bounds.tautness, box);
    return box;
  }

  Attempt search(const std::vector<VectorXd>& start, std::vector<Bounds> bounds) const {
    std::vector<const StrandProblem*> problems;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      problems.push_back(&members_[i].problem);
      boxes.push_back(box_within(members_[i], bounds[i]));
    }
    const bool shared = options_.sharing != Sharing::element && options_.mode != Mode::rest_shape;
    const CoupledProblem problem(std::move(problems), shared);
    const Box box = problem.join(boxes);
    VectorXd z = problem.join(start);
    Attempt attempt{std::move(bounds), {}, {}, minimise_surely(problem, box, z)};
    if (meets_balance(options_.mode)) polish(problem, box, z);
    if (!is_better(problem, z, problem.join(start))) z = problem.join(start);
    for (std::size_t i = 0; i < members_.size(); ++i) {
      attempt.p.push_back(problem.expand(z, i));
      attempt.negative_modes.push_back(options_.check_stability ? members_[i].negative_modes(options_, attempt.p.back())
                                                                : 0);
    }
    return attempt;
  }

  // Where there is no balance the search may wander off: then nothing changes.
  static bool is_better(const CoupledProblem& problem, const VectorXd& z, const VectorXd& start) {
    VectorXd found, before;
    problem.force(z, found), problem.force(start, before);
    const VectorXd weight = problem.inverse_mass().cwiseSqrt();
    return found.cwiseProduct(weight).norm() < before.cwiseProduct(weight).norm();
  }

  // A growing penalty is several times faster but may stall, and a constant one does not. What is handed on from the
  // sweep gets both.
  LagrangianReport minimise_surely(const CoupledProblem& problem, const Box& box, VectorXd& z) const {
    LagrangianOptions options = lagrangian_options(options_);
    VectorXd constant = z;
    const LagrangianReport growing = minimise(problem, box, options, {}, z);
    if (growing.ending == Ending::converged || options_.mode != Mode::sweep) return growing;
    options.growth = false;
    LagrangianReport report = minimise(problem, box, options, {}, constant);
    if (report.constraint < growing.constraint) z = std::move(constant);
    report.iterations += growing.iterations, report.qp_iterations += growing.qp_iterations;
    return report;
  }

  // A strand that is held at both ends is made taut, like a string; where that does not help, and for all others, mu is
  // halved, as in the sweep but without its bisections: every try is an optimisation.
  void tighten(const Member& member, Bounds& bounds) const {
    constexpr double least_tautness = 1e-6, most_tautness = 1e-2;
    if (is_determinate(strands_, member.strand) || bounds.tautness >= most_tautness)
      bounds.mu *= 0.5;
    else
      bounds.tautness = std::max(least_tautness, 4.0 * bounds.tautness);
  }

  Attempt search_stable(const std::vector<VectorXd>& start) const {
    constexpr int most_tries = 14;
    const Bounds first{options_.mu.value_or(Options::largest_mu), 0.0};
    Attempt best = search(start, std::vector<Bounds>(members_.size(), first));
    std::vector<Bounds> bounds = best.bounds;
    std::vector<int> negative_modes = best.negative_modes;
    for (int tries = 0; !options_.mu && !best.is_stable() && tries < most_tries; ++tries) {
      for (std::size_t i = 0; i < bounds.size(); ++i)
        if (negative_modes[i] > 0) tighten(members_[i], bounds[i]);
      Attempt next = search(start, bounds);
      if (next.report.ending == Ending::converged) best = std::move(next), negative_modes = best.negative_modes;
    }
    return best;
  }

  const Options& options_;
  const der::Strands& strands_;
  std::deque<Member> members_;  // which stay where they are
};

}  // namespace

void optimise_generally(const Options& options, const der::State& state, const der::Strands& strands,
                        const std::vector<std::vector<std::size_t>>& sets, bool from_rest, Progress& progress,
                        der::RestState& rest, std::vector<StrandOutcome>& outcomes) {
  parallel_for(sets.size(), [&](std::size_t i) {
    SetSearch(options, state, strands, sets[i]).run(from_rest, rest, outcomes);
    progress.add(sets[i].size());
  });
}

}  // namespace tendril::sagfree
