// What makes a Newton step lead down (docs/theory/chain.md, Eq. 10): points that are heavier in its matrix by a share,
// no more than is needed; as the last resort no multipliers that push.
#pragma once

#include "tendril/linalg/lane_masks.hpp"

namespace tendril::chain {

inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
struct Damping {
  S heavier{};
  S pushing = broadcast<S>(1.0);  // 1 or 0
};

template <class S>
TENDRIL_INLINE S damped(const S& lam, const Damping<S>& damping) {
  return lam > S{} ? lam : damping.pushing * lam;
}

// More for the chains that need it.
template <class S>
TENDRIL_INLINE Damping<S> more_damped(const Damping<S>& damping, const Mask<S>& needs) {
  constexpr double least = 0.03, factor = 2.0, most = 40.0;
  const S zero{};
  const S more = damping.heavier > zero ? broadcast<S>(factor) * damping.heavier : broadcast<S>(least);
  const auto too_much = needs & (more > broadcast<S>(most));
  return {too_much ? zero : (needs ? more : damping.heavier), too_much ? zero : damping.pushing};
}

// More of it until it is enough for all chains that are asked for, as `factorise` tells. Returns those for which
// nothing is: their factors are not to be used.
template <class S, class Factorise>
TENDRIL_INLINE Mask<S> damp_until(const Mask<S>& asked, const Factorise& factorise, Damping<S>& damping) {
  for (;;) {
    const auto fails = asked & !factorise(damping), again = fails & (damping.pushing > S{});
    if (!any(again)) return fails;
    damping = more_damped(damping, again);
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
