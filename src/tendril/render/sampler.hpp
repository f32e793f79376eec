// Well spread numbers for Monte Carlo integrals, a function of pixel, sample and dimension alone: no thread count and
// no order of pixels changes a bit of a picture.
//
// Each pair of dimensions is a (0,2)-sequence (van der Corput and Sobol's second dimension), scrambled by exclusive or;
// which of its points a sample takes is a permutation that differs from pair to pair, so that pairs are independent.
#pragma once

#include <Eigen/Core>
#include <cstdint>

namespace tendril::render {

class Sampler {
 public:
  Sampler(std::uint32_t pixel, std::uint32_t sample, std::uint32_t samples)
      : pixel_(pixel), sample_(sample), samples_(samples) {}

  float one() { return pair()[0]; }  // in [0, 1)
  Eigen::Vector2f pair();

 private:
  std::uint32_t pixel_, sample_, samples_, dimension_ = 0;
};

// A bijection of 0 ... size - 1 for each seed.
std::uint32_t permuted(std::uint32_t index, std::uint32_t size, std::uint32_t seed);

std::uint32_t mixed(std::uint32_t a, std::uint32_t b);  // a hash of both

}  // namespace tendril::render
