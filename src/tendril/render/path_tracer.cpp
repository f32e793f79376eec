#include "tendril/render/path_tracer.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>

#include "tendril/base/parallel.hpp"
#include "tendril/render/ray_scene.hpp"
#include "tendril/render/sampler.hpp"

namespace tendril::render {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;
constexpr float pi = std::numbers::pi_v<float>;

Vector2f disc_point(const Vector2f& u) {
  const float r = std::sqrt(u[0]), angle = 2.0f * pi * u[1];
  return {r * std::cos(angle), r * std::sin(angle)};
}

Vector3f around_normal(const Vector3f& normal, const Vector3f& local) {
  const Vector3f a = normal.unitOrthogonal(), b = normal.cross(a);
  return local.x() * a + local.y() * b + local.z() * normal;
}

Vector3f cosine_direction(const Vector3f& normal, const Vector2f& u) {
  const Vector2f d = disc_point(u);
  return around_normal(normal, {d[0], d[1], std::sqrt(std::max(0.0f, 1.0f - d.squaredNorm()))});
}

// A direction out of a fibre's surface, in the frame of the fibre: the normal is across, along y.
struct FibreView {
  Eigen::Matrix3f axes;  // rows: along the fibre, the normal, and across both
  Vector3f out;
  float h;  // where across the fibre it leaves

  FibreView(const Hit& hit, const Vector3f& towards) {
    const Vector3f y = (hit.normal - hit.normal.dot(hit.tangent) * hit.tangent).normalized();
    axes.row(0) = hit.tangent, axes.row(1) = y, axes.row(2) = hit.tangent.cross(y);
    out = axes * towards;
    h = out.z() / std::max(1e-6f, std::hypot(out.y(), out.z()));
  }
};

// Light that comes by way of other hair is dim, but for a few paths in a million that would stand out as dots for ever.
constexpr float brightest_echo = 1.5f;

class PathTracer {
 public:
  PathTracer(const Stage& stage, int max_bounces)
      : stage_(stage), scene_(stage), fibre_(stage.fibre), max_bounces_(max_bounces) {}

  Rgb radiance(Ray ray, Sampler& sampler) const {
    Rgb light = Rgb::Zero(), carried = Rgb::Ones();
    const Vector3f first = ray.direction;
    for (int bounce = 0;; ++bounce) {
      const std::optional<Hit> hit = scene_.nearest(ray);
      if (bounce == 0)
        if (const std::optional<float> floor = floor_distance(ray); floor && (!hit || *floor < hit->distance))
          return backdrop(first) * lit_share(ray, *floor, sampler);
      if (!hit) return light + carried * (bounce == 0 ? backdrop(first) : stage_.sky.radiance(ray.direction));
      if (is_chalk(*hit)) return light + carried * albedo(*hit) * (0.45f + 0.55f * -hit->normal.dot(ray.direction));
      const Vector3f point = ray.origin + hit->distance * ray.direction;
      const Rgb arriving = carried * direct(*hit, point, ray, bounce, sampler);
      light += bounce == 0 ? arriving : arriving.min(brightest_echo);
      if (bounce == max_bounces_ || !scatter(*hit, point, ray, carried, sampler)) return light;
      if (bounce >= 2) {  // the dimmer, the sooner it ends; what survives counts for those that did not
        const float survival = std::min(0.95f, carried.maxCoeff());
        if (sampler.one() >= survival) return light;
        carried /= survival;
      }
    }
  }

 private:
  Rgb backdrop(const Vector3f& direction) const {
    const float share = std::clamp(0.5f + 1.2f * direction.y(), 0.0f, 1.0f);
    return stage_.backdrop_bottom + share * (stage_.backdrop_top - stage_.backdrop_bottom);
  }

  std::optional<float> floor_distance(const Ray& ray) const {
    if (!stage_.ground || ray.direction.y() > -1e-4f) return std::nullopt;
    const float t = (*stage_.ground - ray.origin.y()) / ray.direction.y();
    return t > 0.0f ? std::optional(t) : std::nullopt;
  }

