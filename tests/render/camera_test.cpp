#include "tendril/render/camera.hpp"

#include <gtest/gtest.h>

#include <random>

namespace tendril::render {
namespace {

using Eigen::Vector3f;

std::vector<Vector3f> cloud(float size) {
  std::mt19937 random(3);
  std::uniform_real_distribution<float> number(-1.0f, 1.0f);
  std::vector<Vector3f> points;
  for (int i = 0; i < 500; ++i)
    points.emplace_back(2.0f * size * number(random), size * number(random) + 3.0f, 0.4f * size * number(random));
  return points;
}

TEST(Framed, AllPointsAreInThePictureAndSomeNearItsEdge) {
  for (const float size : {1e-3f, 0.3f, 1e3f})
    for (const NamedView& view : named_views())
      for (const float aspect : {0.5f, 1.0f, 16.0f / 9.0f}) {
        const std::vector<Vector3f> points = cloud(size);
        const int height = 400, width = int(400 * aspect);
        const Lens lens(framed(points, view.towards_eye, 0.45f, aspect), width, height);
        float nearest = 1e9f;
        for (const Vector3f& p : points) {
          const std::optional<Eigen::Vector2f> pixel = lens.pixel_of(p);
          ASSERT_TRUE(pixel) << view.name;
          nearest =
              std::min({nearest, (*pixel)[0], float(width) - (*pixel)[0], (*pixel)[1], float(height) - (*pixel)[1]});
        }
        EXPECT_GT(nearest, 0.0f) << view.name << " " << aspect;
        EXPECT_LT(nearest, 0.12f * float(std::max(width, height))) << view.name << " " << aspect;
      }
}

TEST(Lens, DirectionAndPixelAreInverse) {
  const Camera camera{{0.3f, 1.0f, 2.0f}, {0.1f, 0.2f, -0.4f}, 0.7f};
  const Lens lens(camera, 320, 200);
  for (const auto& [x, y] : {std::pair(0.5f, 0.5f), std::pair(160.0f, 100.0f), std::pair(300.0f, 20.0f)}) {
    const Vector3f d = lens.direction(x, y);
    EXPECT_NEAR(d.norm(), 1.0f, 1e-6f);
    const std::optional<Eigen::Vector2f> pixel = lens.pixel_of(lens.eye() + 3.0f * d);
    ASSERT_TRUE(pixel);
    EXPECT_NEAR((*pixel)[0], x, 1e-2f);
    EXPECT_NEAR((*pixel)[1], y, 1e-2f);
  }
  EXPECT_FALSE(lens.pixel_of(lens.eye() - lens.direction(10, 10)));
}

TEST(Framed, DegenerateCloudsGiveAFiniteCamera) {
  for (const std::vector<Vector3f>& points :
       {std::vector<Vector3f>{}, std::vector<Vector3f>{{1, 2, 3}}, std::vector<Vector3f>{{0, 0, 0}, {0, 0, 1}}})
    for (const NamedView& view : named_views()) {
      const Camera camera = framed(points, view.towards_eye, 0.45f, 1.5f);
      EXPECT_TRUE(camera.eye.allFinite() && camera.target.allFinite());
      EXPECT_GT((camera.eye - camera.target).norm(), 0.0f);
    }
}

}  // namespace
}  // namespace tendril::render
