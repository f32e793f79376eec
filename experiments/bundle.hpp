// One implicit step of a bundle of hair as a contact problem: packed and differentially twisted strands that are
// squeezed and swung, with one plane that moves with the roots. What the benchmark of contact solvers and experiments
// solve.
#pragma once

#include <cstdint>

#include "tendril/contact/problem.hpp"

namespace tendril::experiments {

struct BundleOptions {
  int strands = 132;
  std::uint64_t seed = 1;
  int nodes = 6;          // of a strand, the first one clamped
  int pieces = 4;         // of a segment: what is looked at for contacts
  double length = 0.2;    // [m]
  double radius = 3e-4;   // [m]
  double packing = 0.97;  // distance of neighbours over the diameter
  double twist = 2.5;     // [rad] from root to tip, of the outermost strands; those inside turn less
  double jitter = 0.15;   // of the radius
  double margin = 0.10;   // of the diameter: nearer pieces are contacts
  double mu = 0.3, mu_body = 0.5;
  double dt = 2e-3;                                     // [s]
  double line_density = 1e-4;                           // [kg/m]
  double bending = 2e-9;                                // [N m2]
  double stretching = 5.0;                              // [N]
  double squeeze = 0.3, noise = 0.1, root_speed = 0.2;  // [m/s]
};

tendril::contact::Problem bundle(const BundleOptions& options);

// A share of the contacts, evenly spread over their order.
tendril::contact::Problem thinned(tendril::contact::Problem problem, double share);

}  // namespace tendril::experiments
