// How a hair scatters light: a rough dielectric cylinder with an absorbing core, in three lobes (R: off its surface,
// TT: through it, TRT: off its far side) and a fourth for all that goes around more often
// (docs/theory/hair-shading.md).
//
// Directions are in the frame of the fibre: x along it, from root to tip, y and z across. `h` in [-1, 1] says where
// across the fibre the light leaves it, as seen from `out`.
#pragma once

#include <Eigen/Core>
#include <array>
#include <span>

#include "tendril/render/rgb.hpp"

namespace tendril::render {

// What makes hair dark and what makes it red; parts per volume, on the scale of the docs: 8 and 0 is black, 0.3 and 0
// blond.
struct Melanin {
  float eumelanin = 1.3f, pheomelanin = 0.2f;
};
Rgb absorption(const Melanin& melanin);  // per radius of the fibre

struct HairColour {
  const char* name;
  Melanin melanin;
};
std::span<const HairColour> hair_colours();  // "black" to "white"

struct FibreOptions {
  float refraction = 1.55f;       // index of keratin
  float roughness_along = 0.22f;  // in (0, 1]
  float roughness_around = 0.3f;
  float scale_angle = 0.035f;  // [rad], tilt of the cuticle's scales towards the root: 2 degrees
};

class HairFibre {
 public:
  explicit HairFibre(const FibreOptions& options);

  // Scattered light per incoming light, times the cosine that irradiance has: [1/sr]. `absorption` is per radius.
  Rgb scattered(const Eigen::Vector3f& out, const Eigen::Vector3f& in, float h, const Rgb& absorption) const;

  // An incoming direction, and scattered() divided by the density with which it was chosen.
  struct Sample {
    Eigen::Vector3f in;
    Rgb weight;
  };
  Sample sample(const Eigen::Vector3f& out, float h, const Rgb& absorption, const Eigen::Vector2f& lobe_and_turn,
                float around) const;

 private:
  static constexpr int lobes = 4;
  struct Outgoing;  // what depends on `out` and h alone
  Outgoing outgoing(const Eigen::Vector3f& out, float h, const Rgb& absorption) const;

  FibreOptions options_;
  std::array<float, lobes> variance_;         // along, per lobe
  float spread_;                              // around: scale of the logistic distribution
  std::array<float, 3> sin_tilt_, cos_tilt_;  // of the scales, as each of the first three lobes sees them
};

}  // namespace tendril::render
