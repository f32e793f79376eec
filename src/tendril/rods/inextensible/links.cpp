#include "tendril/rods/inextensible/links.hpp"

#include <algorithm>
#include <cmath>

namespace tendril::inextensible {

using Eigen::Vector3d;

LinkGap link_gap(const Vector3d& edge, double length) {
  const double off = edge.norm() - length;  // first: |e|^2 - l^2 would lose its digits near zero
  return {off * (1.0 + 0.5 * off / length), edge / length};
}

bool LinkSystem::factorise(const der::StepMatrix& matrix, std::span<const Vector3d> x, std::span<const double> lengths,
                           std::span<const double> tension) {
  band_.reset(x.size() * per_vertex);
  link_free_.assign(lengths.size(), 0);
  for (std::size_t column = 0; column < matrix.band.size; ++column)
    for (std::size_t row = column; row < std::min(matrix.band.size, column + matrix.band.width + 1); ++row) {
      const double value = matrix.band.at(row, column);
      if (value != 0.0) band_.at(of_unknown(row), of_unknown(column)) = value;
    }
  band_.at(3, 3) = 1.0;  // no link before the first vertex
  for (std::size_t k = 0; k < lengths.size(); ++k) {
    const Vector3d slope = link_gap(x[k + 1] - x[k], lengths[k]).slope;
    const double stiffness = std::max(0.0, tension[k]) / lengths[k];
    for (std::size_t c = 0; c < 3; ++c) {
      const std::size_t a = 4 * k + c, b = a + 4;
      for (const std::size_t u : {a, b}) {
        if (matrix.free[u] == 0) continue;
        band_.at(of_link(k), of_unknown(u)) = u == a ? -slope[Eigen::Index(c)] : slope[Eigen::Index(c)];
        band_.at(of_unknown(u), of_unknown(u)) += stiffness;
        link_free_[k] = 1;
      }
      if (matrix.free[a] != 0 && matrix.free[b] != 0) band_.at(of_unknown(b), of_unknown(a)) -= stiffness;
    }
    if (link_free_[k] == 0) band_.at(of_link(k), of_link(k)) = 1.0;
  }
  return band_.factorise();
}

void LinkSystem::solve(std::span<double> forces, std::span<double> gaps) const {
  thread_local std::vector<double> x;  // several threads may ask the same strand
  x.assign(band_.size() + band_.padding, 0.0);
  for (std::size_t u = 0; u < forces.size(); ++u) x[of_unknown(u)] = forces[u];
  for (std::size_t k = 0; k < gaps.size(); ++k) x[of_link(k)] = link_free_[k] != 0 ? gaps[k] : 0.0;
  band_.solve(x.data());
  for (std::size_t u = 0; u < forces.size(); ++u) forces[u] = x[of_unknown(u)];
  for (std::size_t k = 0; k < gaps.size(); ++k) gaps[k] = x[of_link(k)];
}

}  // namespace tendril::inextensible
