// The links with which a block of chains starts (docs/theory/chain.md, after Eq. 3).
#pragma once

#include "tendril/rods/chain/block.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

// z_i of view.start in their lengths. A link without a direction takes that of the one before it, or else the first
// there is, or (1, 0, 0). What fills up a chain has no length.
template <class S, class View>
void set_start_links(const View& view, const S* length, std::size_t links, Vec3<S>* z) {
  constexpr std::size_t w = std::size_t(lane_count<S>);
  const S zero{}, one = broadcast<S>(1.0);
  Vec3<S> first = {one, zero, zero};
  auto is_without = zero != zero;
  for (std::size_t i = links; i-- > 0;) {
    z[i] = load3<S>(view.start + 3 * i * w) - load3<S>(view.start + 3 * (i + 1) * w);
    const auto has_direction = Block<S>::has_direction(z[i], length[i]);
    first = select(has_direction, z[i], first);
    is_without = is_without | ((!has_direction) & (length[i] > zero));
  }
  const bool any_without = any(is_without);
  Vec3<S> before = first;
  for (std::size_t i = 0; i < links; ++i) {
    const Vec3<S> instead =
        any_without ? Block<S>::in_length(before, length[i], {length[i], zero, zero}) : Vec3<S>{zero, zero, zero};
    z[i] = Block<S>::in_length(z[i], length[i], instead);
    before = select(length[i] > zero, z[i], before);
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
