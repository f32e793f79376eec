#include "tendril/render/hair_fibre.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tendril::render {
namespace {

using Eigen::Vector2f;
using Eigen::Vector3f;
constexpr float pi = std::numbers::pi_v<float>;

float square(float x) { return x * x; }
float safe_sqrt(float x) { return std::sqrt(std::max(0.0f, x)); }
float power(float x, int n) { return std::pow(x, float(n)); }

// Reflected share at a smooth surface, from outside.
float fresnel(float cosine, float refraction) {
  const float sine = safe_sqrt(1.0f - square(cosine)) / refraction;
  const float inner = safe_sqrt(1.0f - square(sine));
  const float parallel = (refraction * cosine - inner) / (refraction * cosine + inner);
  const float across = (cosine - refraction * inner) / (cosine + refraction * inner);
  return 0.5f * (square(parallel) + square(across));
}

// log of the modified Bessel function I_0: its series, and its asymptote where that would overflow.
float log_bessel(float x) {
  if (x > 12.0f) return x - 0.5f * std::log(2.0f * pi * x) + (1.0f + 0.5f / x) / (8.0f * x);
  const float quarter = 0.25f * x * x;
  float sum = 1.0f, term = 1.0f;
  for (float i = 1.0f; term > 1e-7f * sum; ++i) sum += term *= quarter / (i * i);
  return std::log(sum);
}

// Distribution along the fibre (Eq. 3): a Gaussian on the sphere, spread over the circle of equal inclination.
float along(float cos_in, float cos_out, float sin_in, float sin_out, float variance) {
  const float a = cos_in * cos_out / variance, b = sin_in * sin_out / variance;
  const float log_norm = variance <= 0.1f ? -1.0f / variance + std::numbers::ln2_v<float> - std::log(2.0f * variance)
                                          : -std::log(2.0f * variance * std::sinh(1.0f / variance));
  return std::exp(log_bessel(a) - b + log_norm);
}

float logistic(float x, float s) {
  const float e = std::exp(-std::abs(x) / s);
  return e / (s * square(1.0f + e));
}
float logistic_integral(float x, float s) { return 1.0f / (1.0f + std::exp(-x / s)); }

float wrapped(float angle) { return angle - 2.0f * pi * std::floor((angle + pi) / (2.0f * pi)); }  // into [-pi, pi)

// Distribution around the fibre (Eq. 5), normalised on [-pi, pi].
float around(float angle, float s) {
  return logistic(wrapped(angle), s) / (logistic_integral(pi, s) - logistic_integral(-pi, s));
}
float sample_around(float u, float s) {
  const float low = logistic_integral(-pi, s), high = logistic_integral(pi, s);
  return std::clamp(-s * std::log(1.0f / (low + u * (high - low)) - 1.0f), -pi, pi);
}

}  // namespace

Rgb absorption(const Melanin& melanin) {
  return melanin.eumelanin * Rgb(0.419f, 0.697f, 1.37f) + melanin.pheomelanin * Rgb(0.187f, 0.4f, 1.05f);
}

std::span<const HairColour> hair_colours() {
  static constexpr HairColour colours[] = {
      {"black", {4.0f, 0.0f}},    {"dark-brown", {1.9f, 0.15f}}, {"brown", {1.1f, 0.25f}},
      {"auburn", {0.55f, 0.75f}}, {"red", {0.25f, 1.2f}},        {"dark-blond", {0.55f, 0.12f}},
      {"blond", {0.25f, 0.08f}},  {"grey", {0.12f, 0.0f}},       {"white", {0.02f, 0.0f}}};
  return colours;
}

struct HairFibre::Outgoing {
  float sin_along, cos_along, angle;   // inclination and azimuth
  float gamma_out, gamma_in;           // angles of incidence around, outside and inside
  std::array<Rgb, lobes> attenuation;  // share of light that leaves by each lobe
  std::array<float, lobes> choice;     // probability with which a lobe is sampled
  std::array<float, lobes> sin_tilted, cos_tilted;

  float exit_angle(int lobe) const {  // Eq. 4
    return 2.0f * float(lobe) * gamma_in - 2.0f * gamma_out + float(lobe) * pi;
  }
};

// The polynomials that turn roughness in (0, 1] into evenly perceived widths are those of docs/theory/hair-shading.md.
HairFibre::HairFibre(const FibreOptions& options) : options_(options) {
  const float m = options.roughness_along, n = options.roughness_around;
  variance_[0] = square(0.726f * m + 0.812f * square(m) + 3.7f * power(m, 20));
  variance_[1] = 0.25f * variance_[0];
  variance_[2] = variance_[3] = 4.0f * variance_[0];
  spread_ = std::sqrt(pi / 8.0f) * (0.265f * n + 1.194f * square(n) + 5.372f * power(n, 22));
  const std::array<float, 3> tilt = {2.0f, -1.0f, -4.0f};  // of R, TT and TRT, in scale angles
  for (std::size_t p = 0; p < 3; ++p) {
    sin_tilt_[p] = std::sin(tilt[p] * options.scale_angle);
    cos_tilt_[p] = std::cos(tilt[p] * options.scale_angle);
  }
}

