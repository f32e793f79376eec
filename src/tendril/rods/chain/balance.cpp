#include "tendril/rods/chain/balance.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/chain/kkt_band.hpp"

namespace tendril::chain {
namespace {

using Eigen::Vector3d;

class StrandBalance {
 public:
  StrandBalance(const Vector3d& gravity, std::span<const Vector3d> x, const Clamped& to, std::size_t s,
                Strands& strands)
      : x_(x), to_(to), s_(s), strands_(strands), first_(strands.offset(s)), n_(strands.vertices(s)) {
    for (std::size_t i = 0; i < n_; ++i) {
      const Vector3d force = strands.mass(first_ + i) * gravity + strands.force(first_ + i);
      forces_.push_back(force), load_ = std::max(load_, force.norm());
    }
    turn_.assign(n_, Vector3d::Zero()), tension_.assign(n_ - 1, 0.0);
  }

  // Largest net force on a free point over the load, once tensions have taken what they can.
  double imbalance(bool with_turns) const {
    std::vector<Vector3d> g = forces_;
    for (std::size_t i = 0; i + 1 < n_; ++i) {
      Vector3d force = tension_[i] * z(i);
      if (with_turns) force += share(i) * (turn_[i + 1] - turn_[i]);
      g[i] -= force, g[i + 1] += force;
    }
    double largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      if (!strands_.is_held(first_ + i)) largest = std::max(largest, g[i].norm());
    return load_ > 0.0 ? largest / load_ : 0.0;
  }

  // What every link passes on, Y, follows from the forces beyond it; turns at the joints and tensions share it (Eq.
  // 36).
  void find_turns() {
    Vector3d passed = Vector3d::Zero();
    for (std::size_t i = n_ - 1; i-- > 0;) {
      passed = strands_.is_held(first_ + i + 1) ? half_of_run(i) : Vector3d(passed - forces_[i + 1]);
      if (strands_.is_held(first_ + i) && strands_.is_held(first_ + i + 1)) {
        turn_[i].setZero();
        continue;
      }
      const bool is_joint = strands_.stiffness(first_ + i) > 0.0;
      const Vector3d link = z(i);
      tension_[i] = link.dot(passed - share(i) * turn_[i + 1]) / link.squaredNorm();
      turn_[i] = is_joint ? Vector3d(turn_[i + 1] - (passed - tension_[i] * link) / share(i)) : Vector3d::Zero();
    }
  }

  // Largest change of a rest that the turns ask for.
  double largest_change() const {
    double largest = 0.0;
    for (std::size_t i = 0; i < n_; ++i)
      if (strands_.stiffness(first_ + i) > 0.0)
        largest = std::max(largest, turn_[i].norm() / strands_.stiffness(first_ + i));
    return largest;
  }

  // Slack links do not push, and no compliant one is pushed together or drawn out to a tenth: that is left over.
  void drop_what_links_cannot_carry() {
    for (std::size_t i = 0; i + 1 < n_; ++i) {
      const double share = unstretched(i);
      if ((strands_.settings().slack && tension_[i] < 0.0) || !(share > 0.1 && share < 10.0)) tension_[i] = 0.0;
    }
  }

  // Links that give way are as long as they are drawn under their tensions.
  void set_lengths() {
    for (std::size_t i = 0; i + 1 < n_; ++i)
      if (!strands_.is_held(first_ + i) || !strands_.is_held(first_ + i + 1))
        strands_.set_length(strands_.link(s_, i), unstretched(i) * z(i).norm());
  }

