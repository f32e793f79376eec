#include "tendril/rods/chain/sample_problems.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/random.hpp"

namespace tendril::chain {
namespace {

Problem held_at_root(std::vector<Vector3d> start) {
  Problem made;
  const std::size_t n = start.size();
  made.prediction = start, made.start = std::move(start);
  made.inverse_mass.assign(n, 1.0), made.inverse_mass[0] = 0.0;
  made.length.assign(n - 1, 1.0);
  made.offsets = {0, std::uint32_t(n)};
  return made;
}

Vector3d normal_vector(Random& random) { return {random.normal(), random.normal(), random.normal()}; }

}  // namespace

void Problem::add(const Problem& other) {
  prediction.insert(prediction.end(), other.prediction.begin(), other.prediction.end());
  start.insert(start.end(), other.start.begin(), other.start.end());
  inverse_mass.insert(inverse_mass.end(), other.inverse_mass.begin(), other.inverse_mass.end());
  length.insert(length.end(), other.length.begin(), other.length.end());
  const std::uint32_t before = offsets.back();
  for (std::size_t c = 1; c < other.offsets.size(); ++c) offsets.push_back(before + other.offsets[c]);
}

std::vector<Vector3d> random_chain(std::uint64_t seed, std::size_t points, double turn) {
  Random random(seed);
  std::vector<Vector3d> x = {Vector3d::Zero()};
  Vector3d direction = normal_vector(random).normalized();
  while (x.size() < points) {
    x.push_back(x.back() + direction);
    direction = (direction + turn * normal_vector(random)).normalized();
  }
  return x;
}

Problem noisy_chain(std::uint64_t seed, std::size_t points, double noise) {
  Problem made = held_at_root(random_chain(seed, points));
  Random random(seed + 1000);
  for (std::size_t i = 1; i < points; ++i) made.prediction[i] += noise * normal_vector(random);
  return made;
}

Problem dropped_chain(std::uint64_t seed, std::size_t points, double by) {
  Problem made = held_at_root(random_chain(seed, points));
  for (std::size_t i = 1; i < points; ++i) made.prediction[i].z() -= by;
  return made;
}

Problem compressed_chain(std::uint64_t seed, std::size_t points, double share, double turn) {
  Problem made = held_at_root(random_chain(seed, points, turn));
  for (Vector3d& x : made.prediction) x *= 1.0 - share;
  return made;
}

Problem with_heavy_points(std::uint64_t seed, Problem problem) {
  for (std::size_t i = 1; i < problem.inverse_mass.size(); ++i)
    if ((7 * i + seed) % 3 == 0) problem.inverse_mass[i] *= 1e-6;
  return problem;
}

Problem jerked_chain(std::uint64_t seed, std::size_t points, double by, double tip_mass) {
  Problem made = held_at_root(random_chain(seed, points));
  made.prediction[0] -= by * (made.start[1] - made.start[0]);
  made.inverse_mass.back() = 1.0 / tip_mass;
  return made;
}

Problem taut_rope(std::uint64_t seed, std::size_t points, double load) {
  Random random(seed);
  std::vector<Vector3d> x = {Vector3d::Zero()};
  while (x.size() < points) {
    const Vector3d direction(0.02 * random.normal(), 0.02 * random.normal(), -1.0);
    x.push_back(x.back() + direction.normalized());
  }
  Problem made = held_at_root(std::move(x));
  made.prediction[0].z() += 0.5;
  made.inverse_mass.back() = 1.0 / load;
  return made;
}

Projections project(const Problem& problem, const Options& options) {
  Projections out;
  Projector().project(problem.view(), options, out);
  return out;
}

double violation(const Problem& problem, std::span<const Vector3d> x) {
  double worst = 0.0;
  for (std::size_t c = 0; c + 1 < problem.offsets.size(); ++c)
    for (std::size_t i = problem.offsets[c]; i + 1 < problem.offsets[c + 1]; ++i)
      worst = std::max(worst, std::abs((x[i] - x[i + 1]).norm() / problem.length[i - c] - 1.0));
  return worst;
}

double mass_norm(const Problem& problem, std::span<const Vector3d> x, std::span<const Vector3d> y) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (problem.inverse_mass[i] > 0.0) sum += (x[i] - y[i]).squaredNorm() / problem.inverse_mass[i];
  return std::sqrt(sum);
}

}  // namespace tendril::chain
