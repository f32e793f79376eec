// What rivals of the projection share: the chains of a block, and who has come to an end (docs/theory/chain.md,
// Rivals). A chain that has come to its end stays as it is, to the bit, whatever its neighbours still do.
#pragma once

#include "tendril/rods/chain/block.hpp"
#include "tendril/rods/chain/rival_kernels.hpp"

namespace tendril::chain {
inline namespace TENDRIL_ISA_NAMESPACE {

template <class S>
class RivalBlock {
 protected:
  using T = Element<S>;
  using V3 = Vec3<S>;

  static constexpr std::size_t own_numbers = 11;  // per point
  static constexpr std::size_t w = std::size_t(lane_count<S>);

  static TENDRIL_INLINE S number(double value) { return broadcast<S>(value); }
  static TENDRIL_INLINE S magnitude_of(const S& a) { return maximum(a, -a); }
  static TENDRIL_INLINE V3 nothing() { return {S{}, S{}, S{}}; }

  RivalBlock(const BlockView<T>& view, const RivalOptions& options, S* memory)
      : view_(view), options_(options), memory_(memory), points_(view.points), links_(view.points - 1) {
    p_ = vectors(), x_ = vectors();
    weight_ = take(1), mobility_ = take(1), length_ = take(1), inverse_length_ = take(1);
    lam_ = take(1);
    const S zero{}, one = number(1.0);
    for (std::size_t i = 0; i < points_; ++i) {
      x_[i] = p_[i] = load3<S>(view.prediction + 3 * i * w);
      weight_[i] = load<S>(view.inverse_mass + i * w);
      lam_[i] = zero;
    }
    for (std::size_t i = 0; i < links_; ++i) {
      length_[i] = load<S>(view.length + i * w);
      const auto is_there = length_[i] > zero;
      mobility_[i] = is_there ? weight_[i] + weight_[i + 1] : zero;
      inverse_length_[i] = is_there ? one / (is_there ? length_[i] : one) : zero;
    }
    active_ = zero == zero, converged_ = round_off_ = stalled_ = certified_ = zero != zero;
    iterations_ = residual_ = zero;
  }

  S* take(std::size_t per_point) {
    S* const here = memory_;
    memory_ += per_point * points_;
    return here;
  }
  V3* vectors() { return reinterpret_cast<V3*>(take(3)); }

  // After k iterations: chains at `measured` have this residual. False if none goes on.
  bool goes_on(const Mask<S>& measured, const S& residual, int k) {
    residual_ = active_ & measured ? residual : residual_;
    iterations_ = active_ ? number(k) : iterations_;
    const auto done = active_ & measured & (residual <= tolerance_of<S>(view_, options_.tolerance));
    converged_ = converged_ | done;
    active_ = active_ & !done;
    return k < options_.max_iterations && any(active_);
  }

  void stall(const auto& which) {
    stalled_ = stalled_ | (active_ & which);
    active_ = active_ & !which;
  }

  void finish() {
    for (std::size_t i = 0; i < points_; ++i) store3(x_[i], view_.positions + 3 * i * w);
    for (std::size_t i = 0; i < links_; ++i) store(lam_[i], view_.multipliers + i * w);
    for (int lane = 0; lane < lane_count<S>; ++lane) {
      view_.status[lane] = is_set(converged_, lane)   ? Status::ok
                           : is_set(round_off_, lane) ? Status::round_off
                           : is_set(stalled_, lane)   ? Status::stalled
                                                      : Status::not_converged;
      view_.iterations[lane] = std::int32_t(lane_of(iterations_, lane));
      view_.residual[lane] = lane_of(residual_, lane);
      view_.certified[lane] = is_set(certified_, lane);
    }
  }

  // Solves the tridiagonal system of links with the entries (w_i + w_{i+1}) r_i·c_i, -w_{i+1} r_i·c_{i+1} and
  // -w_{i+1} r_{i+1}·c_i; rows r and columns c have a last vector, of no link, that is zero. The unknown of a link that
  // nothing can move is 0. `right` is overwritten. `ratio` and `inverse` are kept for solve_links_again(). Returns
  // where no pivot was zero, or none but positive if symmetric.
  template <bool symmetric>
  Mask<S> solve_links(const V3* rows, const V3* columns, S* ratio, S* inverse, S* right) const {
    const S zero{}, one = number(1.0);
    auto is_regular = zero == zero;
    V3 column_before = nothing();
    S last_upper = zero, last_inverse = zero, last = zero;
    for (std::size_t i = 0; i < links_; ++i) {
      const V3 row = rows[i], column = columns[i];
      const auto is_there = mobility_[i] > zero;
      const S lower = symmetric ? last_upper : -weight_[i] * dot(row, column_before), product = lower * last_upper;
      const S pivot = (is_there ? mobility_[i] * dot(row, column) : one) - (is_there ? product : zero) * last_inverse;
      is_regular = is_regular & (symmetric ? pivot > zero : pivot != zero);
      last = is_there ? right[i] - lower * last_inverse * last : zero;
      last_inverse = one / pivot;
      last_upper = -weight_[i + 1] * dot(row, columns[i + 1]);
      right[i] = last * last_inverse, inverse[i] = last_inverse, ratio[i] = last_upper * last_inverse;
      column_before = column;
    }
    substitute_links(ratio, right);
    return is_regular;
  }
  // With another right-hand side, once the symmetric system has been solved.
  void solve_links_again(const S* ratio, const S* inverse, S* right) const {
    S last{};
    for (std::size_t i = 0; i < links_; ++i) {
      last = mobility_[i] > S{} ? right[i] - (i > 0 ? ratio[i - 1] * last : S{}) : S{};
      right[i] = last * inverse[i];
    }
    substitute_links(ratio, right);
  }
  void substitute_links(const S* ratio, S* right) const {
    S next{};
    for (std::size_t i = links_; i-- > 0;) right[i] = next = right[i] - ratio[i] * next;
  }

  const BlockView<T>& view_;
  const RivalOptions& options_;
  S* memory_;
  std::size_t points_, links_;
  V3 *p_, *x_;                   // [m]
  S* weight_;                    // [1/kg], w of points
  S* mobility_;                  // [1/kg], w_i + w_{i+1} of links; 0 of what fills up a chain
  S *length_, *inverse_length_;  // [m], [1/m], of links; 0 of what fills up
  S* lam_;                       // [kg], of links
  Mask<S> active_, converged_, round_off_, stalled_, certified_;
  S iterations_, residual_;
};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::chain
