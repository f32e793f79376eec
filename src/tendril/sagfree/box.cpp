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
    if (problem.is_of_held_edge(index)) continue;
    if (is_stiffness(v)) {
      if (p0 > 0.0) box.lower[i] = options.floor * std::min(1.0, p0), box.upper[i] = options.cap * p0;
    } else if (v == Variable::rest_length) {
      const double length = problem.drawn_length(index);
      box.lower[i] = std::min(p0, options.shortest * length), box.upper[i] = std::max(p0, options.longest * length);
    } else {
      const double bound = v == Variable::rest_twist ? options.twist_share * mu : mu;
      box.lower[i] = p0 - bound, box.upper[i] = p0 + bound;
    }
  }
  return box;
}

}  // namespace tendril::sagfree
