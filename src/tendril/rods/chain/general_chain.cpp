#include "tendril/rods/chain/general_chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/rods/chain/held_run.hpp"
#include "tendril/rods/chain/kkt_band.hpp"
#include "tendril/rods/chain/kkt_tree.hpp"
#include "tendril/rods/chain/newton_search.hpp"

namespace tendril::chain {
namespace {

constexpr double on_links = 1e-13;  // |c - a lam| / l^2 of links that count as restored
constexpr double settled = 1e-9;    // a residual at which a saddle is seen
constexpr double kick_size = 0.01;  // in mean links
constexpr int most_kicks = 3;
constexpr double decrease = 1e-4;  // of the slope of the dual function, that a step must reach
constexpr double noise = 1e-9;     // of the objective, below which its decrease is not seen

struct Iterate {
  std::vector<Vector3d> x;
  std::vector<double> lam;
};

// Keeps its memory from chain to chain.
template <class System>
class GeneralChain {
 public:
  Outcome project(const Chains& chains, std::uint32_t chain, const Options& options, std::span<const Vector3d> start,
                  Parents parents) {
    set(chains, chain, options, start, parents);
    Outcome found = chains.slack ? solve_slack() : solve_taut();
    if (impossible_ != Status::ok) add({impossible_, 0, std::numeric_limits<double>::quiet_NaN(), false}, found);
    return found;
  }

  Vector3d point(std::size_t i) const { return origin_ + now_.x[i]; }
  double multiplier(std::size_t i) const { return now_.lam[i]; }

 private:
  void set(const Chains& chains, std::uint32_t chain, const Options& options, std::span<const Vector3d> start,
           Parents parents) {
    chains_ = &chains, options_ = &options, parents_ = parents;
    first_ = chains.offsets[chain], link_ = first_ - chain, n_ = start.size();
    origin_ = chains.prediction[first_];
    impossible_ = Status::ok, total_mass_ = mean_length_ = 0.0, was_damped_ = false;
    for (auto* vectors : {&p_, &now_.x}) vectors->clear();
    for (auto* numbers : {&w_, &mass_, &length_, &softness_}) numbers->clear();
    free_.clear(), active_.clear();
    for (std::size_t i = 0; i < n_; ++i) {
      const double w = chains.inverse_mass[first_ + i];
      p_.push_back(chains.prediction[first_ + i] - origin_), now_.x.push_back(start[i] - origin_);
      w_.push_back(w), mass_.push_back(w > 0.0 ? 1.0 / w : 0.0), free_.push_back(w > 0.0 ? 1 : 0);
      total_mass_ += mass_.back();
      if (i + 1 == n_) break;
      const double l = chains.length[link_ + i];
      length_.push_back(l), mean_length_ += l / double(n_ - 1);
      if (!chains.compliance.empty()) softness_.push_back(chains.compliance[link_ + i] * l * l);
    }
    now_.lam.assign(n_ - 1, 0.0), D_.assign(n_ - 1, 0.0), z_.resize(n_ - 1);
    g_.resize(n_), dx_.resize(n_), moves_.resize(n_), changes_.resize(n_ - 1), heavier_mass_.resize(n_);
    no_link_.assign(n_ - 1, 0), no_gaps_.resize(n_ - 1);
    joints_ = joints_of(chains.joints, first_, link_, n_);
    joints_.parents = parents_;
    bending_.assemble(joints_, n_);
    hold_what_cannot_be();
  }

