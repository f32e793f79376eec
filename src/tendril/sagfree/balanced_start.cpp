#include "tendril/sagfree/balanced_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/sagfree/polish.hpp"

namespace tendril::sagfree {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();

// Where the parameters of one joint stand; -1: not a variable.
struct Places {
  Index curvature = -1, curvatures = 0, bend = -1, rest_twist = -1, twist = -1, rest_length = -1, stretch = -1;
};

Places places_of(const StrandProblem& problem, std::size_t joint) {
  Places places;
  for (std::size_t i = 0; i < problem.parameters_per_joint(); ++i) {
    const std::size_t index = joint * problem.parameters_per_joint() + i;
    if (problem.is_fixed(index)) continue;
    const auto at = Index(index);
    switch (problem.variable(index)) {
      case Variable::curvature0: places.curvature = at; [[fallthrough]];
      case Variable::curvature1:
      case Variable::curvature2:
      case Variable::curvature3: ++places.curvatures; break;
      case Variable::bend: places.bend = at; break;
      case Variable::rest_twist: places.rest_twist = at; break;
      case Variable::twist: places.twist = at; break;
      case Variable::rest_length: places.rest_length = at; break;
      case Variable::stretch: places.stretch = at; break;
    }
  }
  return places;
}

// The least φ >= 1 with lower <= drawn - strain/φ <= upper; infinity if there is none.
double needed_factor(double drawn, double strain, double lower, double upper) {
  const double room = strain > 0.0 ? drawn - lower : upper - drawn;
  if (std::abs(strain) <= room) return 1.0;
  return room > 0.0 ? std::abs(strain) / room : infinity;
}

// Of the three kinds of a joint and its edge, with what it needs to stay within the box.
CommonFactors needed_factors(const StrandProblem& problem, const Box& box, const VectorXd& rest, std::size_t joint) {
  const Places at = places_of(problem, joint);
  CommonFactors factors = {1.0, 1.0, 1.0};
  const auto need = [&](Index i, double drawn) {
    return needed_factor(drawn, drawn - rest[i], box.lower[i], box.upper[i]);
  };
  for (Index c = 0; at.bend >= 0 && c < at.curvatures; ++c)
    factors[0] = std::max(factors[0], need(at.curvature + c, problem.drawn_value(std::size_t(at.curvature + c))));
  if (at.twist >= 0) factors[1] = need(at.rest_twist, problem.drawn_value(std::size_t(at.rest_twist)));
  if (at.stretch >= 0) {  // in strains about the drawn length: l = drawn / (1 + strain)
    const double drawn = problem.drawn_value(std::size_t(at.rest_length));
    const double strain = drawn / rest[at.rest_length] - 1.0;
    const double most = drawn / box.lower[at.rest_length] - 1.0, least = drawn / box.upper[at.rest_length] - 1.0;
    const double room = strain > 0.0 ? most : -least;
    if (std::abs(strain) > room) factors[2] = room > 0.0 ? std::abs(strain) / room : infinity;
  }
  return factors;
}

// The largest factor that counts: beyond it a bound is as good as impossible.
double sensible(double factor) { return factor < 1e9 ? factor : 1.0; }

void stiffen_joint(const StrandProblem& problem, const CommonFactors& factors, std::size_t joint, VectorXd& p) {
  const Places at = places_of(problem, joint);
  const auto relax = [&](Index i, double factor) {
    const double drawn = problem.drawn_value(std::size_t(i));
    p[i] = drawn - (drawn - p[i]) / factor;
  };
  if (at.bend >= 0) {
    for (Index c = 0; c < at.curvatures; ++c) relax(at.curvature + c, factors[0]);
    p[at.bend] *= factors[0];
  }
  if (at.twist >= 0) relax(at.rest_twist, factors[1]), p[at.twist] *= factors[1];
  if (at.stretch >= 0) {
    const double drawn = problem.drawn_value(std::size_t(at.rest_length));
    p[at.rest_length] = drawn / (1.0 + (drawn / p[at.rest_length] - 1.0) / factors[2]);
    p[at.stretch] *= factors[2];
  }
}

}  // namespace

VectorXd balancing_rest_shape(const StrandProblem& problem) {
  Box box{problem.initial(), problem.initial()};
  for (std::size_t i = 0; i < problem.size(); ++i) {
    if (is_stiffness(problem.variable(i)) || problem.is_fixed(i)) continue;
    const bool is_length = problem.variable(i) == Variable::rest_length;
    box.lower[Index(i)] = is_length ? 1e-3 * problem.initial()[Index(i)] : -infinity;
    box.upper[Index(i)] = infinity;
  }
  VectorXd p = problem.initial();
  polish(problem, box, p);
  return p;
}

void gather_factors(const StrandProblem& problem, const Box& box, const VectorXd& rest, CommonFactors& common) {
  for (std::size_t j = 0; j < problem.size() / problem.parameters_per_joint(); ++j) {
    const CommonFactors needed = needed_factors(problem, box, rest, j);
    for (std::size_t kind = 0; kind < 3; ++kind) common[kind] = std::max(common[kind], sensible(needed[kind]));
  }
}

VectorXd stiffen(const StrandProblem& problem, const Box& box, const VectorXd& rest, const CommonFactors& least) {
  VectorXd p = rest;
  for (std::size_t j = 0; j < problem.size() / problem.parameters_per_joint(); ++j) {
    CommonFactors factors = needed_factors(problem, box, rest, j);
    for (std::size_t kind = 0; kind < 3; ++kind) factors[kind] = std::max(least[kind], sensible(factors[kind]));
    stiffen_joint(problem, factors, j, p);
  }
  return p.cwiseMax(box.lower).cwiseMin(box.upper);
}

}  // namespace tendril::sagfree
