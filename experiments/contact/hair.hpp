// Heads of hair that touch themselves and the head, for figures 1 and 7 to 10 and Table 1; and what is measured of
// them. As in the paper a rod stands for a wisp: it is as thick as one, and as heavy and as stiff for its weight as a
// hair.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "tendril/sim/simulation.hpp"

namespace tendril::experiments::contact {

// [Pa] Bending stiffness over weight is that of a hair of 40 um and 3.89 GPa.
double wisp_modulus(double radius);

struct HairOptions {
  std::string model = "der";       // of a strand
  std::string style = "straight";  // of the generator
  std::string more_style;          // further keys of it, each with a comma before it
  int strands = 300, vertices = 20;
  double length = 0.2;             // [m]
  double radius = 5e-4;            // [m]
  double damping = 0.005;          // [s], over stiffness
  double mu = 0.3, mu_head = 0.5;  // among the hair, and with the head
  std::string motion;              // of the head, TOML; empty: it stands still
  double seconds = 2.0;            // [s] of 25 frames, each of ten steps of 4 ms
  double tolerance = 1e-4;         // of contact
  std::string more_contact;        // further lines of [contact]
  int seed = 1;                    // of where strands are drawn
};
std::string scene_text(const HairOptions& options);
Simulation hair(const HairOptions& options);

// A step of the simulation; one that fails is a bug.
SimulationStep step(Simulation& simulation);

// Pairs of strands with neighbouring roots; each is in some three pairs.
std::vector<std::pair<std::size_t, std::size_t>> neighbours(const Simulation& simulation);

// How unevenly neighbours have moved apart or together: the variance [m2] of the change of their distance, vertex by
// vertex, since `start`.
double neighbour_variance(const Simulation& simulation, const std::vector<Eigen::Vector3d>& start,
                          const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

// How much of the motion neighbours do not share: the mean square of their relative velocity, vertex by vertex, over
// that of velocities; 0: they move as one, 1: each for itself.
double incoherence(const Simulation& simulation, const std::vector<std::pair<std::size_t, std::size_t>>& pairs);

// Strands that lie within four radii of each other over a quarter of their length belong together.
struct Clusters {
  std::size_t count = 0;    // of two strands and more
  std::size_t strands = 0;  // in them
  std::size_t pairs = 0;    // that belong together
};
Clusters clusters(const std::vector<Eigen::Vector3d>& positions, const std::vector<std::size_t>& offsets,
                  double radius);

// Root of the mean square of the distances of all vertices [m].
double rms_distance(const std::vector<Eigen::Vector3d>& a, const std::vector<Eigen::Vector3d>& b);

}  // namespace tendril::experiments::contact