  // Links between two held points that cannot reach from one to the other, or only just, have the shape that they have
  // by themselves; that is what the others are solved beside.
  void hold_what_cannot_be() {
    std::size_t last = n_;  // the last held point; n_: none yet
    for (std::size_t i = 0; i < n_; ++i) {
      if (w_[i] > 0.0) continue;
      if (!parents_.empty()) last = i > 0 ? upper(i - 1) : n_;  // held as well: what is held hangs together
      if (last != n_) hold_if_it_cannot_be(last, i);
      last = i;
    }
  }
  void hold_if_it_cannot_be(std::size_t from, std::size_t to) {
    const std::size_t first = parents_.empty() ? from : to - 1;
    for (std::size_t i = first; i < to; ++i)
      if (softness(i) > 0.0) return;
    const double apart = (p_[to] - p_[from]).norm();
    const auto links = std::span(length_).subspan(first, to - first);
    const Status can = chains_->slack ? reach_at_most(apart, links) : reach(apart, links);
    if (can == Status::ok) return;
    impossible_ = std::max(impossible_, can);
    for (std::size_t i = first + 1; i < to; ++i) {
      total_mass_ -= mass_[i], p_[i] = now_.x[i];
      mass_[i] = w_[i] = 0.0, free_[i] = 0;
    }
  }

  double softness(std::size_t i) const { return softness_.empty() ? 0.0 : softness_[i]; }
  std::size_t upper(std::size_t link) const { return upper_end(parents_, link); }
  bool can_move(std::size_t link) const { return free_[upper(link)] != 0 || free_[link + 1] != 0; }
  KktTerms points() const { return {mass_, free_, bending_, D_, {}, {}, parents_}; }

  // c - a lam of a link.
  double gap(const Iterate& at, std::size_t i) const {
    const double size = (at.x[upper(i)] - at.x[i + 1]).norm(), l = length_[i];
    return 0.5 * (size - l) * (size + l) - softness(i) * at.lam[i];
  }
  // Largest, over l^2, of links that something can move; slack ones may be shorter.
  double violation(const Iterate& at) const {
    double worst = 0.0;
    for (std::size_t i = 0; i + 1 < n_; ++i) {
      if (!can_move(i)) continue;
      const double amiss = gap(at, i), square = length_[i] * length_[i];
      const double off = (active_.empty() || active_[i] != 0 ? std::abs(amiss) : std::max(amiss, 0.0)) / square;
      if (!(off <= worst)) worst = off;  // also if it is not a number
    }
    return worst;
  }

  double objective(const Iterate& at) const {
    double twice = 0.0;
    for (std::size_t i = 0; i < n_; ++i) twice += mass_[i] * (p_[i] - at.x[i]).squaredNorm();
    for (std::size_t i = 0; i < softness_.size(); ++i) twice += softness_[i] * at.lam[i] * at.lam[i];
    return 0.5 * twice + bending_energy(joints_, at.x);
  }

  // g of Eq. 26 on free points, zero of held ones.
  void gradient(const Iterate& at, std::span<Vector3d> g) const {
    for (std::size_t i = 0; i < n_; ++i) g[i] = mass_[i] * (p_[i] - at.x[i]);
    for (std::size_t i = 0; i + 1 < n_; ++i) {
      const Vector3d force = at.lam[i] * (at.x[upper(i)] - at.x[i + 1]);
      g[upper(i)] -= force, g[i + 1] += force;
    }
    add_bending_force(joints_, at.x, g);
    for (std::size_t i = 0; i < n_; ++i)
      if (free_[i] == 0) g[i].setZero();
  }

  // Eq. 7, with points that would go by W g.
  double residual(std::span<const Vector3d> g) const {
    return largest_way([&](std::size_t i) { return w_[i] * g[i].norm(); });
  }
  template <class Way>
  double largest_way(Way way) const {
    double sum = 0.0, largest = 0.0, lightest = 0.0, heaviest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i) {
      if (free_[i] == 0) continue;
      const double far = way(i);
      sum += mass_[i] * far * far, largest = std::max(largest, far);
      lightest = std::max(lightest, w_[i]), heaviest = std::min(heaviest, w_[i]);
    }
    if (total_mass_ == 0.0) return 0.0;
    const double mean = std::sqrt(sum / total_mass_) / mean_length_;
    return lightest > 100.0 * heaviest ? std::max(mean, largest / mean_length_) : mean;
  }

