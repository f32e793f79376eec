#include "bench/chain_crowd.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"

namespace tendril::bench {
namespace {

constexpr double link = 0.01, gravity = 9.81, amplitude = 0.1, frequency = 2.0;  // [m], [m/s2], [m], [Hz]
constexpr double inverse_mass = 1e6;                                             // [1/kg]

double root_at(double time) { return amplitude * std::sin(2.0 * std::numbers::pi * frequency * time); }

}  // namespace

template <class T>
chain::BlockView<T> CrowdBlock<T>::view() {
  static_assert(sizeof(bool) == 1);
  return {length.size() / status.size(),
          p.data(),
          inverse_mass.data(),
          length.data(),
          p.data(),
          positions.data(),
          multipliers.data(),
          status.data(),
          iterations.data(),
          residual.data(),
          reinterpret_cast<bool*>(certified.data())};
}

template <class T>
Crowd<T>::Crowd(std::size_t chains, std::size_t points, std::size_t lanes)
    : chains_(chains), points_(points), lanes_(lanes), blocks_((chains + lanes - 1) / lanes) {
  const std::size_t padded = points + 1;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    CrowdBlock<T>& block = blocks_[b];
    for (auto* vectors : {&block.x, &block.v, &block.p, &block.positions}) vectors->assign(3 * padded * lanes, T(0));
    for (auto* numbers : {&block.inverse_mass, &block.length, &block.multipliers})
      numbers->assign(padded * lanes, T(0));
    block.status.resize(lanes), block.iterations.resize(lanes), block.residual.resize(lanes);
    block.certified.resize(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      Random random(7, b * lanes + lane);
      double at[3] = {0.0, 0.0, 0.0}, way[3] = {0.3 * random.normal(), -1.0, 0.3 * random.normal()};
      for (std::size_t i = 0; i < padded; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) block.x[(3 * i + axis) * lanes + lane] = T(at[axis]);
        if (i > 0 && i < points) block.inverse_mass[i * lanes + lane] = T(inverse_mass);
        if (i + 1 >= points) continue;
        block.length[i * lanes + lane] = T(link);
        for (double& one : way) one += 0.05 * random.normal();
        const double size = std::hypot(way[0], way[1], way[2]);
        for (std::size_t axis = 0; axis < 3; ++axis) at[axis] += link * way[axis] / size;
      }
    }
  }
}

template <class T>
void Crowd<T>::predict(double dt) {
  time_ += dt;
  const T h = T(dt), fall = T(-gravity * dt * dt), root = T(root_at(time_));
  parallel_for(blocks_.size(), [&](std::size_t b) {
    CrowdBlock<T>& block = blocks_[b];
    const std::size_t row = lanes_;
    std::fill_n(block.p.begin(), 3 * row, T(0));  // the root is the origin
    for (std::size_t i = 1; i <= points_; ++i) {
      const std::size_t at = 3 * i * row;
      const bool is_real = i < points_;
      for (std::size_t k = 0; k < row; ++k) {
        block.p[at + k] = is_real ? block.x[at + k] + h * block.v[at + k] - root : T(0);
        block.p[at + row + k] = is_real ? block.x[at + row + k] + h * block.v[at + row + k] + fall : T(0);
        block.p[at + 2 * row + k] = is_real ? block.x[at + 2 * row + k] + h * block.v[at + 2 * row + k] : T(0);
      }
    }
  });
}

template <class T>
void Crowd<T>::project(const Project& project, std::size_t bytes) {
  memory_.resize(std::size_t(thread_count()));
  for (auto& memory : memory_) memory.resize(std::max(memory.size(), bytes));
  parallel_for(blocks_.size(),
               [&](std::size_t b) { project(blocks_[b].view(), memory_[std::size_t(worker_index())].data()); });
}

template <class T>
void Crowd<T>::advance(double dt) {
  const T per_step = T(1.0 / dt), root = T(root_at(time_));
  parallel_for(blocks_.size(), [&](std::size_t b) {
    CrowdBlock<T>& block = blocks_[b];
    for (std::size_t i = 0; i < points_; ++i)
      for (std::size_t k = 0; k < 3 * lanes_; ++k) {
        const std::size_t at = 3 * i * lanes_ + k;
        const T there = block.positions[at] + (k < lanes_ ? root : T(0));
        block.v[at] = (there - block.x[at]) * per_step, block.x[at] = there;
      }
  });
}

template <class T>
double Crowd<T>::violation() const {
  double worst = 0.0;
  for (const CrowdBlock<T>& block : blocks_)
    for (std::size_t i = 0; i + 1 < points_; ++i)
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        double square = 0.0;
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const double off = double(block.positions[(3 * i + axis) * lanes_ + lane]) -
                             double(block.positions[(3 * i + 3 + axis) * lanes_ + lane]);
          square += off * off;
        }
        worst = std::max(worst, std::abs(std::sqrt(square) / double(T(link)) - 1.0));
      }
  return worst;
}

template struct CrowdBlock<double>;
template struct CrowdBlock<float>;
template class Crowd<double>;
template class Crowd<float>;

}  // namespace tendril::bench