  // Whether what holds it up against buckling suffices: A(tensions) on what the links allow, without masses.
  bool is_stable() const {
    std::vector<double> mass(n_, 0.0), stiffness(n_), softness;
    std::vector<char> is_free(n_);
    std::vector<Vector3d> links;
    for (std::size_t i = 0; i < n_; ++i) {
      stiffness[i] = strands_.stiffness(first_ + i), is_free[i] = strands_.is_held(first_ + i) ? 0 : 1;
      if (i + 1 == n_) break;
      links.push_back(z(i));
      if (strands_.gives_way()) softness.push_back(compliance(i) * length(i) * length(i));
    }
    BendingMatrix bending;
    bending.assemble({stiffness, strands_.shares().subspan(strands_.link(s_, 0), n_ - 1), {}}, n_);
    KktBand band;
    return band.factorise({mass, is_free, bending, tension_, softness, {}}, links) && band.is_definite();
  }

  // The rest of a joint is how it is bent, less what its turn asks for (Eq. 37).
  void set_rests() {
    for (std::size_t i = 0; i < n_; ++i) {
      const double k = strands_.stiffness(first_ + i);
      if (k == 0.0) continue;
      strands_.set_rest(first_ + i, strands_.bend(s_, i, x_, to_) - turn_[i] / k);
    }
  }

 private:
  Vector3d z(std::size_t i) const { return x_[i] - x_[i + 1]; }
  // The length of a link without tension, over that with it (Eq. 37'); xpbd has the law of Eq. 18.
  double unstretched(std::size_t i) const {
    if (!strands_.gives_way()) return 1.0;
    const double strain = compliance(i) * tension_[i];
    return strands_.settings().method == Method::xpbd ? 1.0 - strain : 1.0 / std::sqrt(1.0 + 2.0 * strain);
  }
  double length(std::size_t i) const { return strands_.lengths()[strands_.link(s_, i)]; }
  double compliance(std::size_t i) const { return strands_.compliance(strands_.link(s_, i)); }
  double share(std::size_t i) const { return strands_.shares()[strands_.link(s_, i)]; }
  // Between two held points each of them takes half.
  Vector3d half_of_run(std::size_t last_link) const {
    Vector3d sum = Vector3d::Zero();
    for (std::size_t i = last_link + 1; i-- > 0 && !strands_.is_held(first_ + i);) sum += forces_[i];
    return 0.5 * sum;
  }

  std::span<const Vector3d> x_;
  const Clamped& to_;
  std::size_t s_;
  Strands& strands_;
  std::size_t first_, n_;
  std::vector<Vector3d> forces_, turn_;
  std::vector<double> tension_;
  double load_ = 0.0;
};

Balance balance_strand(const Vector3d& gravity, std::span<const Vector3d> x, const Clamped& to, double most,
                       std::size_t s, Strands& strands) {
  constexpr double largest_factor = 1e6;
  Balance found;
  StrandBalance strand(gravity, x, to, s, strands);
  constexpr double at_rest = 1e-9;  // of the load: what is left where tensions suffice
  strand.find_turns();
  found.before = found.after = strand.imbalance(false);
  if (strands.has_free_root(s)) return found;
  strand.drop_what_links_cannot_carry();
  if (strands.gives_way() && (strands.is_bent() || found.before < at_rest)) strand.set_lengths();
  if (!strands.is_bent()) {
    found.after = strand.imbalance(false);
    found.is_stable = found.after >= at_rest || strand.is_stable();
    return found;
  }
  const double change = strand.largest_change();
  if (change > most) strands.scale_joints(s, found.stiffness_factor = change / most);
  while (!strand.is_stable() && found.stiffness_factor < largest_factor)
    strands.scale_joints(s, 2.0), found.stiffness_factor *= 2.0;
  found.is_stable = strand.is_stable();
  strand.set_rests();
  found.after = strand.imbalance(true);
  return found;
}

}  // namespace

std::vector<Balance> balance(const Vector3d& gravity, std::span<const Vector3d> drawn, const Clamped& to, double most,
                             Strands& strands) {
  std::vector<Balance> found(strands.size());
  parallel_for(strands.size(), [&](std::size_t s) {
    const auto x = drawn.subspan(strands.offset(s), strands.vertices(s));
    found[s] = balance_strand(gravity, x, to, most, s, strands);
  });
  return found;
}

}  // namespace tendril::chain
