#include "tendril/render/stage.hpp"

#include <Eigen/Geometry>

namespace tendril::render {
namespace {

using Eigen::Vector3f;

// `irradiance` is what it would give at the target without anything between.
Lamp lamp_at(const Vector3f& centre, const Vector3f& target, float radius, const Rgb& irradiance) {
  const Vector3f way = target - centre;
  const float area = 3.14159265f * radius * radius;
  return {centre, way.normalized(), radius, irradiance * (way.squaredNorm() / area)};
}

}  // namespace

void add_studio_light(const Vector3f& centre, float radius, const Vector3f& eye, Stage& stage) {
  Vector3f forward = centre - eye;
  forward.y() = 0.0f;  // lamps stand upright whatever the camera does
  forward = forward.norm() > 1e-6f ? Vector3f(forward.normalized()) : Vector3f(0, 0, -1);
  const Vector3f right = forward.cross(Vector3f::UnitY()), up = Vector3f::UnitY();
  const auto at = [&](float r, float u, float f) -> Vector3f {
    return centre + radius * (r * right + u * up + f * forward);
  };
  stage.lamps.push_back(lamp_at(at(-2.4f, 2.8f, -2.6f), centre, 0.6f * radius, Rgb(4.4f, 4.1f, 3.7f)));
  stage.lamps.push_back(lamp_at(at(2.2f, 2.2f, 2.4f), centre, 1.0f * radius, Rgb(2.0f, 2.1f, 2.3f)));
  stage.sky = {Rgb(0.36f, 0.39f, 0.44f), Rgb(0.30f, 0.31f, 0.33f), Rgb(0.12f, 0.11f, 0.10f)};
}

}  // namespace tendril::render
