#include "tendril/rods/link_balance.hpp"

#include <limits>
#include <vector>

namespace tendril {

using Eigen::Vector3d;

namespace {

// Of a diagonal entry: a pivot of which elimination has left less is none, but round-off.
constexpr double no_pivot = 1e-12;

}  // namespace

// The normal equations are tridiagonal: a link shares a vertex with the next one. A straight run between two held
// points has one link more than points that the line lets move: its last pivot vanishes, and any tension may be added
// to all of it. The last link then has none until forces are balanced; what the run carries is not known.
void balance_links(std::span<const Vector3d> free, std::span<const Vector3d> along, std::span<Vector3d> forces,
                   std::span<double> tensions) {
  const std::size_t links = along.size();
  thread_local std::vector<double> diagonal, beside;
  thread_local std::vector<char> is_unknown;
  diagonal.resize(links), beside.assign(links, 0.0), is_unknown.assign(links, 0);
  const auto masked = [&](std::size_t vertex, std::size_t link) { return free[vertex].cwiseProduct(along[link]); };
  for (std::size_t k = 0; k < links; ++k) {
    const Vector3d first = masked(k, k), second = masked(k + 1, k);
    const double whole = first.squaredNorm() + second.squaredNorm();
    diagonal[k] = whole;
    tensions[k] = second.dot(forces[k + 1]) - first.dot(forces[k]);
    if (k > 0) beside[k] = -first.dot(along[k - 1]);
    if (k > 0 && diagonal[k - 1] > 0.0) {
      const double factor = beside[k] / diagonal[k - 1];
      diagonal[k] -= factor * beside[k], tensions[k] -= factor * tensions[k - 1];
    }
    if (diagonal[k] > no_pivot * whole) continue;
    diagonal[k] = 0.0;
    is_unknown[k] = whole > 0.0 ? 1 : 0;  // a link between held points has no equation
  }
  for (std::size_t k = links; k-- > 0;) {
    if (k + 1 < links) tensions[k] -= beside[k + 1] * tensions[k + 1];
    tensions[k] = diagonal[k] > 0.0 ? tensions[k] / diagonal[k] : 0.0;
    if (k + 1 < links && is_unknown[k + 1] != 0 && beside[k + 1] != 0.0) is_unknown[k] = 1;
  }
  for (std::size_t k = 0; k < links; ++k) forces[k] += tensions[k] * along[k], forces[k + 1] -= tensions[k] * along[k];
  for (std::size_t i = 0; i <= links; ++i) forces[i] = free[i].cwiseProduct(forces[i]);
  for (std::size_t k = 0; k < links; ++k)
    if (is_unknown[k] != 0) tensions[k] = std::numeric_limits<double>::quiet_NaN();
}

}  // namespace tendril
