#include "tendril/sim/joined_places.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "tendril/contact/disjoint_sets.hpp"

namespace tendril {
namespace {

constexpr double same_place = 1e-9;  // in edges

bool is_near(double arc, double other) { return std::abs(arc - other) <= 1.0 + same_place; }

}  // namespace

JoinedPlaces::JoinedPlaces(std::size_t strands, std::span<const Pair> pairs) {
  struct Side {
    collide::StrandPoint at;
    std::uint32_t pair;
  };
  std::vector<Side> sides;
  for (std::uint32_t k = 0; k < pairs.size(); ++k)
    for (const collide::StrandPoint& at : {pairs[k].first, pairs[k].second})
      if (at.strand != collide::nobody) sides.push_back({at, k});
  std::ranges::stable_sort(sides, {}, [](const Side& side) { return std::tuple(side.at.strand, side.at.arc()); });
  contact::DisjointSets knots(pairs.size());
  for (std::size_t k = 1; k < sides.size(); ++k)
    if (sides[k].at.strand == sides[k - 1].at.strand && sides[k].at.arc() - sides[k - 1].at.arc() <= same_place)
      knots.join(sides[k].pair, sides[k - 1].pair);
  std::vector<char> is_pinned(pairs.size(), 0);
  for (std::uint32_t k = 0; k < pairs.size(); ++k)
    if (pairs[k].first.strand == collide::nobody || pairs[k].second.strand == collide::nobody)
      is_pinned[knots.find(k)] = 1;
  first_.assign(strands + 1, 0);
  for (const Side& side : sides) {
    ++first_[side.at.strand + 1];
    const std::uint32_t knot = knots.find(side.pair);
    places_.push_back({side.at.arc(), knot, is_pinned[knot] != 0});
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
}

bool JoinedPlaces::hold(const collide::StrandPoint& a, const collide::StrandPoint& b) const {
  if (places_.empty() || a.strand == collide::nobody) return false;
  if (b.strand == collide::nobody)
    return std::ranges::any_of(of(a.strand), [&](const Place& at) { return at.is_pinned && is_near(at.arc, a.arc()); });
  for (const Place& at_a : of(a.strand)) {
    if (!is_near(at_a.arc, a.arc())) continue;
    for (const Place& at_b : of(b.strand))
      if (at_b.knot == at_a.knot && is_near(at_b.arc, b.arc()) && (a.strand != b.strand || at_a.arc != at_b.arc))
        return true;
  }
  return false;
}

}  // namespace tendril
