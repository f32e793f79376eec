#include "tendril/sagfree/general.hpp"

#include <algorithm>
#include <deque>
#include <numeric>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"
#include "tendril/sagfree/balanced_start.hpp"
#include "tendril/sagfree/determinate.hpp"
#include "tendril/sagfree/polish.hpp"

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
  bool is_at_bounds(const VectorXd& p, const Box& box, double mu) const {
    const bool is_rest_alone = problem.is_rest_only() || mu == 0.0;
    for (std::size_t i = 0; i < problem.size(); ++i) {
      const auto at = Eigen::Index(i);
      if (problem.is_fixed(i)) continue;
      if (is_stiffness(problem.variable(i)) && p[at] >= box.upper[at]) return true;
      if (is_rest_alone && (p[at] <= box.lower[at] || p[at] >= box.upper[at])) return true;
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
  bool is_balanced = false;

  int all_negative_modes() const { return std::accumulate(negative_modes.begin(), negative_modes.end(), 0); }
};

// The strands of a set: usually one.
class SetSearch {
 public:
  SetSearch(const Options& options, const der::State& state, const der::Strands& strands, const der::Targets& targets,
            const std::vector<std::size_t>& set)
      : options_(options), strands_(strands) {
    for (const std::size_t s : set) members_.emplace_back(options, state, strands, targets, s);
  }

  void run(der::RestState& rest, std::vector<StrandOutcome>& outcomes) {
    std::vector<VectorXd> start;
    std::vector<Bounds> bounds;
    for (const Member& member : members_) {
      start.push_back(starts_in_balance() ? balancing_rest_shape(member.problem) : member.problem.initial());
      const bool is_chosen = is_determinate(strands_, member.strand) && outcomes[member.strand].mu > 0.0;
      bounds.push_back({options_.mu.value_or(is_chosen ? outcomes[member.strand].mu : Options::largest_mu), 0.0});
    }
    const Attempt found = search_stable(start, std::move(bounds));
    for (std::size_t i = 0; i < members_.size(); ++i) {
      const Member& member = members_[i];
      StrandOutcome& outcome = outcomes[member.strand];
      outcome.mu = found.bounds[i].mu, outcome.negative_modes = found.negative_modes[i];
      outcome.newton_iterations = newton_;
      outcome.qp_iterations = newton_ > 0 ? double(qp_iterations_) / newton_ : 0.0;
      // A strand that the sweep found bounded stays so.
      const bool bounded = outcome.status == StrandStatus::bounded ||
                           member.is_at_bounds(found.p[i], box_within(member, found.bounds[i]), found.bounds[i].mu);
      outcome.status = bounded ? StrandStatus::bounded : StrandStatus::stopped;
      member.problem.store(found.p[i], strands_, rest);
    }
  }

 private:
  bool starts_in_balance() const { return options_.mode == Mode::sweep || options_.start == Start::sweep; }

  Box box_within(const Member& member, const Bounds& bounds) const {
    Box box = box_of(member.problem, options_, bounds.mu);
    if (bounds.tautness > 0.0) tauten(member.problem, bounds.tautness, box);
    return box;
  }

  Attempt search(const std::vector<VectorXd>& start, std::vector<Bounds> bounds) {
    std::vector<const StrandProblem*> problems;
    std::vector<Box> boxes;
    for (std::size_t i = 0; i < members_.size(); ++i) {
      problems.push_back(&members_[i].problem);
      boxes.push_back(box_within(members_[i], bounds[i]));
    }
    const bool shared = options_.sharing != Sharing::element && options_.mode != Mode::rest_shape;
    const CoupledProblem problem(std::move(problems), shared);
    const Box box = problem.join(boxes);
    const VectorXd first = problem.join(starts_in_balance() ? stiffened(start, boxes, shared) : start);
    VectorXd z = first;
    Attempt attempt{std::move(bounds), {}, {}, minimise_surely(problem, box, z), false};
    if (meets_balance(options_.mode)) polish(problem, box, z);
    const double left = constraint_norm(problem, z);
    attempt.is_balanced = left <= options_.tolerance * constraint_norm(problem, problem.initial());
    // Where there is no balance the search may wander off: without a gain nothing changes.
    constexpr double least_gain = 0.9;
    if (const double before = constraint_norm(problem, first); !attempt.is_balanced && left > least_gain * before) {
      z = first;
      attempt.is_balanced = before <= options_.tolerance * constraint_norm(problem, problem.initial());
    }
    for (std::size_t i = 0; i < members_.size(); ++i) {
      attempt.p.push_back(problem.expand(z, i));
      attempt.negative_modes.push_back(options_.check_stability ? members_[i].negative_modes(options_, attempt.p.back())
                                                                : 0);
    }
    return attempt;
  }

  // Rest shapes that balance, brought into their boxes by stiffness, which strands share or not.
  std::vector<VectorXd> stiffened(const std::vector<VectorXd>& rest, const std::vector<Box>& boxes, bool shared) const {
    CommonFactors common = {1.0, 1.0, 1.0};
    for (std::size_t i = 0; shared && i < members_.size(); ++i)
      gather_factors(members_[i].problem, boxes[i], rest[i], common);
    std::vector<VectorXd> out;
    for (std::size_t i = 0; i < members_.size(); ++i)
      out.push_back(stiffen(members_[i].problem, boxes[i], rest[i], common));
    return out;
  }

  static double constraint_norm(const CoupledProblem& problem, const VectorXd& z) {
    VectorXd force;
    problem.force(z, force);
    return force.cwiseProduct(problem.inverse_mass().cwiseSqrt()).norm();
  }

  // A growing penalty is several times faster but may stall, and a constant one does not. What is handed on from the
  // sweep gets both.
  LagrangianReport minimise_surely(const CoupledProblem& problem, const Box& box, VectorXd& z) {
    LagrangianOptions options = lagrangian_options(options_);
    if (options_.mode == Mode::sweep) options.stall_iterations = 40;
    VectorXd constant = z;
    LagrangianReport report = minimise(problem, box, options, {}, z);
    newton_ += report.iterations, qp_iterations_ += report.qp_iterations;
    if (report.ending == Ending::converged || options_.mode != Mode::sweep) return report;
    options.growth = false, options.stall_iterations = 150;  // it may get much worse before it gets better
    const LagrangianReport second = minimise(problem, box, options, {}, constant);
    newton_ += second.iterations, qp_iterations_ += second.qp_iterations;
    if (second.constraint < report.constraint) z = std::move(constant), report = second;
    return report;
  }

  // The next thing to try for a strand that is unstable. One that is strung between its ends is made taut; where that
  // does not help, and for all others, mu is halved, as in the sweep but without its bisections: every try is an
  // optimisation.
  void tighten(const Member& member, Bounds& bounds) const {
    constexpr double least_tautness = 1e-6, most_tautness = 1e-2;
    const double next = std::max(least_tautness, 4.0 * bounds.tautness);
    if (member.problem.is_strung() && next < std::min(most_tautness, member.problem.largest_strain(0)))
      bounds.tautness = next;
    else
      bounds.mu *= 0.5, bounds.tautness = 0.0;
  }

  Attempt search_stable(const std::vector<VectorXd>& start, std::vector<Bounds> bounds) {
    constexpr int most_tries = 14, most_failures = 2;
    Attempt best = search(start, bounds);
    std::vector<int> negative_modes = best.negative_modes;
    int failures = 0;  // in a row: what does not balance will not when it is bound more tightly
    for (int tries = 0; tries < most_tries && failures < most_failures; ++tries) {
      if (options_.mu || !best.is_balanced || best.all_negative_modes() == 0) break;
      for (std::size_t i = 0; i < bounds.size(); ++i)
        if (negative_modes[i] > 0) tighten(members_[i], bounds[i]);
      Attempt next = search(start, bounds);
      failures = next.is_balanced ? 0 : failures + 1;
      if (!next.is_balanced) continue;
      negative_modes = next.negative_modes;
      if (next.all_negative_modes() < best.all_negative_modes()) best = std::move(next);
    }
    return best;
  }

  const Options& options_;
  const der::Strands& strands_;
  std::deque<Member> members_;  // which stay where they are
  int newton_ = 0, qp_iterations_ = 0;
};

}  // namespace

void optimise_generally(const Options& options, const der::State& state, const der::Strands& strands,
                        const std::vector<std::vector<std::size_t>>& sets, Progress& progress, der::RestState& rest,
                        std::vector<StrandOutcome>& outcomes) {
  const der::Targets targets = strands.make_targets();
  parallel_for(sets.size(), [&](std::size_t i) {
    SetSearch(options, state, strands, targets, sets[i]).run(rest, outcomes);
    progress.add(sets[i].size());
  });
}

}  // namespace tendril::sagfree
