#include "tendril/sagfree/sweep.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/static_potential.hpp"
#include "tendril/sagfree/imbalance.hpp"
#include "tendril/sagfree/mean_modulus.hpp"

namespace tendril::sagfree {
namespace {

using der::Stream;
using der::stream_at;
using P = der::ParameterLayout;

// Visits the strands that own a lane of a group and that the sweep covers.
template <class Visit>
void each_strand(const der::Strands& strands, std::size_t g, const Visit& visit) {
  const der::Strands::Group& group = strands.groups()[g];
  for (int lane = 0; lane < group.owned; ++lane) {
    const std::size_t s = group.strands[std::size_t(lane)];
    if (is_determinate(strands, s)) visit(s, std::size_t(lane));
  }
}

// One lane group with all that the kernels read and write.
class GroupSweep {
 public:
  GroupSweep(const Options& options, MuChoice mu, const der::Strands& strands, const der::State& state,
             const der::Targets& targets, const std::vector<StrandOutcome>& outcomes, std::size_t g)
      : options_(options),
        mu_is_open_(mu == MuChoice::by_options && !options.mu),
        strands_(strands),
        group_(strands.groups()[g]),
        all_(state),
        targets_(targets),
        state_(state.current[g].data()),
        view_(strands.view(g, targets)),
        kernels_(sweep_kernels(strands.isa())),
        g_(g),
        lanes_(std::size_t(strands.lanes())),
        vertices_(std::size_t(group_.vertices)) {
    terms_ = static_terms(options.gravity, group_);
    set_weights();
    bounds_.resize(std::size_t(BoundRow::rows) * lanes_);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      set_mu(lane, mu == MuChoice::kept ? outcomes[group_.strands[lane]].mu : options.mu.value_or(Options::largest_mu));
      bound(BoundRow::floor, lane) = options.floor, bound(BoundRow::cap, lane) = options.cap;
    }
    capped_.assign(lanes_, 0.0);
    set_margin();
  }

  // Rest strains and factors of the edges.
  void realise_edges(der::RestState& rest, std::vector<StrandOutcome>& outcomes) {
    Stream tension(vertices_ * lanes_), strain = tension, factor = tension, lengths;
    lengths.assign(lanes_, options_.shortest);
    lengths.resize(2 * lanes_, options_.longest);
    kernels_.tensions(view_, terms_, state_, tension.data());
    kernels_.realise_edges(view_, tension.data(), state_, weights_.data(), lengths.data(), bounds_.data(),
                           strain.data(), factor.data(), capped_.data());
    each_strand(strands_, g_, [&](std::size_t s, std::size_t lane) {
      if (capped_[lane] > 0.0) outcomes[s].status = StrandStatus::bounded;
      for (std::size_t i = 0; i + 1 < strands_.vertices(s); ++i) {
        const std::size_t v = strands_.offset(s) + i, at = (slot(lane, i)) * lanes_ + lane;
        rest.strain[v] = strain[at];
        rest.stretch_modulus[v] *= factor[at];
      }
    });
  }

  // Rest curvatures, twists and factors of the joints; mu is lowered until the strand is stable, unless it is given.
  void realise_joints(der::RestState& rest, std::vector<StrandOutcome>& outcomes) {
    prepare_joints();
    realise();
    if (mu_is_open_) make_stable();
    if (options_.check_stability && std::ranges::any_of(negative_, [](double count) { return count > 0.0; }))
      count_negative_modes(Stream(lanes_, 0.0));  // what is slow is stable, too
    each_strand(strands_, g_, [&](std::size_t s, std::size_t lane) {
      StrandOutcome& outcome = outcomes[s];
      if (capped_[lane] > 0.0) outcome.status = StrandStatus::bounded;
      outcome.mu = bound(BoundRow::curvature, lane);
      outcome.negative_modes = int(negative_[lane]);
      gather_joints(s, lane, rest);
    });
  }

 private:
  double& bound(BoundRow::Row row, std::size_t lane) { return bounds_[std::size_t(row) * lanes_ + lane]; }
  std::size_t slot(std::size_t lane, std::size_t vertex) const { return std::size_t(group_.first[lane]) + vertex; }

