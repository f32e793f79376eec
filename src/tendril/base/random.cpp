#include "tendril/base/random.hpp"

#include <cassert>
#include <cmath>
#include <numbers>

namespace tendril {
namespace {

constexpr std::uint64_t golden = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio, odd

// Stafford's variant 13 of the MurmurHash3 finaliser, as in SplitMix64.
std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

// Natural logarithm of x in (0, 1) by exact and IEEE operations only: x = m 2^e with m in [1/sqrt 2, sqrt 2) and
// log m = 2 atanh z, z = (m - 1) / (m + 1), |z| < 0.172; the series to z^23 leaves less than one unit in the last
// place.
double portable_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < std::numbers::sqrt2 / 2) {
    m *= 2;
    --exponent;
  }
  const double z = (m - 1) / (m + 1), zz = z * z;
  double series = 0;
  for (int k = 23; k >= 1; k -= 2) series = series * zz + 1.0 / k;
  return 2 * z * series + exponent * std::numbers::ln2;
}

}  // namespace

Random::Random(std::uint64_t seed, std::uint64_t stream)
    : key_(mix(mix(seed + golden) + stream * 0xd1342543de82ef95u)) {}

std::uint64_t Random::bits() { return mix(key_ + golden * ++counter_); }

double Random::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

double Random::uniform(double low, double high) {
  const double value = low + (high - low) * uniform();
  return value < high ? value : low;  // the sum may round up to high
}

std::uint64_t Random::below(std::uint64_t count) {
  assert(count > 0);
  // Values at and above the largest multiple of count are drawn again, or the small results would be favoured.
  const std::uint64_t surplus = (0 - count) % count;  // 2^64 mod count
  for (;;) {
    const std::uint64_t value = bits();
    if (value <= ~std::uint64_t{0} - surplus) return value % count;
  }
}

// Marsaglia's polar method; the second value of the pair is dropped so that the counter is the whole state.
double Random::normal() {
  for (;;) {
    const double x = uniform(-1, 1), y = uniform(-1, 1), s = x * x + y * y;
    if (s > 0 && s < 1) return x * std::sqrt(-2 * portable_log(s) / s);
  }
}

// Marsaglia 1972: a point of the unit disc lifted to the sphere.
std::array<double, 3> Random::direction() {
  for (;;) {
    const double x = uniform(-1, 1), y = uniform(-1, 1), s = x * x + y * y;
    if (s >= 1) continue;
    const double scale = 2 * std::sqrt(1 - s);
    return {x * scale, y * scale, 1 - 2 * s};
  }
}

}  // namespace tendril
