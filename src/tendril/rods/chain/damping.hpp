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

// More for the chains that need it; the first that is tried is at least the usual one.
template <class S>
TENDRIL_INLINE Damping<S> more_damped(const Damping<S>& damping, const Mask<S>& needs, const S& usual) {
  constexpr double least = 0.03, factor = 2.0, most = 40.0;
  const S zero{}, first = maximum(broadcast<S>(least), usual);
  const S more = damping.heavier > zero ? broadcast<S>(factor) * damping.heavier : first;
  const auto too_much = needs & (more > broadcast<S>(most));
  return {too_much ? zero : (needs ? more : damping.heavier), too_much ? zero : damping.pushing};
}

// As much as the chains need that are asked for; `factorise` tells where it was enough.
template <class S, class Factorise>
TENDRIL_INLINE Damping<S> damp_until(const Mask<S>& asked, const Factorise& factorise, const S& usual = S{}) {
  Damping<S> damping;
  for (;;) {
    const auto fails = asked & !factorise(damping) & (damping.pushing > S{});
    if (!any(fails)) return damping;
    damping = more_damped(damping, fails, usual);
  }
}

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
