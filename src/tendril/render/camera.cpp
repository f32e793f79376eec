#include "tendril/render/camera.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>

namespace tendril::render {
namespace {

using Eigen::Vector3f;

struct Axes {
  Vector3f right, up, back;
};

// y is up, unless the camera looks along it.
Axes axes(const Vector3f& towards_eye) {
  const Vector3f back = towards_eye.normalized();
  const Vector3f hint = std::abs(back.y()) > 0.999f ? Vector3f(0, 0, -1) : Vector3f(0, 1, 0);
  const Vector3f right = hint.cross(back).normalized();
  return {right, back.cross(right), back};
}

}  // namespace

std::span<const NamedView> named_views() {
  static const std::array<NamedView, 6> views = {{{"three-quarter", {0.55f, 0.18f, 1.0f}},
                                                  {"front", {0.0f, 0.0f, 1.0f}},
                                                  {"side", {1.0f, 0.0f, 0.0f}},
                                                  {"back", {0.0f, 0.0f, -1.0f}},
                                                  {"top", {0.0f, 1.0f, 0.0f}},
                                                  {"back-quarter", {0.55f, 0.18f, -1.0f}}}};
  return views;
}

Camera framed(std::span<const Vector3f> points, const Vector3f& towards_eye, float field_of_view, float aspect) {
  constexpr float margin = 1.08f;
  const Axes a = axes(towards_eye);
  Eigen::AlignedBox3f box;  // along the camera's axes
  for (const Vector3f& p : points) box.extend(Vector3f(a.right.dot(p), a.up.dot(p), a.back.dot(p)));
  if (box.isEmpty()) box.extend(Vector3f::Zero());
  const Vector3f middle = box.center();
  const float half_height = std::tan(0.5f * field_of_view) / margin, half_width = half_height * aspect;
  float distance = 1e-4f + 0.5f * box.sizes()[2];  // in front of all
  for (const Vector3f& p : points) {
    const float x = std::abs(a.right.dot(p) - middle[0]), y = std::abs(a.up.dot(p) - middle[1]);
    const float depth = a.back.dot(p) - middle[2];
    distance = std::max({distance, x / half_width + depth, y / half_height + depth});
  }
  const Vector3f target = middle[0] * a.right + middle[1] * a.up + middle[2] * a.back;
  return {target + distance * a.back, target, field_of_view};
}

Lens::Lens(const Camera& camera, int width, int height)
    : eye_(camera.eye),
      width_(float(width)),
      height_(float(height)),
      scale_(2.0f * std::tan(0.5f * camera.field_of_view) / float(height)) {
  const Axes a = axes(camera.eye - camera.target);
  right_ = a.right, up_ = a.up, forward_ = -a.back;
}

Vector3f Lens::direction(float x, float y) const {
  return (forward_ + scale_ * ((x - 0.5f * width_) * right_ - (y - 0.5f * height_) * up_)).normalized();
}

std::optional<Eigen::Vector2f> Lens::pixel_of(const Vector3f& point) const {
  const Vector3f d = point - eye_;
  const float depth = forward_.dot(d);
  if (depth <= 0.0f) return std::nullopt;
  return Eigen::Vector2f(0.5f * width_ + right_.dot(d) / (depth * scale_),
                         0.5f * height_ - up_.dot(d) / (depth * scale_));
}

}  // namespace tendril::render
