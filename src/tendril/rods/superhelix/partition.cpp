#include "tendril/rods/superhelix/partition.hpp"

#include <algorithm>

namespace tendril::superhelix {

Partition::Partition(const Counts& counts) {
  const std::array<int, 3> count = {counts.bend1, counts.bend2, counts.twist};
  for (int c = 0; c < 3; ++c)
    for (int i = 0; i < count[std::size_t(c)]; ++i) {
      const auto n = double(count[std::size_t(c)]);
      components_.push_back(c);
      spans_.push_back({double(i) / n, double(i + 1) / n});
      ends_.push_back(double(i) / n);
    }
  ends_.push_back(1.0);
  std::sort(ends_.begin(), ends_.end());
  constexpr double same = 1e-12;  // 2/4 and 3/6 are equal, 1/3 of two counts may differ by rounding
  ends_.erase(std::unique(ends_.begin(), ends_.end(), [](double a, double b) { return b - a < same; }), ends_.end());
  for (std::size_t piece = 0; piece + 1 < ends_.size(); ++piece) {
    const double middle = 0.5 * (ends_[piece] + ends_[piece + 1]);
    auto& of_piece = unknowns_.emplace_back();
    for (std::size_t u = 0; u < components_.size(); ++u)
      if (spans_[u][0] < middle && middle < spans_[u][1]) of_piece[std::size_t(components_[u])] = u;
  }
}

std::size_t Partition::piece_at(double share) const {
  const auto after = std::upper_bound(ends_.begin() + 1, ends_.end() - 1, share);
  return std::size_t(after - ends_.begin()) - 1;
}

}  // namespace tendril::superhelix