  void set_links(std::span<const Vector3d> x) {
    for (std::size_t i = 0; i + 1 < n_; ++i) z_[i] = x[upper(i)] - x[i + 1];
  }

  // Whether the matrix leads down on what the links of `at` allow.
  bool factorise(const Iterate& at, const Damping<double>& damping) {
    set_links(at.x);
    std::ranges::transform(at.lam, D_.begin(), [&](double lam) { return damped(lam, damping); });
    return factorise_as_is(damping.heavier) && system_.is_definite();
  }
  bool factorise_as_is(double heavier) {
    for (std::size_t i = 0; i < n_; ++i) heavier_mass_[i] = (1.0 + heavier) * mass_[i];
    return system_.factorise({heavier_mass_, free_, bending_, D_, softness_, active_, parents_}, z_);
  }

  void fill_gaps(const Iterate& at) {
    for (std::size_t i = 0; i + 1 < n_; ++i) changes_[i] = -gap(at, i);
  }

  bool restore(Iterate& at) { return parents_.empty() || !softness_.empty() ? close_gaps(at) : walk(at); }

  // A tree is held at its root alone: from there outwards each link keeps its direction and gets its length.
  bool walk(Iterate& at) {
    set_links(at.x);
    for (std::size_t i = 0; i + 1 < n_; ++i) {
      const double size = z_[i].norm();
      if (!(size > 0.0) || !std::isfinite(size)) return false;
      if (free_[i + 1] != 0) at.x[i + 1] = at.x[upper(i)] - length_[i] / size * z_[i];
    }
    return true;
  }

  // Moves of the last factor that only close the gaps, until they are closed: what a step along the links leaves is of
  // second order (Eq. 28).
  bool close_gaps(Iterate& at) {
    constexpr int most = 40;
    double worst = violation(at);
    for (int k = 0; k < most && !(worst < on_links); ++k) {
      if (!std::isfinite(worst)) return false;
      std::ranges::fill(moves_, Vector3d::Zero());
      fill_gaps(at);
      system_.solve(moves_, changes_);
      next_ = at;
      for (std::size_t i = 0; i < n_; ++i) next_.x[i] += moves_[i];
      for (std::size_t i = 0; i + 1 < n_; ++i) next_.lam[i] += changes_[i];
      const double reached = violation(next_);
      if (!(reached < 0.8 * worst)) break;
      std::swap(at, next_), worst = reached;
    }
    return worst < 1e2 * on_links;
  }

  Outcome solve_taut() {
    const Outcome failed{Status::stalled, 0, std::numeric_limits<double>::infinity(), false};
    // Multipliers of the system with D = 0, and links as far as they can be had.
    set_links(now_.x);
    std::ranges::fill(D_, 0.0);
    if (!factorise_as_is(0.0)) return failed;
    gradient(now_, moves_);
    fill_gaps(now_);
    system_.solve(moves_, changes_);
    now_.lam = changes_;
    bool is_on_links = restore(now_);
    double last = std::numeric_limits<double>::infinity();
    int kicks = 0;
    double slow = 0.0;
    for (int k = 0;; ++k) {
      gradient(now_, g_);
      const double left = residual(g_);
      D_ = now_.lam;
      const auto end = [&](Status status) {
        D_ = now_.lam;
        return Outcome{status, k, left, is_stationary(status, left, *options_) && system_.is_convex(points())};
      };
      if (!std::isfinite(left)) return end(Status::stalled);
      if (is_on_links && left <= std::max(options_->tolerance, settled) && kicks < most_kicks && is_saddle()) {
        if (!kick(++kicks)) return end(Status::stalled);
        continue;
      }
      if (is_on_links && left <= options_->tolerance) return end(Status::ok);
      if (left < 1e-7) slow += slowness<double>(left, last, was_damped_);
      if (is_on_links && slow >= too_slow) return end(Status::round_off);
      if (k >= iteration_limit(*options_)) return end(Status::not_converged);
      if (!step(is_on_links)) return end(is_on_links && left < 1e-7 ? Status::round_off : Status::stalled);
      last = left;
    }
  }

