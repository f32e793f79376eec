// Elastic forces of one CoRdE rod, and the Gauss-Newton matrix of its energy (docs/theory/corde.md, Eqs. 7-9).
#pragma once

#include <Eigen/Core>
#include <span>

#include "tendril/rods/corde/one_step.hpp"

namespace tendril::corde {

// out (six per vertex) += elastic force and torque at `pose`. With a `before`, the damping of the change of strain
// since then: the strain counts damping_rate [1] times its change more.
void add_elastic_force(const Strands& strands, std::size_t strand, const Target& target, const State& pose,
                       const State* before, double damping_rate, std::span<double> out);

// band += weight times the matrix, and `stiffening` times that for what is damped.
void add_stiffness(const Strands& strands, std::size_t strand, const Target& target, const State& pose, double weight,
                   double stiffening, StepBand& band);

}  // namespace tendril::corde