  struct LampSample {
    Vector3f direction;
    float distance;
    Rgb irradiance;  // on a surface that faces it
  };
  LampSample sample_lamp(const Lamp& lamp, const Vector3f& point, const Vector2f& u) const {
    const Vector2f d = lamp.radius * disc_point(u);
    const Vector3f way = lamp.centre + around_normal(lamp.facing, {d[0], d[1], 0.0f}) - point;
    const float square = way.squaredNorm(), distance = std::sqrt(square);
    const Vector3f direction = way / distance;
    const float facing = std::max(0.0f, -direction.dot(lamp.facing));
    return {direction, distance, lamp.radiance * (facing * pi * lamp.radius * lamp.radius / square)};
  }

  // How much of the light that the floor would get arrives there: it is the backdrop with shadows on it, and so has no
  // edge.
  float lit_share(const Ray& ray, float distance, Sampler& sampler) const {
    const Vector3f point = ray.origin + distance * ray.direction, up = Vector3f::UnitY();
    float arrives = 0.0f, all = 0.0f;
    const auto count = [&](const Vector3f& direction, float reach, float irradiance) {
      all += irradiance;
      if (!scene_.blocked({point, direction, 1e-5f, ray.time}, reach)) arrives += irradiance;
    };
    for (const Lamp& lamp : stage_.lamps) {
      const LampSample sample = sample_lamp(lamp, point, sampler.pair());
      count(sample.direction, sample.distance, std::max(0.0f, sample.direction.y()) * luminance(sample.irradiance));
    }
    count(cosine_direction(up, sampler.pair()), 1e30f, pi * luminance(stage_.sky.above));
    return arrives / all;
  }

  // Where a new ray from the hit may begin: outside of what was hit.
  Ray leaving(const Hit& hit, const Vector3f& point, const Vector3f& direction, float time) const {
    if (hit.on_strand && stage_.strands[hit.part].look == Look::hair) {
      const float along = direction.dot(hit.tangent);
      return {point, direction, 2.2f * hit.radius / std::sqrt(std::max(0.01f, 1.0f - along * along)), time};
    }
    const float skip = hit.on_strand ? 0.05f * hit.radius : 1e-5f;
    return {point + skip * hit.normal, direction, skip, time};
  }

  Rgb direct(const Hit& hit, const Vector3f& point, const Ray& ray, int bounce, Sampler& sampler) const {
    Rgb sum = Rgb::Zero();
    const auto lamps = stage_.lamps.size();
    if (lamps == 0) return sum;
    // All lamps where it shows most, later one of them for all.
    const bool all = bounce == 0;
    std::size_t begin = 0, end = lamps;
    if (!all) begin = std::min(lamps - 1, std::size_t(sampler.one() * float(lamps))), end = begin + 1;
    for (std::size_t i = begin; i < end; ++i) {
      const LampSample sample = sample_lamp(stage_.lamps[i], point, sampler.pair());
      const Rgb value =
          scattered(hit, -ray.direction, sample.direction) * sample.irradiance * (all ? 1.0f : float(lamps));
      if (!(value.maxCoeff() > 0.0f)) continue;
      if (!scene_.blocked(leaving(hit, point, sample.direction, ray.time), sample.distance)) sum += value;
    }
    return sum;
  }

  Rgb albedo(const Hit& hit) const {
    if (!hit.on_strand) return stage_.surfaces[hit.part].colour;
    const StrandSet& set = stage_.strands[hit.part];
    return set.vertex_colour.empty() ? set.colour[hit.strand] : hit.vertex_colour;
  }

  bool is_chalk(const Hit& hit) const { return hit.on_strand && stage_.strands[hit.part].look == Look::chalk; }
  bool is_hair(const Hit& hit) const { return hit.on_strand && stage_.strands[hit.part].look == Look::hair; }

