// Strands made by rule, for scenes without a groom file: hairstyles on an ellipsoid head, and single rods in the shapes
// that tests and papers use. Metres; y is up, the face looks along +z. Every strand has equal segments, and it is a
// function of the options, the seed and its own index alone, so that no thread count changes a bit of it.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "tendril/rods/curves.hpp"

namespace tendril {

enum class GeneratorKind : std::uint8_t {
  // hairstyles
  straight,
  wavy,
  curly,
  afro,
  ponytail,
  fringe,
  // single rods
  horizontal,
  vertical,
  helix,
  coil,
  ring,
  knot,
  tress,
};

struct Head {
  Eigen::Vector3d centre = Eigen::Vector3d::Zero();  // [m]
  Eigen::Vector3d radii = {0.078, 0.112, 0.096};     // [m], semi-axes: half the width, height and depth of a skull
  double hairline = 0.5;  // height of the hairline above the brow, as a share of the upper semi-axis; 0 to 0.8
};

struct GeneratorOptions {
  GeneratorKind kind = GeneratorKind::curly;
  int count = 1;
  int vertices = 50;
  double length = 0.25;  // [m], of the strand itself, not of its curl; unused by helix, coil and ring

  // hairstyles
  Head head;
  double length_variation = 0.0;  // strands are shorter by up to this share
  double curl_radius = 0.0;       // [m]
  double curl_turns = 0.0;        // over the length
  double wave_amplitude = 0.0;    // [m]
  double waves = 0.0;             // over the length
  double clump = 0.0;             // 0 = each strand for itself, 1 = the strands of a lock meet
  int clump_size = 15;            // strands per lock
  double noise = 0.0;             // [m], how far strands stray
  double lift = 0.0;              // [m], thickness of the hair over the head

  // single rods
  double radius = 0.0;                               // [m], of helix, coil, ring and tress
  double turns = 1.0;                                // of helix, coil and ring
  double pitch = 0.0;                                // [m], of helix and coil: way along the axis per turn
  Eigen::Vector3d axis = {1.0, 0.0, 0.0};            // direction of straight rods, axis of the others
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  // [m]; root of a straight rod or of a tress, centre of the others
  Eigen::Vector3d spacing = {0.0, 0.0, 0.01};        // [m], from one of several equal rods to the next
};

bool is_hairstyle(GeneratorKind kind);

// Values that give a good picture of each kind.
GeneratorOptions default_options(GeneratorKind kind);

// The options must hold what their comments say, and a curl must fit: 2 pi curl_radius curl_turns < length.
Curves generate(const GeneratorOptions& options, std::uint64_t seed);

}  // namespace tendril
