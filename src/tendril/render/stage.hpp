// What is in a picture, as plain data: strands, surfaces, ground, light.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "tendril/render/hair_fibre.hpp"
#include "tendril/render/rgb.hpp"

namespace tendril::render {

enum class Look : std::uint8_t {
  hair,   // fibres that light goes through
  rod,    // opaque and glossy
  chalk,  // for false colours: they are seen as they are, whatever the light
};

// Strands of one look. They are drawn as smooth curves through their vertices.
struct StrandSet {
  Look look = Look::hair;
  std::vector<Eigen::Vector3f> points;        // [m]
  std::vector<Eigen::Vector3f> later_points;  // when the shutter closes; empty: nothing moves
  std::vector<float> radius;                  // [m] per point, as drawn
  std::vector<std::uint32_t> offsets = {0};   // first point of each strand, then their number
  std::vector<Rgb> colour;                    // per strand: absorption of hair, albedo of a rod
  std::vector<Rgb> vertex_colour;             // per point, in place of `colour`; empty: none
};

struct Surface {
  std::vector<Eigen::Vector3f> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  Rgb colour = Rgb::Constant(0.5f);
};

// A disc that shines to one side.
struct Lamp {
  Eigen::Vector3f centre = Eigen::Vector3f::Zero(), facing = {0.0f, -1.0f, 0.0f};
  float radius = 1.0f;
  Rgb radiance = Rgb::Ones();
};

struct Sky {
  Rgb above = Rgb::Ones(), horizon = Rgb::Ones(), below = Rgb::Constant(0.3f);

  Rgb radiance(const Eigen::Vector3f& direction) const {
    const float up = direction.y(), share = up < 0.0f ? -up : up;
    const Rgb& end = up < 0.0f ? below : above;
    return horizon + std::sqrt(share) * (end - horizon);
  }
};

struct Stage {
  std::vector<StrandSet> strands;
  std::vector<Surface> surfaces;
  std::optional<float> ground;  // [m], height of a floor that takes shadows
  std::vector<Lamp> lamps;
  Sky sky;
  Rgb backdrop_top = Rgb::Constant(0.6f), backdrop_bottom = Rgb::Constant(0.8f);  // what the camera sees behind it all
  FibreOptions fibre;
};

// Two lamps and a sky for something that fills a ball, seen from `eye`: a large warm one over the viewer's shoulder,
// and a small one behind that draws the outline.
void add_studio_light(const Eigen::Vector3f& centre, float radius, const Eigen::Vector3f& eye, Stage& stage);

}  // namespace tendril::render
