// What hangs without resisting bending, in closed form: catenaries, and the frequencies of hanging chains.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace tendril::validation {

// Between (0, 0) and (width, height).
struct Span {
  double width, height, length;  // [m]
};

// Two straight halves of n/2 links each, where what hangs may be drawn.
std::vector<Eigen::Vector3d> straight_halves(const Span& span, int n);

// y = a cosh((x - x0)/a) - a cosh(x0/a), whose tension is a weight per length times a cosh((x - x0)/a).
struct Catenary {
  double a, x0;  // [m]

  double height_at(double x) const;
};
Catenary catenary_of(const Span& span);

// n links with their masses at the joints: link k has the direction of (pull[0], pull[1] + (k + 1/2)/n), in units of
// the weight. Half a mass is at either end.
Eigen::Vector2d discrete_pull(const Span& span, int n);

// The k-th zero of J_0: omega = (zero / 2) sqrt(g/L) of a chain that hangs from one end.
double zero_of_bessel(int k);
// The zeros x of the Laguerre polynomial L_n, which are the eigenvalues of its Jacobi matrix: omega^2 = (g/l) x of n
// equal masses on n equal links.
Eigen::VectorXd zeros_of_laguerre(int n);

}  // namespace tendril::validation