  void set_mu(std::size_t lane, double mu) {
    bound(BoundRow::curvature, lane) = mu;
    bound(BoundRow::twist, lane) = options_.twist_share * mu;
  }

  void set_margin() {
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::span<const Eigen::Vector3d> x = strands_.description().curves.strand(group_.strands[lane]);
      double length = 0.0;
      for (std::size_t i = 0; i + 1 < x.size(); ++i) length += (x[i + 1] - x[i]).norm();
      margin_.push_back(Options::margin * options_.gravity.norm() / length);
    }
  }

  void set_weights() {
    const der::Description& d = strands_.description();
    const double share = options_.rest_weight / options_.stiffness_weight;
    weights_.assign(vertices_ * WeightLayout::components * lanes_, share);
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      const std::size_t s = group_.strands[lane];
      const double mean = mean_modulus(d, s);
      for (std::size_t i = 0; i < strands_.vertices(s); ++i) {
        const std::size_t v = strands_.offset(s) + i;
        const auto set = [&](int component, double modulus) {
          const double relative = modulus / mean;
          weights_[stream_at(int(slot(lane, i)), WeightLayout::components, component, int(lanes_), lane)] =
              modulus > 0.0 ? share / (relative * relative) : share;
        };
        set(WeightLayout::stretch, d.stretch_modulus[v]);
        set(WeightLayout::bend, d.bend_modulus[v]);
        set(WeightLayout::twist, d.twist_modulus[v]);
      }
    }
  }

  void prepare_joints() {
    measures_.resize(vertices_ * der::MeasureLayout::components * lanes_);
    strands_.kernels().measure(view_, state_, measures_.data());
    joints_.resize(vertices_ * JointLayout::components * lanes_);
    kernels_.joint_strains(view_, terms_, state_, joints_.data());
    const std::span<const double> initial = strands_.parameters(g_);
    parameters_.assign(initial.begin(), initial.end());
    factors_.assign(vertices_ * FactorLayout::components * lanes_, 1.0);
    negative_.assign(lanes_, 0.0);
  }

  void realise() {
    kernels_.realise_joints(view_, options_.bound, measures_.data(), joints_.data(), weights_.data(), bounds_.data(),
                            parameters_.data(), factors_.data(), capped_.data());
    if (options_.check_stability) count_negative_modes(margin_);
  }

  // In lanes; connectors and 2D curvatures are too rare for that.
  void count_negative_modes(const Stream& margin) {
    der::GroupView view = view_;
    view.parameters = parameters_.data();
    if (view.connectors == nullptr && view.curvature == der::Curvature::four)
      return strands_.kernels().negative_pivots(view, terms_, margin.data(), state_, negative_.data());
    each_strand(strands_, g_, [&](std::size_t s, std::size_t lane) {
      der::Rod rod = der::extract(strands_, targets_, all_, s);
      for (std::size_t i = 0; i < rod.parameters.size(); ++i) {
        const auto first = std::size_t(group_.real_begin[lane] * P::components);
        rod.parameters[i] = parameters_[(first + i) * lanes_ + lane];
      }
      der::StaticPotential potential(rod, options_.gravity);
      Eigen::VectorXd shift(Eigen::Index(rod.unknowns()));
      for (Eigen::Index u = 0; u < shift.size(); ++u)
        shift[u] = u % 4 < 3 ? -margin[lane] * rod.parameter(int(u / 4), P::mass) : 0.0;
      potential.set_proximal(shift, Eigen::VectorXd::Zero(shift.size()));
      negative_[lane] = potential.negative_modes();
    });
  }

  // Halves mu of unstable strands until none is left, then seeks the largest stable one in between. Not below what a
  // cap on stiffness allows: a strand that is unstable is better than one that is out of balance.
  void make_stable() {
    std::vector<double> unstable(lanes_, 0.0);  // smallest mu that was found unstable; 0: none
    std::vector<char> is_final(lanes_, false);
    for (int halving = 0; halving < Options::most_halvings; ++halving) {
      bool lowered = false;
      for (std::size_t lane = 0; lane < lanes_; ++lane) {
        const double mu = bound(BoundRow::curvature, lane);
        if (capped_[lane] > 0.0 && unstable[lane] > 0.0 && !is_final[lane]) {
          set_mu(lane, unstable[lane]);
          is_final[lane] = lowered = true, unstable[lane] = 0.0;
        }
        if (negative_[lane] == 0.0 || is_final[lane] || !is_determinate(strands_, group_.strands[lane])) continue;
        unstable[lane] = mu;
        set_mu(lane, 0.5 * mu);
        lowered = true;
      }
      if (!lowered) break;
      realise();
    }
    if (std::ranges::all_of(unstable, [](double mu) { return mu == 0.0; })) return;
    for (int bisection = 0; bisection < Options::bisections; ++bisection) bisect(unstable);
  }

  void bisect(std::vector<double>& unstable) {
    std::vector<double> stable(lanes_);
    const auto is_open = [&](std::size_t lane) { return unstable[lane] > 0.0 && stable[lane] > 0.0; };
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (negative_[lane] == 0.0) stable[lane] = bound(BoundRow::curvature, lane);
      if (is_open(lane)) set_mu(lane, std::sqrt(stable[lane] * unstable[lane]));
    }
    realise();
    bool went_back = false;
    for (std::size_t lane = 0; lane < lanes_; ++lane) {
      if (!is_open(lane) || negative_[lane] == 0.0) continue;
      unstable[lane] = bound(BoundRow::curvature, lane);
      set_mu(lane, stable[lane]);
      went_back = true;
    }
    if (went_back) realise();
  }

  void gather_joints(std::size_t s, std::size_t lane, der::RestState& rest) const {
    for (std::size_t i = 0; i < strands_.vertices(s); ++i) {
      if (!der::has_joint(strands_.description(), s, i)) continue;
      const std::size_t v = strands_.offset(s) + i;
      const auto parameter = [&](int c) {
        return parameters_[stream_at(int(slot(lane, i)), P::components, c, int(lanes_), lane)];
      };
      const auto factor = [&](int c) {
        return factors_[stream_at(int(slot(lane, i)), FactorLayout::components, c, int(lanes_), lane)];
      };
      for (int c = 0; c < 4; ++c) rest.curvature[v][std::size_t(c)] = parameter(P::rest_curvature + c);
      rest.twist[v] = parameter(P::rest_twist);
      rest.bend_modulus[v] *= factor(FactorLayout::bend), rest.twist_modulus[v] *= factor(FactorLayout::twist);
    }
  }

  const Options& options_;
  const bool mu_is_open_;
  const der::Strands& strands_;
  const der::Strands::Group& group_;
  const der::State& all_;
  const der::Targets& targets_;
  const double* state_;
  const der::GroupView view_;
  const SweepKernels& kernels_;
  const std::size_t g_, lanes_, vertices_;
  der::StepTerms terms_;
  Stream weights_, bounds_, capped_, margin_;
  Stream measures_, joints_, parameters_, factors_, negative_;
};

}  // namespace

Status sweep(const Options& options, MuChoice mu, const der::State& state, der::Strands& strands,
             std::vector<StrandOutcome>& outcomes) {
  const der::Targets targets = strands.make_targets();
  der::RestState rest = strands.rest_state();
  const auto each_group = [&](const auto& work) {
    parallel_for(strands.groups().size(), [&](std::size_t g) {
      GroupSweep group(options, mu, strands, state, targets, outcomes, g);
      work(group);
    });
    return strands.set_rest(rest);
  };
  // First the edges: the stiffness of a joint depends on the rest lengths beside it.
  if (Status status = each_group([&](GroupSweep& group) { group.realise_edges(rest, outcomes); }); !status)
    return status;
  return each_group([&](GroupSweep& group) { group.realise_joints(rest, outcomes); });
}

}  // namespace tendril::sagfree
