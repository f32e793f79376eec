// One super-helix as an energy to be minimised: elasticity, gravity and dead forces, with exact second derivatives
// (docs/theory/superhelix.md, "Statics"); torques have no potential: the gradient alone counts them. Satisfies
// IncrementalPotential, so Newton's method and the rest come with it.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "tendril/contracts/incremental_potential.hpp"
#include "tendril/rods/superhelix/load_stiffness.hpp"
#include "tendril/rods/superhelix/strands.hpp"

namespace tendril::superhelix {

class StaticPotential {
 public:
  // The root stays as it is in `state`, of which this strand's unknowns serve to work with. The arguments must outlive
  // the object.
  StaticPotential(const Strands& strands, State& state, std::size_t strand, const Eigen::Vector3d& gravity);

  Eigen::VectorXd unknowns() const;  // of the state
  double value(const Eigen::VectorXd& q);
  void gradient(const Eigen::VectorXd& q, Eigen::VectorXd& out);
  // Where loads make the matrix indefinite, elasticity alone.
  bool factorise(const Eigen::VectorXd& q);
  void solve(const Eigen::VectorXd& x, Eigen::VectorXd& out) { out = factor_.solve(x); }

  // Second derivatives of value(). An equilibrium is stable if they are positive definite.
  Eigen::MatrixXd hessian(const Eigen::VectorXd& q);

  // [N m^2] A force on an unknown from the strand's loads at the lever of its length: what residuals are measured by.
  double force_scale() const;

 private:
  void place(const Eigen::VectorXd& q);

  const Strands& strands_;
  std::size_t strand_;
  State& state_;
  Eigen::Vector3d gravity_;
  std::vector<PointForce> forces_;  // gravity at the quadrature points, and the loads
  Eigen::LLT<Eigen::MatrixXd> factor_;
};
static_assert(IncrementalPotential<StaticPotential>);

}  // namespace tendril::superhelix