  // Reflected share of a varnish on a matt ground.
  static float varnish(float cosine) { return 0.04f + 0.96f * std::pow(1.0f - std::clamp(cosine, 0.0f, 1.0f), 5.0f); }

  // Per irradiance of a facing surface.
  Rgb scattered(const Hit& hit, const Vector3f& out, const Vector3f& in) const {
    if (is_hair(hit)) {
      const FibreView view(hit, out);
      return fibre_.scattered(view.out, view.axes * in, view.h, albedo(hit));
    }
    const float cosine = hit.normal.dot(in);
    if (cosine <= 0.0f) return Rgb::Zero();
    constexpr float sharpness = 90.0f;
    const Vector3f half = (in + out).normalized();
    const float gloss = (sharpness + 8.0f) / (8.0f * pi) * std::pow(std::max(0.0f, hit.normal.dot(half)), sharpness);
    const float reflected = varnish(half.dot(in));
    return ((1.0f - reflected) / pi * albedo(hit) + reflected * gloss) * cosine;
  }

  // Goes on in a new direction; false: there is nothing left to carry.
  bool scatter(const Hit& hit, const Vector3f& point, Ray& ray, Rgb& carried, Sampler& sampler) const {
    Vector3f direction;
    if (is_hair(hit)) {
      const FibreView view(hit, -ray.direction);
      const Vector2f lobe = sampler.pair();
      const HairFibre::Sample sample = fibre_.sample(view.out, view.h, albedo(hit), lobe, sampler.one());
      carried *= sample.weight;
      direction = (view.axes.transpose() * sample.in).normalized();
    } else {
      const Vector2f u = sampler.pair();
      if (sampler.one() < varnish(-hit.normal.dot(ray.direction))) {  // chance stands for the share
        direction = ray.direction - 2.0f * hit.normal.dot(ray.direction) * hit.normal;
      } else {
        direction = cosine_direction(hit.normal, u);
        carried *= albedo(hit);
      }
    }
    ray = leaving(hit, point, direction, ray.time);
    return carried.maxCoeff() > 1e-4f;
  }

  const Stage& stage_;
  RayScene scene_;
  HairFibre fibre_;
  int max_bounces_;
};

// Samples of a pixel reach into its neighbours: a tent of two pixels' width.
float tent(float u) { return u < 0.5f ? std::sqrt(2.0f * u) - 1.0f : 1.0f - std::sqrt(2.0f - 2.0f * u); }

}  // namespace

Image trace(const Stage& stage, const Camera& camera, const TraceOptions& options) {
  constexpr int tile = 16;
  const PathTracer tracer(stage, options.max_bounces);
  const Lens lens(camera, options.width, options.height);
  Image image(options.width, options.height);
  const int across = (options.width + tile - 1) / tile, down = (options.height + tile - 1) / tile;
  std::atomic<int> done = 0;
  std::mutex telling;
  parallel_for(std::size_t(across * down), [&](std::size_t index) {
    const int left = int(index) % across * tile, top = int(index) / across * tile;
    for (int y = top; y < std::min(top + tile, options.height); ++y)
      for (int x = left; x < std::min(left + tile, options.width); ++x) {
        Rgb sum = Rgb::Zero();
        for (int s = 0; s < options.samples; ++s) {
          Sampler sampler(std::uint32_t(y * options.width + x), std::uint32_t(s), std::uint32_t(options.samples));
          const Vector2f place = sampler.pair();
          const float time = sampler.one();
          const Vector3f direction = lens.direction(float(x) + 0.5f + tent(place[0]), float(y) + 0.5f + tent(place[1]));
          sum += tracer.radiance({lens.eye(), direction, 0.0f, time}, sampler).min(20.0f);
        }
        image.at(x, y) = sum / float(options.samples);
      }
    if (options.progress) {
      const std::lock_guard lock(telling);
      options.progress(++done, across * down);
    }
  });
  return image;
}

}  // namespace tendril::render
