// One strand on its own, in plain doubles: what statics, stability, reactions and tests work on. It has the layout of a
// lane group with a single lane and runs the reference kernels. Unknowns are interleaved, q = (x_0, theta_0, x_1, ...),
// four per vertex; the last angle is a dummy.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "tendril/linalg/banded_ldlt.hpp"
#include "tendril/rods/der/energies.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::der {

struct Rod {
  int vertices = 0;                  // with the ghosts of point clamps
  int first = 0, user_vertices = 0;  // the user's vertex 0, and how many
  Curvature curvature = Curvature::four;
  bool round = true;
  double damping = 0.0;  // [s]
  Stream state, parameters, holds, loads, connectors;
  Stream low;  // what the positions lose by rounding, three per vertex; empty: nothing (statics sets it)
  std::vector<int> hold_of;

  GroupView view() const {
    return {vertices,
            curvature,
            round,
            parameters.data(),
            hold_of.data(),
            holds.data(),
            connectors.empty() ? nullptr : connectors.data()};
  }
  std::size_t unknowns() const { return 4 * std::size_t(vertices); }
  bool is_free(std::size_t unknown) const;
  double parameter(int vertex, int component) const {
    return parameters[std::size_t(vertex * ParameterLayout::components + component)];
  }
  Eigen::Vector3d position(int vertex) const;
};

// An edge with its strain, both free of the rounding of positions (docs/theory/der.md, "Precision").
struct PreciseEdge {
  Eigen::Vector3d tangent;
  double length, strain;
};
PreciseEdge precise_edge(const Rod& rod, int edge);

Rod extract(const Strands& strands, const Targets& targets, const State& state, std::size_t strand);
void insert(const Rod& rod, const Strands& strands, std::size_t strand, State& state);

// Elastic force plus gravity and loads on every unknown, held ones too.
Eigen::VectorXd net_force(const Rod& rod, const Eigen::Vector3d& gravity, double load_factor = 1.0);

Energies energies(const Rod& rod, const Eigen::Vector3d& gravity, double load_factor = 1.0);

constexpr std::size_t half_bandwidth = 10;

// The matrix of an implicit Euler step, mass/dt^2 + projected and Gauss-Newton stiffness (Eqs. 5 and 12); dt <= 0: the
// stiffness alone.
Band<double> step_hessian(const Rod& rod, double dt);

// Second derivatives of the elastic energy with transported frames: the derivative of the gradient, made symmetric. Off
// equilibrium that derivative is slightly unsymmetric (holonomy of the frames); at equilibrium it is exact. `tension`
// [N], one per edge, replaces that of the pose in the geometric stiffness of the edges; empty: it does not.
Band<double> exact_hessian(const Rod& rod, std::span<const double> tension = {});

// The same made positive: Gauss-Newton joints, no geometric stiffness from compressed edges.
Band<double> positive_hessian(const Rod& rod, std::span<const double> tension = {});

// [N] What the weight of a connector that lies beyond edge k does to its second vertex; the first gets the opposite.
Eigen::Vector3d connector_weight(const Rod& rod, int k, const Eigen::Vector3d& gravity);

// Adds the second derivatives of the weight of connectors, which turns with their edges; `positive`: only what keeps
// the matrix definite.
void add_connector_weight(const Rod& rod, const Eigen::Vector3d& gravity, bool positive, Band<double>& hessian);
double connector_potential(const Rod& rod, const Eigen::Vector3d& gravity);  // [J] of that weight

// Rows and columns of held unknowns (and of the dummy angle) become the identity.
void take_out_held(const Rod& rod, Band<double>& hessian);

}  // namespace tendril::der
