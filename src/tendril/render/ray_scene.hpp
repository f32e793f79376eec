// What a ray meets on a stage. Embree finds it; the rest of the renderer does not know of Embree.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>

#include "tendril/render/stage.hpp"

namespace tendril::render {

struct Ray {
  Eigen::Vector3f origin, direction;  // the latter a unit vector
  float from = 0.0f;                  // [m], nearer things are passed over
  float time = 0.0f;                  // from the shutter's opening, 0, to its closing, 1
};

struct Hit {
  float distance = 0.0f;  // [m]
  bool on_strand = false;
  std::uint32_t part = 0;    // of stage.strands or stage.surfaces
  Eigen::Vector3f normal;    // unit, towards where the ray came from
  Eigen::Vector3f tangent;   // of a strand: unit, from root to tip
  std::uint32_t strand = 0;  // in its set
  float radius = 0.0f;       // [m], of the strand there
  Rgb vertex_colour = Rgb::Zero();
};

class RayScene {
 public:
  explicit RayScene(const Stage& stage);  // which must outlive it
  RayScene(RayScene&&) noexcept;
  ~RayScene();

  std::optional<Hit> nearest(const Ray& ray) const;
  bool blocked(const Ray& ray, float distance) const;  // by anything nearer than that

 private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

}  // namespace tendril::render
