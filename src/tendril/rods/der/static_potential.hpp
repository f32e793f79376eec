// The energy of one rod under dead loads as an incremental potential: statics minimises it, and with a proximal term
// for inertia so does an implicit step in time.
//
// The unknowns are displacements from a base pose. A stiff thin strand has EA a million times its weight, so the
// rounding of a position by 1e-17 m already unbalances it by 1e-8 to 1e-6 of its load: the base therefore keeps what
// positions lose (Rod::low), and recentre() moves it to where the displacements have led. With small displacements from
// a precise base the equilibrium can be met to 1e-10 of the load and better.
#pragma once

#include <Eigen/Core>

#include "tendril/contracts/incremental_potential.hpp"
#include "tendril/rods/der/rod.hpp"

namespace tendril::der {

class StaticPotential {
 public:
  StaticPotential(const Rod& rod, const Eigen::Vector3d& gravity) : rod_(rod), base_(rod), gravity_(gravity) {
    if (base_.low.empty()) base_.low.assign(3 * std::size_t(rod.vertices), 0.0);
    rod_ = base_;
    for (int k = rod.first; k + 1 < rod.first + rod.user_vertices; ++k) total_length_ += user_length(k);
    applied_load_ = find_applied_load();
  }

  void set_load_factor(double factor) { load_factor_ = factor; }

  // Adds (1/2) sum_i weight_i (u_i - centre_i)^2 in the displacements u. With weight = mass/h^2 and centre = h times
  // the velocity that inertia aims at, the minimum is an implicit Euler step (docs/theory/der.md, Eq. 14).
  void set_proximal(Eigen::VectorXd weight, Eigen::VectorXd centre) {
    proximal_weight_ = std::move(weight), proximal_centre_ = std::move(centre);
  }

  // The tension that factorise() puts into the geometric stiffness, one per edge; empty: that of the pose. A step that
  // turns a stiff edge stretches it by second order, and the tension of that false stretch would lock the edge's
  // direction; the tension predicted by the linear system does not (docs/theory/der.md, "Statics").
  void set_tension(std::vector<double> tension) { tension_ = std::move(tension); }
  std::vector<double> predicted_tension(const Eigen::VectorXd& increment) const;  // at the last gradient
  double largest_turn(const Eigen::VectorXd& increment) const;                    // [rad] of any edge or angle

  double value(const Eigen::VectorXd& displacement);
  void gradient(const Eigen::VectorXd& displacement, Eigen::VectorXd& out);
  bool factorise(const Eigen::VectorXd& displacement);
  void solve(const Eigen::VectorXd& rhs, Eigen::VectorXd& out) const;

  void recentre(Eigen::VectorXd& displacement);  // the base moves there; displacement becomes zero
  const Rod& rod() const { return rod_; }        // at the last gradient

  // Norm of forces; a torque counts as a force with the whole strand as its lever, as the moments of loads do.
  double norm(const Eigen::VectorXd& forces) const;
  // What residuals are compared with: the loads on the free unknowns; where there are none, what the holds take at the
  // last gradient, but no less than the force that bends a joint by a millionth.
  double load() const;
  // The norm of forces that rounding alone can make.
  double rounding() const;
  // Negative pivots of the exact Hessian over the free unknowns: 0 means a stable equilibrium. What is zero but for
  // rounding, such as the turning of a strand about the pin that it hangs from, does not count.
  int negative_modes() const;

 private:
  double find_applied_load() const;
  double joint_stiffness(int k) const;  // [N m]
  double user_length(int k) const;      // [m] at rest, of edge k or of the user's nearest one if that is a ghost
  double joint_force() const;           // [N] norm of stiffness over length of all joints
  void add_proximal(Band<double>& hessian) const;
  bool place(const Eigen::VectorXd& displacement, Rod& out) const;  // false: an edge flips or folds on the way

  Rod rod_, base_, trial_;
  Eigen::Vector3d gravity_;
  double total_length_ = 0.0, applied_load_ = 0.0, load_factor_ = 1.0;
  std::vector<double> tension_;
  Eigen::VectorXd proximal_weight_, proximal_centre_;  // empty: no such term
  Band<double> factor_;
};
static_assert(IncrementalPotential<StaticPotential>);

}  // namespace tendril::der