  bool is_saddle() {
    if (system_.is_convex(points())) return false;
    set_links(now_.x);
    return !factorise_as_is(0.0) || !system_.is_definite();
  }

  bool kick(int number) {
    Random random(7, std::uint64_t(number));
    trial_ = now_;
    for (std::size_t i = 0; i < n_; ++i)
      if (free_[i] != 0)
        for (double& x : trial_.x[i]) x += kick_size * mean_length_ * random.uniform(-1.0, 1.0);
    Damping<double> damping;
    const auto factorise_there = [&](const Damping<double>& tried) { return factorise(trial_, tried); };
    if (damp_until<double>(true, factorise_there, damping) || !restore(trial_)) return false;
    std::swap(now_, trial_);
    return true;
  }

  // False: no step leads on.
  bool step(bool& is_on_links) {
    const auto factorise_here = [&](const Damping<double>& damping) { return factorise(now_, damping); };
    const auto solve = [&](const Damping<double>&) {
      dx_ = g_;
      fill_gaps(now_);
      system_.solve(dx_, changes_);
      mu_ = changes_;
      double gain = 0.0;
      for (std::size_t i = 0; i < n_; ++i) gain += g_[i].dot(dx_[i]);
      return gain;
    };
    const auto try_step = [&](double alpha) {
      trial_ = now_;
      for (std::size_t i = 0; i < n_; ++i) trial_.x[i] += alpha * dx_[i];
      for (std::size_t i = 0; i + 1 < n_; ++i)
        trial_.lam[i] += (softness(i) > 0.0 ? alpha : std::min(alpha, 1.0)) * mu_[i];
      return restore(trial_) ? objective(trial_) : std::numeric_limits<double>::infinity();
    };
    // What was not on its links has no value to compare with: any will do.
    const double before = is_on_links ? objective(now_) : std::numeric_limits<double>::max();
    const NewtonTask<double> task{true, false, before, is_on_links ? noise : 0.0};
    const NewtonStep<double> newton = find_newton_step(task, factorise_here, solve, try_step);
    was_damped_ = newton.is_damped;
    if (newton.stalled || !std::isfinite(newton.value)) return false;
    std::swap(now_, trial_);
    return is_on_links = true;
  }

  // Links that can only pull: the dual function is concave wherever no multiplier is negative, and Newton's method,
  // projected on that, climbs it (Eq. 29). The residual is how far its step would move the points.
  Outcome solve_slack() {
    double value = set_from_multipliers(now_), last = std::numeric_limits<double>::infinity();
    int slow = 0;
    for (int k = 0;; ++k) {
      const bool is_stuck = !std::isfinite(value) || !find_step();
      const double left = is_stuck ? std::numeric_limits<double>::infinity()
                                   : largest_way([&](std::size_t i) { return moves_[i].norm(); });
      const auto end = [&](Status status) { return Outcome{status, k, left, status <= Status::round_off}; };
      if (!std::isfinite(left)) return end(Status::stalled);
      if (left < 1e-7 && left > 0.5 * last) ++slow;
      mu_ = changes_;
      if ((left <= options_->tolerance || slow >= 2) && close_slack_gaps())
        return end(left <= options_->tolerance ? Status::ok : Status::round_off);
      if (k >= iteration_limit(*options_)) return end(Status::not_converged);
      if (!climb(value)) return end(left < 1e-7 && violation(now_) < 1e-9 ? Status::round_off : Status::stalled);
      last = left;
    }
  }

