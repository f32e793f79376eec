#include "tendril/contact/stored_matrix.hpp"

#include <algorithm>

#include "tendril/contact/stored_engines.hpp"

namespace tendril::contact {
namespace {

constexpr std::uint32_t together = 8;  // contacts in a block of the factorisation: 24 unknowns, without padding

std::vector<std::uint32_t> group_sizes(const ExplicitDelassus& system) {
  std::vector<std::uint32_t> sizes;
  for (std::size_t first = 0; first < system.size(); first += together)
    sizes.push_back(std::uint32_t(3 * std::min<std::size_t>(together, system.size() - first)));
  return sizes;
}

// By nearness in W, so that those in a group couple with about the same others: place of each contact.
std::vector<std::uint32_t> near_each_other(const ExplicitDelassus& system) {
  std::vector<std::uint32_t> order, place(system.size(), 0);
  std::vector<char> is_listed(system.size(), 0);
  const auto list = [&](std::uint32_t i) {
    if (is_listed[i] == 0) is_listed[i] = 1, order.push_back(i);
  };
  for (std::uint32_t i = 0; i < system.size(); ++i) {
    list(i);
    system.for_row(order[i], [&](std::uint32_t j, const Eigen::Matrix3d&) { list(j); });
  }
  for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
  return place;
}

std::vector<BlockLu::Pair> group_pairs(const ExplicitDelassus& system, const std::vector<std::uint32_t>& place) {
  std::vector<BlockLu::Pair> pairs;
  for (std::uint32_t i = 0; i < system.size(); ++i)
    system.for_row(i, [&](std::uint32_t j, const Eigen::Matrix3d&) {
      const std::uint32_t a = place[i] / together, b = place[j] / together;
      if (a < b) pairs.emplace_back(a, b);
    });
  std::ranges::sort(pairs);
  pairs.erase(std::ranges::unique(pairs).begin(), pairs.end());
  return pairs;
}

}  // namespace

StoredMatrix::StoredMatrix(const ExplicitDelassus& system)
    : system_(system),
      scales_(impulse_scales(system)),
      place_(near_each_other(system)),
      lu_(group_sizes(system), group_pairs(system, place_)),
      right_(lu_.unknowns(), 0.0) {}

bool StoredMatrix::factorise(const std::vector<Eigen::Matrix3d>& d) {
  lu_.clear();
  for (std::uint32_t i = 0; i < system_.size(); ++i) {
    const auto add = [&](std::uint32_t j, const Eigen::Matrix3d& part) {
      const std::uint32_t a = place_[i], b = place_[j];
      const BlockLu::Place place = lu_.place(a / together, b / together);
      for (std::size_t column = 0; column < 3; ++column)
        for (std::size_t row = 0; row < 3; ++row)
          lu_.entry(place, 3 * (a % together) + row, 3 * (b % together) + column) +=
              part(Eigen::Index(row), Eigen::Index(column));
    };
    system_.for_row(i, [&](std::uint32_t j, const Eigen::Matrix3d& w) { add(j, w * d[j]); });
    add(i, Eigen::Matrix3d::Identity());
  }
  return lu_.factorise();
}

double StoredMatrix::energy(const double* change) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < system_.size(); ++i)
    sum += scales_[i] * Eigen::Map<const Eigen::Vector3d>(change + 3 * i).squaredNorm();
  return sum;
}

double StoredMatrix::solve(const double* change, double* dv) {
  const auto at = [&](std::size_t i) { return right_.data() + 3 * place_[i]; };  // groups have no padding
  for (std::size_t i = 0; i < system_.size(); ++i) std::copy_n(change + 3 * i, 3, at(i));
  lu_.solve(right_.data());
  for (std::size_t i = 0; i < system_.size(); ++i) std::copy_n(at(i), 3, dv + 3 * i);
  return energy(change);
}

}  // namespace tendril::contact
