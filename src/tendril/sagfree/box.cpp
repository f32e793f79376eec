#include "tendril/sagfree/box.hpp"

#include <algorithm>

namespace tendril::sagfree {

Box box_of(const StrandProblem& problem, const Options& options, double mu) {
  const auto n = Eigen::Index(problem.size());
  Box box{problem.initial(), problem.initial()};
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto index = std::size_t(i);
    const Variable v = problem.variable(index);
    const double p0 = problem.initial()[i];
    // The length of a held edge pulls at nothing that can move: it would only be a crooked way to soften the joint.
    if (problem.is_fixed(index)) continue;
    if (is_stiffness(v)) {
      box.lower[i] = options.floor * p0, box.upper[i] = options.cap * p0;
    } else if (v == Variable::rest_length) {
      const double length = problem.drawn_length(index), strain = problem.largest_strain(index);
      const double shortest = std::max(options.shortest, 1.0 / (1.0 + strain));
      const double longest = strain < 1.0 ? std::min(options.longest, 1.0 / (1.0 - strain)) : options.longest;
      box.lower[i] = std::min(p0, shortest * length), box.upper[i] = std::max(p0, longest * length);
    } else {
      const double bound = v == Variable::rest_twist ? options.twist_share * mu : mu;
      box.lower[i] = p0 - bound, box.upper[i] = p0 + bound;
    }
  }
  return box;
}

void tauten(const StrandProblem& problem, double strain, Box& box) {
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (problem.variable(i) != Variable::rest_length || problem.is_fixed(i)) continue;
    double& upper = box.upper[Eigen::Index(i)];
    upper = std::max(box.lower[Eigen::Index(i)], std::min(upper, problem.drawn_length(i) / (1.0 + strain)));
  }
}

}  // namespace tendril::sagfree
