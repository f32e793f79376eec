// The fibre neither makes light nor loses any but what it absorbs.
#include "tendril/render/hair_fibre.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tendril/render/sampler.hpp"

namespace tendril::render {
namespace {

using Eigen::Vector3f;
constexpr float pi = std::numbers::pi_v<float>;

Vector3f direction(float inclination, float azimuth) {
  return {std::sin(inclination), std::cos(inclination) * std::cos(azimuth), std::cos(inclination) * std::sin(azimuth)};
}

// Over all incoming directions, by midpoints in inclination and azimuth.
Rgb all_scattered(const HairFibre& fibre, const Vector3f& out, float h, const Rgb& absorbed) {
  constexpr int along = 500, around = 160;
  Eigen::Array3d sum = Eigen::Array3d::Zero();
  for (int i = 0; i < along; ++i) {
    const float inclination = -0.5f * pi + (float(i) + 0.5f) * pi / float(along);
    for (int j = 0; j < around; ++j) {
      const Vector3f in = direction(inclination, -pi + (float(j) + 0.5f) * 2.0f * pi / float(around));
      sum += double(std::cos(inclination)) * fibre.scattered(out, in, h, absorbed).cast<double>();
    }
  }
  return (sum * double(pi / float(along)) * double(2.0f * pi / float(around))).cast<float>();
}

struct Case {
  float along, around, inclination, h;
};
const Case cases[] = {{0.1f, 0.2f, 0.0f, 0.3f},  {0.22f, 0.3f, 0.5f, -0.7f}, {0.3f, 0.3f, -1.0f, 0.0f},
                      {0.6f, 0.8f, 1.2f, 0.95f}, {1.0f, 1.0f, 0.2f, -0.2f},  {0.22f, 0.3f, 1.4f, 0.5f}};

TEST(WhiteFurnace, AFibreWithoutPigmentGivesBackAllLightAndNoMore) {
  for (const Case& c : cases) {
    const HairFibre fibre({1.55f, c.along, c.around, 0.0f});
    const Rgb back = all_scattered(fibre, direction(c.inclination, 0.4f), c.h, Rgb::Zero());
    EXPECT_NEAR(back.maxCoeff(), 1.0f, 2e-3f) << c.along << " " << c.inclination;
    EXPECT_NEAR(back.minCoeff(), 1.0f, 2e-3f) << c.along << " " << c.inclination;
  }
}

// Tilted scales turn the lobes; at grazing angles a lobe is cut by the end of the sphere, and light is lost, not won.
TEST(WhiteFurnace, TiltedScalesAddNoLight) {
  for (const Case& c : cases) {
    FibreOptions options;
    options.roughness_along = c.along, options.roughness_around = c.around;
    for (const float inclination : {c.inclination, -c.inclination}) {
      const Rgb back = all_scattered(HairFibre(options), direction(inclination, -2.0f), c.h, Rgb::Zero());
      EXPECT_LE(back.maxCoeff(), 1.0f + 2e-3f) << c.along << " " << inclination;
      EXPECT_GE(back.minCoeff(), 0.9f) << c.along << " " << inclination;
    }
  }
}

TEST(WhiteFurnace, PigmentTakesLightAwayMostOfAllBlue) {
  const HairFibre fibre(FibreOptions{});
  const Vector3f out = direction(0.3f, 0.0f);
  Rgb before = Rgb::Ones();
  for (const float eumelanin : {0.05f, 0.3f, 1.3f, 8.0f}) {
    const Rgb back = all_scattered(fibre, out, 0.4f, absorption({eumelanin, 0.1f}));
    EXPECT_TRUE((back < before).all()) << eumelanin;
    EXPECT_GT(back[0], back[2]);
    before = back;
  }
}

// What sample() chooses, times its weight, is the integral of scattered().
TEST(HairFibre, SamplesHaveTheWeightOfTheWhole) {
  for (const Case& c : cases) {
    FibreOptions options;
    options.roughness_along = c.along, options.roughness_around = c.around;
    const HairFibre fibre(options);
    const Rgb absorbed = absorption({0.4f, 0.3f});
    const Vector3f out = direction(c.inclination, 1.0f);
    constexpr std::uint32_t samples = 1 << 15;
    Eigen::Array3d sum = Eigen::Array3d::Zero();
    for (std::uint32_t s = 0; s < samples; ++s) {
      Sampler sampler(7, s, samples);
      const Eigen::Vector2f lobe = sampler.pair();
      const HairFibre::Sample sample = fibre.sample(out, c.h, absorbed, lobe, sampler.one());
      EXPECT_NEAR(sample.in.norm(), 1.0f, 1e-4f);
      sum += sample.weight.cast<double>();
    }
    const Rgb mean = (sum / double(samples)).cast<float>(), whole = all_scattered(fibre, out, c.h, absorbed);
    EXPECT_LT((mean - whole).abs().maxCoeff(), 0.01f) << c.along << " " << c.inclination;
  }
}

TEST(HairFibre, IsFiniteInEveryDirection) {
  const HairFibre fibre(FibreOptions{});
  for (const float a : {-0.5f * pi, -1.0f, 0.0f, 0.5f * pi})
    for (const float b : {-0.5f * pi, 0.0f, 1.57f, 0.5f * pi})
      for (const float h : {-1.0f, 0.0f, 1.0f}) {
        const Rgb value = fibre.scattered(direction(a, 0.0f), direction(b, 3.0f), h, Rgb::Constant(0.5f));
        EXPECT_TRUE(value.isFinite().all() && (value >= 0.0f).all()) << a << " " << b << " " << h;
        const HairFibre::Sample sample =
            fibre.sample(direction(a, 0.0f), h, Rgb::Constant(0.5f), {0.999999f, 0.0f}, 0.0f);
        EXPECT_TRUE(sample.in.allFinite() && sample.weight.isFinite().all()) << a << " " << h;
      }
}

}  // namespace
}  // namespace tendril::render
