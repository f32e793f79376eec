// One strand as an optimisation problem: parameters p, the net force f(p) on its unknowns, and derivatives
// (docs/theory/sag-free.md, "The general problem").
//
// Parameters stand joint after joint, from the root: what belongs to the joint, then what belongs to the edge after it.
// A first edge that can move, of a strand that is free at its root, stands before them like an edge after a joint.
// Stiffness is counted in the strand's mean modulus s. Vectors over unknowns have four entries per vertex, ghosts of
// point clamps included; those that are held are zero.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "tendril/linalg/banded_ldlt.hpp"
#include "tendril/rods/der/rod.hpp"

namespace tendril::sagfree {

enum class Variable : std::uint8_t {
  curvature0,
  curvature1,
  curvature2,
  curvature3,
  bend,  // beta, of the joint
  rest_twist,
  twist,        // gamma
  rest_length,  // [m], of the edge after the joint
  stretch,      // alpha
};
inline bool is_stiffness(Variable v) { return v == Variable::bend || v == Variable::twist || v == Variable::stretch; }

// Which parameters may change.
enum class Freedom : std::uint8_t {
  full,         // kappa_0, kappa_1, beta, m, gamma, l, alpha: 7 per joint
  full4,        // kappa_0 ... kappa_3 and the others: 9
  rest_shape,   // kappa_0, kappa_1, m, l: 4
  rest_shape4,  // kappa_0 ... kappa_3, m, l: 6
};
std::span<const Variable> variables_of(Freedom freedom);

// How the two dependent components of rest curvature follow from the others: turned by the twist (Eq. 1), or copied,
// which is right without twist alone.
enum class Dependent : std::uint8_t { turned, copied };

// The derivative of the force by a parameter is nonzero on a short range of unknowns.
struct ForceColumn {
  std::size_t first = 0, count = 0;
  std::array<double, 15> values{};

  double dot(const Eigen::VectorXd& y) const;
};

class StrandProblem {
 public:
  StrandProblem(const der::Strands& strands, const der::Targets& targets, const der::State& state, std::size_t strand,
                const Eigen::Vector3d& gravity, Freedom freedom, Dependent dependent = Dependent::turned);

  std::size_t size() const { return variables_.size() * joints_.size(); }
  bool is_rest_only() const { return std::ranges::none_of(variables_, is_stiffness); }
  std::size_t parameters_per_joint() const { return variables_.size(); }
  std::size_t half_bandwidth() const { return 3 * variables_.size(); }
  Variable variable(std::size_t index) const { return variables_[index % variables_.size()]; }

  const Eigen::VectorXd& initial() const { return initial_; }            // p0
  const Eigen::VectorXd& inverse_mass() const { return inverse_mass_; }  // 0 where an unknown is held
  double mean_modulus() const { return mean_; }                          // [Pa] s
  double drawn_length(std::size_t index) const;  // [m] of the edge that parameter `index` belongs to
  // Of rest curvature, rest twist or rest length: the value for which there is no strain as drawn.
  double drawn_value(std::size_t index) const;
  // Nothing to choose: of an edge between vertices that are held, of a clamp's ghost, or of a joint that is none.
  bool is_fixed(std::size_t index) const;
  bool is_strung() const;  // both end vertices are held

  // Largest strain of the edge that parameter `index` belongs to. A strand that is held at more than its root could
  // pull at itself as hard as it likes: ten times its load and a thousandth of strain are more than it needs.
  double largest_strain(std::size_t index) const;
  // What changes of a parameter are counted in (Eq. 2): 1, or [m] for rest lengths.
  double unit(std::size_t index) const;

  void force(const Eigen::VectorXd& p, Eigen::VectorXd& f) const;
  void jacobian(const Eigen::VectorXd& p, std::vector<ForceColumn>& columns) const;
  // hessian += weight Jᵀ diag(inverse mass) J
  void add_gauss_newton(const std::vector<ForceColumn>& columns, double weight, Band<double>& hessian) const;

  // p from the rest state of all strands, and into it; and into the parameters of this strand alone.
  Eigen::VectorXd read(const der::Strands& strands, const der::RestState& rest) const;
  void store(const Eigen::VectorXd& p, const der::Strands& strands, der::RestState& rest) const;
  void apply(const Eigen::VectorXd& p, der::Rod& rod) const;

 private:
  using Slope = std::array<double, 11>;
  struct Edge {
    Eigen::Vector3d tangent;
    double length = 0.0, area = 0.0;  // [m], [m2]
    std::array<double, 3> second{};   // [m4] of bending towards m1 and m2, and twice the polar one; 0: a ghost's
    double rest_length = 0.0, stretch = 0.0;  // initial
    double reference_length = 0.0;            // [m] l_0, which rest strains are about
  };
  struct Joint {
    std::size_t slot = 0;
    bool bends = false;  // else it only stands for the edge after it
    std::array<double, 4> curvature{}, rest_curvature{};
    std::array<Slope, 4> slopes{};
    double twist = 0.0, rest_twist = 0.0, bend = 0.0, torsion = 0.0;  // rest and stiffness: initial
    Slope twist_slope{};
    std::array<double, 4> dependent{};  // rows of what makes kappa_2, kappa_3 of kappa_0, kappa_1
  };
  // All that a joint's force depends on, at p.
  struct Strained {
    std::array<double, 4> stiffness_per_bend{}, strain{};  // [N m] at beta = 1; kappa - rest
    double bend = 0.0, torsion = 0.0, torsion_per_twist = 0.0, wound = 0.0;
    std::array<double, 3> compliance{};  // sums of rest length over second moment
  };

  Edge make_edge_data(const der::Strands& strands, const der::Rod& rod, std::size_t slot) const;
  Joint make_joint_data(const der::Strands& strands, const der::Rod& rod, std::size_t slot) const;
  void set_initial();
  void set_external(const der::Rod& rod, const Eigen::Vector3d& gravity);

  double value(const Eigen::VectorXd& p, std::size_t joint, Variable variable, double fallback) const;
  double rest_length(const Eigen::VectorXd& p, std::size_t slot) const;
  double rest_strain(const Eigen::VectorXd& p, std::size_t slot) const;
  double stretch(const Eigen::VectorXd& p, std::size_t slot) const;
  Strained strained(const Eigen::VectorXd& p, std::size_t joint) const;
  Slope bending_slope(const Joint& joint, const Strained& s, bool per_bend) const;
  Slope softening_slope(const Joint& joint, const Strained& s, std::size_t edge) const;
  ForceColumn column(const Eigen::VectorXd& p, std::size_t joint, Variable variable) const;
  ForceColumn length_column(const Eigen::VectorXd& p, std::size_t joint) const;
  ForceColumn stretch_column(const Eigen::VectorXd& p, std::size_t slot, Variable variable, std::size_t before) const;
  bool is_held_vertex(std::size_t slot) const;
  bool is_held_edge(std::size_t slot) const;

  std::size_t strand_;
  std::vector<Variable> variables_;
  Dependent dependent_;
  int components_ = 4;                // of curvature
  std::size_t first_ = 0, last_ = 0;  // slots of the user's vertices
  double mean_ = 1.0;
  double load_ = 0.0;  // [N] sum of the norms of all forces from outside
  bool is_determinate_ = true;
  std::vector<Edge> edges_;  // by slot
  std::vector<Joint> joints_;
  std::vector<std::ptrdiff_t> joint_of_;  // by slot; -1: none
  std::vector<char> is_free_;
  Eigen::VectorXd initial_, external_, inverse_mass_;
};

}  // namespace tendril::sagfree
