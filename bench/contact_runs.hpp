// What the benchmarks of contact have in common: runs of a solver on a problem, timed, the best of several rounds.
#pragma once

#include <string>

#include "tendril/contact/solver.hpp"

namespace tendril::bench {

struct ContactCase {
  std::string name;
  contact::Problem problem;
  double mu;
  int strands;
};
// A bundle of hair; contacts with the plane have 5/3 of its friction.
ContactCase bundle_case(int strands, double mu);

struct ContactRun {
  contact::Solution solution;
  double seconds = 1e300;        // CPU time, with what is prepared
  double sweep_seconds = 1e300;  // CPU time from the first measure of the error to the last
  double sweep_wall_seconds = 1e300;
};
ContactRun run(const contact::Problem& problem, contact::Options options, int rounds);

contact::Options by(contact::Solver solver, double tolerance, int max_sweeps = 0);
double ns_per_visit(const ContactRun& run, const contact::Problem& problem);

}  // namespace tendril::bench
