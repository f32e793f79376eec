// PBD and XPBD: one link after the other gets its length, or that at which its tension T stretches it,
// |z| = l + compliance T.
//
// The residual of a link, the part of its length that it is off this, is taken at its visit, where its length is known
// anyway. By the end of the sweep its neighbour has moved it again: so once a whole sweep has met no residual above the
// tolerance, one more pass measures all links as they stand, and that decides.
#pragma once

#include "tendril/rods/chain/rival_block.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S, bool compliant>
class SweepRival : RivalBlock<S> {
  using Base = RivalBlock<S>;
  using Base::inverse_length_;
  using Base::points_, Base::links_, Base::x_, Base::weight_, Base::length_, Base::lam_, Base::active_, Base::number;
  using typename Base::T;
  using typename Base::V3;

 public:
  static constexpr std::size_t per_point = Base::own_numbers + 3;

  SweepRival(const BlockView<T>& view, const RivalOptions& options, const T* compliance, S* memory)
      : Base(view, options, memory) {
    compliance_ = this->take(1), tension_ = this->take(1), inverse_mobility_ = this->take(1);
    const S zero{}, one = number(1.0);
    for (std::size_t i = 0; i < links_; ++i) {
      compliance_[i] = compliant && compliance ? load<S>(compliance + i * Base::w) : zero;
      tension_[i] = zero;
      const S sum = length_[i] > zero ? this->mobility_[i] + compliance_[i] : zero;
      inverse_mobility_[i] = sum > zero ? one / (sum > zero ? sum : one) : zero;
    }
  }

  void run() {
    const S tolerance = tolerance_of<S>(this->view_, this->options_.tolerance);
    S met{};
    for (int k = 0;; ++k) {
      const bool is_last = k >= this->options_.max_iterations;
      const Mask<S> may_be_done = is_last ? S{} == S{} : met <= tolerance;
      const S residual = any(active_ & may_be_done) ? largest_residual() : S{};
      if (!this->goes_on(may_be_done, residual, k)) break;
      met = sweep();
    }
    this->finish();
  }

 private:
  // [m]; `size` is the link's length.
  TENDRIL_INLINE S gap(std::size_t i, const S& size) const {
    if constexpr (compliant) return size - length_[i] - compliance_[i] * tension_[i];
    return size - length_[i];
  }

  S largest_residual() const {
    S largest{};
    for (std::size_t i = 0; i < links_; ++i) {
      const V3 link = x_[i] - x_[i + 1];
      largest = maximum(Base::magnitude_of(gap(i, square_root(dot(link, link)))) * inverse_length_[i], largest);
    }
    return largest;
  }

  // Returns the largest residual it met. A link of no length has no direction: its neighbours have to move it first.
  S sweep() {
    const S zero{}, one = number(1.0);
    S met = zero;
    V3 here = x_[0];
    for (std::size_t i = 0; i < links_; ++i) {
      const V3 next = x_[i + 1], link = here - next;
      const S size = square_root(dot(link, link)), off = gap(i, size);
      met = maximum(Base::magnitude_of(off) * inverse_length_[i], met);
      const auto has_direction = size > zero;
      const S tension = active_ & has_direction ? off * inverse_mobility_[i] : zero;
      const S share = tension / (has_direction ? size : one);
      if constexpr (compliant) tension_[i] += tension;
      lam_[i] += share;
      x_[i] = here - (weight_[i] * share) * link;
      here = next + (weight_[i + 1] * share) * link;
    }
    x_[links_] = here;
    return met;
  }

  S *compliance_, *tension_;  // [1/kg], [kg m]
  S* inverse_mobility_;       // [kg], of both ends and the compliance; 0 of what cannot move
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
