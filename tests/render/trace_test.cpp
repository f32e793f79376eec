// Rays and whole pictures.
#include <gtest/gtest.h>
#include <png.h>

#include <cmath>
#include <numbers>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/sphere_mesh.hpp"
#include "tendril/render/path_tracer.hpp"
#include "tendril/render/png_file.hpp"
#include "tendril/render/ray_scene.hpp"

namespace tendril::render {
namespace {

using Eigen::Vector3f;

StrandSet straight_strand(Look look, float radius) {
  StrandSet set;
  set.look = look;
  for (int i = 0; i < 5; ++i) set.points.emplace_back(0.1f * float(i), 0.0f, 0.0f);
  set.radius.assign(5, radius);
  set.offsets = {0, 5};
  set.colour = {Rgb::Zero()};
  return set;
}

Surface ball(float radius) {
  const TriangleMesh mesh = sphere_mesh(3);
  Surface surface{{}, mesh.triangles, Rgb::Constant(0.5f)};
  for (const Eigen::Vector3d& p : mesh.points) surface.points.push_back(radius * p.cast<float>());
  return surface;
}

TEST(RayScene, MeetsAStrandWithinItsRadiusOnly) {
  for (const Look look : {Look::hair, Look::rod}) {
    Stage stage;
    stage.strands.push_back(straight_strand(look, 0.01f));
    const RayScene scene(stage);
    for (const float across : {-0.0101f, -0.0099f, -0.005f, 0.0f, 0.005f, 0.0099f, 0.0101f}) {
      const std::optional<Hit> hit = scene.nearest({{0.17f, across, 1.0f}, {0, 0, -1}});
      ASSERT_EQ(hit.has_value(), std::abs(across) < 0.01f) << across;
      if (!hit) continue;
      EXPECT_NEAR(hit->tangent.x(), 1.0f, 1e-4f);
      EXPECT_NEAR(hit->normal.y(), across / 0.01f, 0.02f) << "of a cylinder";
      EXPECT_GT(hit->normal.z(), 0.0f);
      EXPECT_NEAR(hit->distance, 1.0f, 0.011f);
    }
    EXPECT_TRUE(scene.blocked({{0.17f, 0.0f, 1.0f}, {0, 0, -1}}, 2.0f));
    EXPECT_FALSE(scene.blocked({{0.17f, 0.0f, 1.0f}, {0, 0, -1}}, 0.9f));
  }
}

TEST(RayScene, StrandsMoveWhileTheShutterIsOpen) {
  Stage stage;
  stage.strands.push_back(straight_strand(Look::hair, 0.01f));
  stage.strands[0].later_points = stage.strands[0].points;
  for (Vector3f& p : stage.strands[0].later_points) p.y() += 1.0f;
  const RayScene scene(stage);
  for (const float time : {0.0f, 0.25f, 1.0f}) {
    EXPECT_TRUE(scene.nearest({{0.2f, time, 1.0f}, {0, 0, -1}, 0.0f, time}));
    EXPECT_FALSE(scene.nearest({{0.2f, time + 0.1f, 1.0f}, {0, 0, -1}, 0.0f, time}));
  }
}

TEST(RayScene, SurfacesHaveSmoothNormalsTowardsTheRay) {
  Stage stage;
  stage.surfaces.push_back(ball(1.0f));
  const RayScene scene(stage);
  for (const float x : {-0.6f, 0.0f, 0.5f}) {
    const std::optional<Hit> hit = scene.nearest({{x, 0.2f, 5.0f}, {0, 0, -1}});
    ASSERT_TRUE(hit);
    const Vector3f point(x, 0.2f, 5.0f - hit->distance);
    EXPECT_GT(hit->normal.dot(point.normalized()), 0.999f);
  }
}

// In a room of even light, what absorbs nothing cannot be seen.
Stage furnace() {
  Stage stage;
  stage.sky = {Rgb::Ones(), Rgb::Ones(), Rgb::Ones()};
  stage.backdrop_top = stage.backdrop_bottom = Rgb::Ones();
  return stage;
}

Rgb mean(const Image& image) {
  Eigen::Array3d sum = Eigen::Array3d::Zero();
  for (const Rgb& pixel : image.pixels) sum += pixel.cast<double>();
  return (sum / double(image.pixels.size())).cast<float>();
}

TEST(Trace, HairWithoutPigmentVanishesInEvenLight) {
  Stage stage = furnace();
  StrandSet set;
  for (int s = 0; s < 400; ++s) {  // a thicket
    const float a = 0.7f * float(s), b = std::fmod(0.37f * float(s), 1.0f);
    for (int i = 0; i < 6; ++i)
      set.points.emplace_back(0.3f * std::cos(a) + 0.02f * float(i * (s % 3)), -0.5f + 0.2f * float(i),
                              0.3f * std::sin(a) * b);
    set.offsets.push_back(std::uint32_t(set.points.size()));
    set.colour.push_back(Rgb::Zero());
  }
  set.radius.assign(set.points.size(), 0.01f);
  stage.strands.push_back(std::move(set));
  const Camera camera{{0, 0, 3}, {0, 0, 0}, 0.35f};
  TraceOptions options{48, 48, 64, 200, {}};
  const Rgb seen = mean(trace(stage, camera, options));
  EXPECT_LE(seen.maxCoeff(), 1.01f);
  EXPECT_GE(seen.minCoeff(), 0.95f) << "a path ends after so many bounces, and lobes are cut at grazing angles";
  for (Rgb& colour : stage.strands[0].colour) colour = absorption({1.3f, 0.2f});
  EXPECT_LT(mean(trace(stage, camera, options)).maxCoeff(), 0.9f);
}

TEST(Trace, AGreyBallIsAsBrightAsItsAlbedoSays) {
  Stage stage = furnace();
  stage.surfaces.push_back(ball(1.0f));
  const Camera camera{{0, 0, 8}, {0, 0, 0}, 0.1f};  // sees nothing but the ball
  const Rgb seen = mean(trace(stage, camera, {16, 16, 256, 8, {}}));
  EXPECT_NEAR(seen[0], 0.5f + 0.04f * 0.5f, 0.02f);  // and the varnish on it
}

Stage lit_scene() {
  Stage stage;
  stage.strands.push_back(straight_strand(Look::hair, 0.01f));
  stage.strands.push_back(straight_strand(Look::rod, 0.02f));
  for (Vector3f& p : stage.strands[1].points) p.y() += 0.1f;
  stage.strands[1].colour = {Rgb(0.5f, 0.2f, 0.1f)};
  stage.surfaces.push_back(ball(0.08f));
  stage.ground = -0.1f;
  add_studio_light({0.2f, 0, 0}, 0.3f, {0.2f, 0.1f, 1.0f}, stage);
  return stage;
}

TEST(Trace, HasTheSameBitsForAnyNumberOfThreads) {
  const Stage stage = lit_scene();
  const Camera camera{{0.2f, 0.1f, 1.0f}, {0.2f, 0, 0}, 0.5f};
  std::vector<std::byte> first;
  for (const int threads : {1, 2, 3}) {
    set_thread_count(threads);
    const std::vector<std::byte> bytes = encode_png(trace(stage, camera, {70, 50, 4, 8, {}}));
    if (first.empty()) first = bytes;
    EXPECT_EQ(bytes, first) << threads;
  }
  set_thread_count(0);
}

TEST(Trace, ThingsThrowShadowsOnTheFloor) {
  Stage stage = lit_scene();
  stage.backdrop_top = stage.backdrop_bottom = Rgb::Constant(0.5f);
  const Camera camera{{0.0f, 1.0f, 0.001f}, {0.0f, -0.1f, 0.0f}, 0.6f};
  const Image image = trace(stage, camera, {64, 64, 32, 4, {}});
  const Rgb corner = image.at(2, 2);
  EXPECT_NEAR(corner[0], 0.5f, 0.06f) << "far away the floor is the backdrop";
  float darkest = 1.0f;
  for (const Rgb& pixel : image.pixels) darkest = std::min(darkest, pixel[0]);
  EXPECT_LT(darkest, 0.3f);
}

TEST(Png, IsReadBackWithinOneLevel) {
  Image image(37, 19);
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) image.at(x, y) = Rgb(float(x) / 36.0f, float(y) / 18.0f, x == 3 ? NAN : 7.0f);
  const std::vector<std::byte> bytes = encode_png(image);
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  ASSERT_TRUE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()));
  header.format = PNG_FORMAT_RGB;
  ASSERT_EQ(header.width, 37u);
  ASSERT_EQ(header.height, 19u);
  std::vector<std::uint8_t> levels(PNG_IMAGE_SIZE(header));
  ASSERT_TRUE(png_image_finish_read(&header, nullptr, levels.data(), 0, nullptr));
  for (int y = 0; y < 19; ++y)
    for (int x = 0; x < 37; ++x) {
      const std::uint8_t* pixel = &levels[std::size_t(3 * (y * 37 + x))];
      EXPECT_NEAR(pixel[0], 255.0f * to_screen(image.at(x, y)[0]), 1.0f);
      EXPECT_EQ(pixel[2], x == 3 ? 0 : 255) << "NaN is black, too bright is white";
    }
}

TEST(Screen, CurveAndItsInverse) {
  for (const float v : {0.0f, 0.001f, 0.02f, 0.5f, 1.0f}) EXPECT_NEAR(to_light(to_screen(v)), v, 1e-5f);
}

}  // namespace
}  // namespace tendril::render
