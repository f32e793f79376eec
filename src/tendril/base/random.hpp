// Random numbers that are a function of (seed, stream, counter): strand 17 draws from stream 17 and gets the same
// values on every machine, thread and run, whatever the others draw. Value n of a stream is mix(key + n * golden), the
// SplitMix64 generator started at a key that mixes seed and stream: 64 good bits, period 2^64. Not for secrets.
// normal() uses its own logarithm, because those of C libraries differ in the last bit.
#pragma once

#include <array>
#include <cstdint>

namespace tendril {

class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0);

  std::uint64_t bits();                      // 64 of them
  double uniform();                          // in [0, 1), multiples of 2^-53
  double uniform(double low, double high);   // in [low, high)
  std::uint64_t below(std::uint64_t count);  // in [0, count), each as likely; count > 0
  double normal();                           // mean 0, deviation 1
  std::array<double, 3> direction();         // a unit vector, uniform on the sphere

  // How many values were drawn: with seed and stream, all that a checkpoint needs.
  std::uint64_t counter() const { return counter_; }
  void set_counter(std::uint64_t counter) { counter_ = counter; }

 private:
  std::uint64_t key_;
  std::uint64_t counter_ = 0;
};

}  // namespace tendril