HairFibre::Outgoing HairFibre::outgoing(const Vector3f& out, float h, const Rgb& absorption) const {
  Outgoing o;
  o.sin_along = std::clamp(out.x(), -1.0f, 1.0f);
  o.cos_along = std::max(1e-4f, safe_sqrt(1.0f - square(o.sin_along)));  // never quite along the fibre
  o.angle = std::atan2(out.z(), out.y());
  h = std::clamp(h, -0.9999f, 0.9999f);
  o.gamma_out = std::asin(h);
  // What happens in the plane across the fibre is as with another index of refraction (Eq. 6).
  const float effective = std::sqrt(square(options_.refraction) - square(o.sin_along)) / o.cos_along;
  const float sin_gamma_in = h / effective;
  o.gamma_in = std::asin(sin_gamma_in);
  const float cos_inside = safe_sqrt(1.0f - square(o.sin_along / options_.refraction));
  const float chord = 2.0f * safe_sqrt(1.0f - square(sin_gamma_in)) / cos_inside;
  const Rgb through = (-absorption * chord).exp();

  const float reflected = fresnel(o.cos_along * safe_sqrt(1.0f - square(h)), options_.refraction);  // Eq. 7
  o.attenuation[0] = Rgb::Constant(reflected);
  o.attenuation[1] = square(1.0f - reflected) * through;
  o.attenuation[2] = o.attenuation[1] * through * reflected;
  o.attenuation[3] = o.attenuation[2] * through * reflected / (1.0f - through * reflected);
  float total = 0.0f;
  for (std::size_t p = 0; p < lobes; ++p) total += o.choice[p] = luminance(o.attenuation[p]);
  for (float& choice : o.choice) choice /= total;

  for (std::size_t p = 0; p < lobes; ++p) {
    o.sin_tilted[p] = o.sin_along, o.cos_tilted[p] = o.cos_along;
    if (p == 3) break;
    o.sin_tilted[p] = o.sin_along * cos_tilt_[p] - o.cos_along * sin_tilt_[p];
    o.cos_tilted[p] = std::abs(o.cos_along * cos_tilt_[p] + o.sin_along * sin_tilt_[p]);
  }
  return o;
}

Rgb HairFibre::scattered(const Vector3f& out, const Vector3f& in, float h, const Rgb& absorption) const {
  const Outgoing o = outgoing(out, h, absorption);
  const float sin_in = std::clamp(in.x(), -1.0f, 1.0f), cos_in = safe_sqrt(1.0f - square(sin_in));
  const float angle = std::atan2(in.z(), in.y()) - o.angle;
  Rgb sum = Rgb::Zero();
  for (int p = 0; p < lobes; ++p) {
    const auto i = std::size_t(p);
    const float spread = p == 3 ? 1.0f / (2.0f * pi) : around(angle - o.exit_angle(p), spread_);
    sum += along(cos_in, o.cos_tilted[i], sin_in, o.sin_tilted[i], variance_[i]) * spread * o.attenuation[i];
  }
  return sum;
}

HairFibre::Sample HairFibre::sample(const Vector3f& out, float h, const Rgb& absorption, const Vector2f& lobe_and_turn,
                                    float around_share) const {
  const Outgoing o = outgoing(out, h, absorption);
  std::size_t p = 0;
  float u = lobe_and_turn[0];
  while (p + 1 < lobes && u >= o.choice[p]) u -= o.choice[p++];
  u = std::clamp(u / o.choice[p], 0.0f, 0.99999f);  // what is left of it is as good as new

  // Eq. 8: inclination by inversion, then a turn about the outgoing direction's mirror image.
  const float v = variance_[p], e = std::max(u, 1e-5f);
  const float cosine = 1.0f + v * std::log(e + (1.0f - e) * std::exp(-2.0f / v));
  const float sine = safe_sqrt(1.0f - square(cosine));
  const float sin_in = std::clamp(
      -cosine * o.sin_tilted[p] + sine * std::cos(2.0f * pi * lobe_and_turn[1]) * o.cos_tilted[p], -1.0f, 1.0f);
  const float cos_in = safe_sqrt(1.0f - square(sin_in));
  const float turn = p == 3 ? 2.0f * pi * around_share : o.exit_angle(int(p)) + sample_around(around_share, spread_);
  const float angle = o.angle + turn;
  Sample sample{{sin_in, cos_in * std::cos(angle), cos_in * std::sin(angle)}, Rgb::Zero()};

  float density = 0.0f;
  Rgb value = Rgb::Zero();
  for (std::size_t q = 0; q < lobes; ++q) {
    const float spread = q == 3 ? 1.0f / (2.0f * pi) : around(turn - o.exit_angle(int(q)), spread_);
    const float shape = along(cos_in, o.cos_tilted[q], sin_in, o.sin_tilted[q], variance_[q]) * spread;
    density += o.choice[q] * shape;
    value += shape * o.attenuation[q];
  }
  if (density > 0.0f) sample.weight = value / density;
  return sample;
}

}  // namespace tendril::render
