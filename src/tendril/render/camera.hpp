// A pinhole camera, and where to put it so that all is in the picture.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"

namespace tendril::render {

struct Camera {
  Eigen::Vector3f eye = {0.0f, 0.0f, 1.0f}, target = Eigen::Vector3f::Zero();  // [m]
  float field_of_view = 0.5f;                                                  // [rad], over the height of the picture
};

// Directions from which a picture can be taken, by name: "front" looks against +z.
struct NamedView {
  const char* name;
  Eigen::Vector3f towards_eye;
};
std::span<const NamedView> named_views();

// Looks at the middle of `points` from the given side, as near as all of them fit into a picture of width x height.
Camera framed(std::span<const Eigen::Vector3f> points, const Eigen::Vector3f& towards_eye, float field_of_view,
              float aspect);

// Rays through the picture.
class Lens {
 public:
  Lens(const Camera& camera, int width, int height);
  Eigen::Vector3f direction(float x, float y) const;  // in pixels from the top left corner; a unit vector
  const Eigen::Vector3f& eye() const { return eye_; }
  std::optional<Eigen::Vector2f> pixel_of(const Eigen::Vector3f& point) const;  // nothing: behind the eye

 private:
  Eigen::Vector3f eye_, right_, up_, forward_;
  float width_, height_, scale_;
};

}  // namespace tendril::render
