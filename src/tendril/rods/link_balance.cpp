#include "tendril/rods/link_balance.hpp"

#include <vector>

namespace tendril {

using Eigen::Vector3d;

// The normal equations are tridiagonal: a link shares a vertex with the next one.
void balance_links(std::span<const Vector3d> free, std::span<const Vector3d> along, std::span<Vector3d> forces,
                   std::span<double> tensions) {
  const std::size_t links = along.size();
  thread_local std::vector<double> diagonal, beside;
  diagonal.resize(links), beside.assign(links, 0.0);
  const auto masked = [&](std::size_t vertex, std::size_t link) { return free[vertex].cwiseProduct(along[link]); };
  for (std::size_t k = 0; k < links; ++k) {
    const Vector3d first = masked(k, k), second = masked(k + 1, k);
    diagonal[k] = first.squaredNorm() + second.squaredNorm();
    tensions[k] = second.dot(forces[k + 1]) - first.dot(forces[k]);
    if (k == 0) continue;
    beside[k] = -first.dot(along[k - 1]);
    if (diagonal[k - 1] <= 0.0) continue;
    const double factor = beside[k] / diagonal[k - 1];
    diagonal[k] -= factor * beside[k], tensions[k] -= factor * tensions[k - 1];
  }
  for (std::size_t k = links; k-- > 0;) {
    if (k + 1 < links) tensions[k] -= beside[k + 1] * tensions[k + 1];
    tensions[k] = diagonal[k] > 0.0 ? tensions[k] / diagonal[k] : 0.0;
  }
  for (std::size_t k = 0; k < links; ++k) forces[k] += tensions[k] * along[k], forces[k + 1] -= tensions[k] * along[k];
  for (std::size_t i = 0; i <= links; ++i) forces[i] = free[i].cwiseProduct(forces[i]);
}

}  // namespace tendril
