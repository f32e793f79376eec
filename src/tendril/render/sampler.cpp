#include "tendril/render/sampler.hpp"

#include <algorithm>
#include <bit>

namespace tendril::render {
namespace {

std::uint32_t reversed(std::uint32_t bits) {
  bits = (bits << 16) | (bits >> 16);
  bits = ((bits & 0x00ff00ffu) << 8) | ((bits & 0xff00ff00u) >> 8);
  bits = ((bits & 0x0f0f0f0fu) << 4) | ((bits & 0xf0f0f0f0u) >> 4);
  bits = ((bits & 0x33333333u) << 2) | ((bits & 0xccccccccu) >> 2);
  return ((bits & 0x55555555u) << 1) | ((bits & 0xaaaaaaaau) >> 1);
}

// Sobol's second dimension: its direction numbers are the rows of Pascal's triangle modulo 2.
std::uint32_t sobol_second(std::uint32_t index) {
  std::uint32_t bits = 0;
  for (std::uint32_t v = 1u << 31; index != 0; index >>= 1, v ^= v >> 1)
    if (index & 1u) bits ^= v;
  return bits;
}

float unit(std::uint32_t bits) { return float(bits >> 8) * 0x1p-24f; }  // below 1 for all bits

}  // namespace

std::uint32_t mixed(std::uint32_t a, std::uint32_t b) {
  std::uint64_t h = (std::uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15u;
  h ^= h >> 29, h *= 0xbf58476d1ce4e5b9u;
  h ^= h >> 32, h *= 0x94d049bb133111ebu;
  return std::uint32_t(h >> 32);
}

// Rounds of a bijection on the next power of two, repeated until the result is in range.
std::uint32_t permuted(std::uint32_t index, std::uint32_t size, std::uint32_t seed) {
  if (size <= 1) return 0;
  const std::uint32_t mask = std::bit_ceil(size) - 1;
  const auto half = std::max(1u, std::uint32_t(std::bit_width(mask)) / 2);
  do {
    for (std::uint32_t round = 0; round < 4; ++round) {
      const std::uint32_t key = mixed(seed, round);
      index = (index * (key | 1u) + (key >> 16)) & mask;  // odd: invertible
      index ^= index >> half;                             // invertible, too
    }
  } while (index >= size);
  return index;
}

Eigen::Vector2f Sampler::pair() {
  const std::uint32_t seed = mixed(pixel_, dimension_++);
  const std::uint32_t point = permuted(sample_, samples_, seed);
  return {unit(reversed(point) ^ mixed(seed, 1)), unit(sobol_second(point) ^ mixed(seed, 2))};
}

}  // namespace tendril::render
