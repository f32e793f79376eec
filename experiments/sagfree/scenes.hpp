// The strand that most figures share, 30 vertices, 0.3 m, radius 0.2 mm, gravity along -z; and views of strands.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "experiments/motion.hpp"
#include "tendril/plot/chart.hpp"
#include "tendril/sagfree/augmented_lagrangian.hpp"

namespace tendril::experiments::sagfree {

inline const Eigen::Vector3d down(0.0, 0.0, -9.81);
inline constexpr std::size_t vertices = 30;
inline constexpr double length = 0.3, radius = 2e-4, density = 1300.0;  // [m], [m], [kg/m3]

// Straight, with the same modulus for stretching, bending and twisting.
der::Description straight_strand(const Eigen::Vector3d& along, double modulus);

// The problem of a strand at its drawn shape.
tendril::sagfree::StrandProblem problem_of(const der::Strands& strands, tendril::sagfree::Freedom freedom);
// Strands with the rest state that parameters of their only strand stand for.
der::Strands with_parameters(der::Strands strands, const tendril::sagfree::StrandProblem& problem,
                             const Eigen::VectorXd& p);

// The paper's settings: rho = 1e9, and MPRGP with the active-set Cholesky in every Newton iteration.
tendril::sagfree::LagrangianOptions settings_of_the_paper(double stiffness_weight = 1e5);

// Largest displacement of a vertex after some seconds from rest.
double drift(const der::Strands& strands, double seconds = 1.0);

// Strands seen from the side: x to the right, z up.
plot::Chart side_view(std::string title, std::string description);
void add_shape(std::string name, const std::vector<Eigen::Vector3d>& positions, plot::Chart& chart);

}  // namespace tendril::experiments::sagfree