  // With those links that pull, or are too long.
  bool find_step() {
    active_.assign(n_ - 1, 0);
    for (std::size_t i = 0; i + 1 < n_; ++i)
      active_[i] = can_move(i) && (now_.lam[i] > 0.0 || gap(now_, i) > 0.0) ? 1 : 0;
    set_links(now_.x);
    D_ = now_.lam;
    if (!factorise_as_is(0.0)) return false;
    std::ranges::fill(moves_, Vector3d::Zero());
    fill_gaps(now_);
    system_.solve(moves_, changes_);
    return true;
  }

  bool close_slack_gaps() {
    trial_ = now_;
    if (!close_gaps(trial_)) return false;
    std::swap(now_, trial_);
    for (double& lam : now_.lam) lam = std::max(lam, 0.0);
    return true;
  }

  bool climb(double& value) {
    for (double alpha = 1.0; alpha > 1e-10; alpha *= 0.5) {
      trial_ = now_;
      double slope = 0.0;
      for (std::size_t i = 0; i + 1 < n_; ++i) {
        trial_.lam[i] = std::max(0.0, now_.lam[i] + alpha * mu_[i]);
        slope += gap(now_, i) * (trial_.lam[i] - now_.lam[i]);
      }
      const double reached = set_from_multipliers(trial_);
      if (!(reached >= value + decrease * slope) && slope > 1e-12 * std::abs(value)) continue;
      std::swap(now_, trial_), value = reached;
      return true;
    }
    return false;
  }

  // x(lam) = argmin of the Lagrangian (Eq. 13 with bending), and the dual function there.
  double set_from_multipliers(Iterate& at) {
    if (!without_links_.factorise({mass_, free_, bending_, at.lam, {}, no_link_, parents_}, z_))
      return -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n_; ++i)
      if (free_[i] == 0) at.x[i] = p_[i];
    gradient(at, g_);
    std::ranges::fill(no_gaps_, 0.0);
    without_links_.solve(g_, no_gaps_);
    for (std::size_t i = 0; i < n_; ++i) at.x[i] += g_[i];
    double value = objective(at);
    for (std::size_t i = 0; i + 1 < n_; ++i) value += at.lam[i] * gap(at, i);
    return value;
  }

  const Chains* chains_ = nullptr;
  const Options* options_ = nullptr;
  Parents parents_;
  std::size_t first_ = 0, link_ = 0, n_ = 0;
  Vector3d origin_;
  std::vector<Vector3d> p_, z_, g_, dx_, moves_;
  std::vector<double> w_, mass_, heavier_mass_, length_, softness_, D_, mu_, changes_, no_gaps_;
  std::vector<char> free_, active_, no_link_;
  double total_mass_ = 0.0, mean_length_ = 0.0;
  bool was_damped_ = false;         // by the last step
  Status impossible_ = Status::ok;  // of runs between held points, the worst
  Joints joints_;
  BendingMatrix bending_;
  System system_, without_links_;
  Iterate now_, trial_, next_;
};

}  // namespace

Outcome project_general(const Chains& chains, std::uint32_t chain, const Options& options,
                        std::span<Vector3d> positions, std::span<double> multipliers) {
  const std::uint32_t first = chains.offsets[chain], count = chains.offsets[chain + 1] - first;
  if (count < 2) return {};
  const auto solve = [&](auto& general, Parents parents) {
    const Outcome outcome = general.project(chains, chain, options, positions.subspan(first, count), parents);
    for (std::uint32_t i = 0; i < count; ++i)
      if (chains.inverse_mass[first + i] > 0.0) positions[first + i] = general.point(i);
    for (std::uint32_t i = 0; i + 1 < count; ++i) multipliers[first + i - chain] = general.multiplier(i);
    return outcome;
  };
  thread_local GeneralChain<KktBand> of_chains;
  thread_local GeneralChain<KktTree> of_trees;
  return chains.parents.empty() ? solve(of_chains, {}) : solve(of_trees, chains.parents.subspan(first, count));
}

}  // namespace tendril::chain
