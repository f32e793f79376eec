// A crowd of chains in lanes, for benchmarks: roots shaken sideways, free of contact, backward Euler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/rods/chain/project_kernels.hpp"

namespace tendril::bench {

// One block of chains as kernels take it; T is float or double.
template <class T>
struct CrowdBlock {
  AlignedVector<T> x, v, p;               // [point][component][lane]; x relative to where roots are at rest
  AlignedVector<T> inverse_mass, length;  // [point][lane]
  AlignedVector<T> positions, multipliers;
  std::vector<chain::Status> status;
  std::vector<std::int32_t> iterations;
  std::vector<T> residual;
  std::vector<std::uint8_t> certified;

  chain::BlockView<T> view();
};

template <class T>
class Crowd {
 public:
  using Project = std::function<void(const chain::BlockView<T>& view, void* memory)>;

  // `points` of each chain, links of 1 cm; hair that hangs, each a little otherwise.
  Crowd(std::size_t chains, std::size_t points, std::size_t lanes);

  std::size_t chains() const { return chains_; }
  std::size_t point_count() const { return chains_ * points_; }
  std::vector<CrowdBlock<T>>& blocks() { return blocks_; }
  std::size_t padded_points() const { return points_ + 1; }

  void predict(double dt);
  // Projects what was predicted and moves there; `bytes` of memory for each worker.
  void project(const Project& project, std::size_t bytes);
  void advance(double dt);
  double violation() const;  // the largest | |z| / l - 1 | of what was projected

 private:
  std::size_t chains_, points_, lanes_;
  double time_ = 0.0;
  std::vector<CrowdBlock<T>> blocks_;
  std::vector<AlignedVector<std::byte>> memory_;
};

}  // namespace tendril::bench
