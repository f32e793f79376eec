// The parts of `tendril bench sagfree` that compare methods with one another, on one thread and in turns: the sweep
// with the augmented Lagrangian, and the solvers of the quadratic programs inside the latter.
#pragma once

#include "report.hpp"

namespace tendril::bench {

// How much faster the sweep is per strand, and by how much both optima differ.
void compare_with_lagrangian(int rounds, Report& report);

// MPRGP with its preconditioners on a program of the horizontal strand, and LAPACK's solver on the same matrix.
void compare_programs(int rounds, Report& report);

}  // namespace tendril::bench
