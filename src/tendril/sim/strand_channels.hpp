// What a frame says about strands beside their positions, and what holds for all frames of a run.
//
// Strain and directors are written because they cannot be had from the positions of a frame: those are rounded to
// single precision, which is more than a hair stretches. Strands that guides carry have neither: NaN stands for "none".
#pragma once

#include <span>
#include <vector>

#include "tendril/io/frame_file.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

// Rest lengths of a world's edges, fetched once for all frames.
struct RestLengths {
  struct Part {
    std::vector<double> reference, strain;  // as in der::Description
    bool exact = false;                     // lengths along the strand cannot change, whatever chords do
  };
  std::vector<Part> parts;

  // l / rest length - 1 of the edge at vertex v of part i; nothing cancels at the drawn pose.
  double strain(std::size_t i, std::size_t v, double length) const {
    if (parts[i].exact) return 0.0;
    const double reference = parts[i].reference[v], rest_strain = parts[i].strain[v];
    return (length - reference) / reference * (1.0 + rest_strain) + rest_strain;
  }
};
RestLengths rest_lengths(const World& world);

// Per edge of all grooms, one after the other.
void gather_strains(const World& world, const RestLengths& rest, const WorldState& state, std::span<float> out);
// Per edge, three numbers each: the material director m1, a unit vector across the edge.
void gather_edge_directors(const World& world, const WorldState& state, std::span<float> out);

// Per vertex, three numbers each [N]: what contacts and joints push it with.
void gather_contact_forces(const World& world, const WorldState& state, std::span<float> out);

// Channels that never change (docs/cache.md): rest_length, stretch_stiffness, bend_stiffness.
std::vector<Channel> constant_channels(const World& world);

// The material directors of simulated strands, at the first vertex of each edge.
void gather_material_directors(const der::Strands& strands, const der::State& state,
                               std::span<const Eigen::Vector3d> positions, std::vector<double>& thetas,
                               std::span<Eigen::Vector3d> out);

}  // namespace tendril
