// Fast projection and SHAKE: Newton steps on c_i = (|z_i|^2 - l_i^2) / 2 for all links at once. Fast projection moves
// points along the links as they are, so that every step is the shortest from the points before it; SHAKE moves them
// from the prediction along the links of `start`, x = p - W Rᵀ (lam z_start), with a tridiagonal system that is not
// symmetric. Neither has a safeguard: a chain whose system is singular, or whose step is not finite, is stalled where
// it is.
#pragma once

#include "tendril/rods/chain/rival_block.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S, bool along_start>
class AllLinksRival : RivalBlock<S> {
  using Base = RivalBlock<S>;
  using Base::number, Base::nothing;
  using Base::points_, Base::links_, Base::p_, Base::x_, Base::weight_, Base::length_, Base::lam_, Base::active_;
  using typename Base::T;
  using typename Base::V3;

 public:
  static constexpr std::size_t per_point = Base::own_numbers + 13;

  AllLinksRival(const BlockView<T>& view, const RivalOptions& options, S* memory) : Base(view, options, memory) {
    z_ = this->vectors(), moved_ = this->vectors(), along_ = this->vectors();
    ratio_ = this->take(1), inverse_ = this->take(1), step_ = this->take(1), next_lam_ = this->take(1);
    z_[links_] = nothing();
    if (!along_start) {
      along_ = z_;
      return;
    }
    for (std::size_t i = 0; i < links_; ++i) {
      const V3 link = load3<S>(view.start + 3 * i * Base::w) - load3<S>(view.start + 3 * (i + 1) * Base::w);
      along_[i] = select(length_[i] > S{}, link, nothing());
    }
    along_[links_] = nothing();
  }

  void run() {
    for (int k = 0;; ++k) {
      const S residual = measure();
      if (!this->goes_on(S{} == S{}, residual, k)) break;
      this->stall(!this->template solve_links<!along_start>(z_, along_, ratio_, inverse_, step_));
      move();
      if (!any(active_)) break;
    }
    this->finish();
  }

 private:
  // The links, what they lack, and the largest violation.
  S measure() {
    const S zero{}, half = number(0.5);
    S largest = zero;
    for (std::size_t i = 0; i < links_; ++i) {
      const V3 link = select(length_[i] > zero, x_[i] - x_[i + 1], nothing());
      const S size = square_root(dot(link, link)), off = size - length_[i];
      z_[i] = link, step_[i] = half * off * (size + length_[i]);
      largest = maximum(Base::magnitude_of(off) * this->inverse_length_[i], largest);
    }
    return largest;
  }

  void move() {
    const S zero{};
    S sum = zero;
    V3 before = nothing();
    for (std::size_t i = 0; i < points_; ++i) {
      V3 after = nothing();
      if (i < links_) {
        const S step = active_ ? step_[i] : zero;
        next_lam_[i] = lam_[i] + step;
        after = (along_start ? next_lam_[i] : step) * along_[i];
      }
      const V3 moved = (along_start ? p_ : x_)[i] - weight_[i] * (after - before);
      moved_[i] = moved, sum += moved.x + moved.y + moved.z;
      before = after;
    }
    const auto is_finite = sum - sum == zero;
    this->stall(!is_finite);
    if (any(!is_finite)) {
      for (std::size_t i = 0; i < points_; ++i) moved_[i] = select(is_finite, moved_[i], x_[i]);
      for (std::size_t i = 0; i < links_; ++i) next_lam_[i] = is_finite ? next_lam_[i] : lam_[i];
    }
    V3* const x = x_;
    x_ = moved_, moved_ = x;
    S* const lam = lam_;
    lam_ = next_lam_, next_lam_ = lam;
  }

  V3 *z_, *moved_, *along_;
  S *ratio_, *inverse_, *step_, *next_lam_;
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
