#include "tendril/sim/models/chain_model.hpp"

#include "tendril/base/parallel.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/rods/chain/balance.hpp"
#include "tendril/rods/chain/one_step.hpp"
#include "tendril/rods/der/one_strand.hpp"
#include "tendril/sim/models/own_numbers.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

// What strands are clamped to is kept beside their points.
void pack(const chain::Clamped& to, std::vector<double>& own) {
  NumberWriter out(own);
  for (std::size_t s = 0; s < to.turn.size(); ++s) out.quaternion(to.turn[s]), out.vector(to.tip[s]);
}

void unpack(std::span<const double> own, std::size_t strands, chain::Clamped& to) {
  to.turn.resize(strands), to.tip.resize(strands);
  NumberReader in(own);
  for (std::size_t s = 0; s < strands; ++s) to.turn[s] = in.quaternion(), to.tip[s] = in.vector();
}

// Returns whether the step is one of Euler.
bool size_motion(const der::Strands& strands, const der::StepOptions& options, const PartState& state,
                 chain::Motion& motion) {
  const std::size_t n = strands.vertex_count();
  const bool is_euler = der::effective_step(options, state).ratio == 0.0;
  motion.x.resize(n), motion.v.resize(n);
  motion.x_before.resize(is_euler ? 0 : n), motion.v_before.resize(is_euler ? 0 : n);
  return is_euler;
}

void read_motion(const der::Strands& strands, const der::StepOptions& options, const PartState& state,
                 chain::Motion& motion) {
  const bool is_euler = size_motion(strands, options, state, motion);
  der::gather_positions(strands, state, motion.x);
  der::gather_velocities(strands, state, motion.v);
  if (!is_euler) der::gather_previous(strands, state, motion.x_before, motion.v_before);
}

void read_surroundings(const der::StepOptions& options, const PartState& state, chain::Surroundings& around) {
  around.dt = options.dt, around.previous_dt = state.previous_dt, around.gravity = options.gravity;
  around.wind = options.wind, around.air = options.air;
}

class ChainStep final : public ModelStepOf<chain::OneStep> {
 public:
  ChainStep(const chain::Strands& strands, const chain::LaneStrands& lanes) : chains_(strands), lanes_(lanes) {}

  der::StepReport linearise(const StepInputs& in, const PartState& state) override {
    strands_ = &in.strands, shape_ = &state, in_lanes_ = false;
    read_all(in, state);
    system_->linearise(chains_, before_, ends_, around_, motion_);
    return {};
  }
  bool relinearise_touched() override { return system_->relinearise_touched(); }
  void set_contact_forces(std::span<const Vector3d> forces) override { system_->set_contact_forces(forces); }

  // Strands that lanes can take are stepped there, without being gathered; then the others.
  der::StepReport take(const StepInputs& in, const PartState& state, PartState& trial) override {
    if (lanes_.takes_none() || in.options.air.density > 0.0 || !in.targets.anchors.empty())
      return ModelStep::take(in, state, trial);
    in_lanes_ = true;
    size_motion(in.strands, in.options, state, motion_);
    for (std::size_t s = 0; s < chains_.size(); ++s)
      if (chains_.has_free_root(s))
        der::gather_strand(in.strands, s, state.current, der::StateLayout::position, motion_.x);
    unpack(state.own, chains_.size(), before_);
    chain::read_clamps(in.strands, chains_, in.targets, in.roots, motion_.x, before_, ends_);
    const int iterations =
        stepper_.step({in.strands, chains_, lanes_, in.targets, in.options, before_, ends_}, state, trial);
    chain::StepReport found = stepper_.left().empty() ? chain::StepReport{} : step_left(in, state, trial);
    found.iterations = std::max(found.iterations, iterations);
    pack(ends_, trial.own);
    return report_of(found);
  }

  der::StepReport advance(PartState& trial) override {
    const chain::StepReport found = system_->advance(x_, v_);
    trial.current = shape_->current;  // what no chain has stays as it is
    directors_.resize(x_.size());
    parallel_for(chains_.size(), [&](std::size_t s) {
      const auto x = std::span(x_).subspan(chains_.offset(s), chains_.vertices(s));
      chains_.transport(s, x, ends_, std::span(directors_).subspan(chains_.offset(s), x.size()));
    });
    der::show(*strands_, x_, v_, directors_, trial);
    pack(ends_, trial.own);
    return report_of(found);
  }

  std::vector<StrandTrouble> troubles() const override {
    std::vector<StrandTrouble> out;
    for (std::size_t s = 0; s < chain::status_count; ++s) {
      if (last_.ended[s] == 0) continue;
      const auto status = chain::Status(s);
      out.push_back({{},
                     std::string(name(status)),
                     std::string(meaning(status)),
                     std::int64_t(last_.ended[s]),
                     last_.first[s],
                     0.0});
    }
    return out;
  }

  double force_residual(const StepInputs& in, const PartState& before, const PartState& after) override {
    if (!in_lanes_) return residual();
    read_all(in, before);
    x_.resize(in.strands.vertex_count());
    der::gather_positions(in.strands, after, x_);
    std::vector<double> tensions;
    return system_->balance_at(x_, {}, chains_, before_, ends_, around_, motion_, tensions);
  }

 private:
  der::StepReport report_of(const chain::StepReport& found) {
    der::StepReport report;
    last_ = found;
    report.outcome = found.outcome, report.strand = found.strand, report.troubled = found.troubled;
    report.iterations = found.iterations;
    if (found.outcome == Outcome::failed) report.trouble = der::Trouble::not_finite;
    if (found.outcome == Outcome::usable) report.trouble = der::Trouble::not_converged;
    return report;
  }

  // All that a step begins with, of all strands.
  void read_all(const StepInputs& in, const PartState& state) {
    read_motion(in.strands, in.options, state, motion_);
    unpack(state.own, chains_.size(), before_);
    chain::read_ends(in.strands, chains_, in.targets, in.roots, motion_.x, before_, ends_);
    begin(in, state);
  }

  void begin(const StepInputs& in, const PartState& state) {
    if (!system_) system_.emplace();
    read_surroundings(in.options, state, around_);
    around_.expected = in.contact_before;
    read_anchors(in);
  }

  // Strands that lanes have left, one by one between the user's order and the lanes.
  chain::StepReport step_left(const StepInputs& in, const PartState& state, PartState& trial) {
    using Layout = der::StateLayout;
    const std::span<const std::size_t> left = stepper_.left();
    begin(in, state);
    ends_.place.resize(in.strands.vertex_count());
    for (auto* points : {&x_, &v_, &directors_}) points->resize(in.strands.vertex_count());
    for (const std::size_t s : left) {
      der::gather_strand(in.strands, s, state.current, Layout::position, motion_.x);
      der::gather_strand(in.strands, s, state.current, Layout::velocity, motion_.v);
      if (!motion_.x_before.empty()) {
        der::gather_strand(in.strands, s, state.previous, Layout::position, motion_.x_before);
        der::gather_strand(in.strands, s, state.previous, Layout::velocity, motion_.v_before);
      }
      chain::read_places(in.strands, chains_, in.targets, s, ends_.place);
    }
    const chain::StepReport found = system_->step_some(left, chains_, before_, ends_, around_, motion_, x_, v_);
    for (const std::size_t s : left) {
      const std::size_t first = chains_.offset(s), n = chains_.vertices(s);
      chains_.transport(s, std::span(x_).subspan(first, n), ends_, std::span(directors_).subspan(first, n));
      der::show_strand(in.strands, s, x_, v_, directors_, trial);
    }
    return found;
  }

  void read_anchors(const StepInputs& in) {
    around_.anchor.clear(), around_.anchor_stiffness.clear();
    if (in.targets.anchors.empty()) return;
    const std::size_t n = in.strands.vertex_count();
    around_.anchor.resize(n), around_.anchor_stiffness.resize(n);
    in.strands.gather_anchors(in.targets, around_.anchor, around_.anchor_stiffness);
  }

  const chain::Strands& chains_;
  const chain::LaneStrands& lanes_;
  chain::LaneStepper stepper_;
  chain::StepReport last_;
  bool in_lanes_ = false;  // the last step was taken there
  const der::Strands* strands_ = nullptr;
  const PartState* shape_ = nullptr;
  chain::Motion motion_;
  chain::Surroundings around_;
  chain::Clamped before_;
  chain::Ends ends_;
  std::vector<Vector3d> x_, v_, directors_;
};

}  // namespace

std::unique_ptr<StrandModel> ChainModel::clone() const { return std::make_unique<ChainModel>(*this); }

std::unique_ptr<ModelStep> ChainModel::make_step() const { return std::make_unique<ChainStep>(strands_, lanes_); }

void ChainModel::start(const der::Strands& strands, PartState& state) const {
  pack(chain::drawn_clamps(strands), state.own);
}

der::Energies ChainModel::energies(const der::Strands& strands, const Vector3d& gravity, const PartState& state) const {
  std::vector<Vector3d> x(strands.vertex_count()), v(x.size());
  der::gather_positions(strands, state, x);
  der::gather_velocities(strands, state, v);
  chain::Clamped to;
  unpack(state.own, strands_.size(), to);
  return chain::total_energies(strands_, to, gravity, x, v);
}

double ChainModel::largest_stretch(const der::Strands& strands, const der::Targets&, const PartState& state) const {
  if (strands_.gives_way()) return 0.0;  // they are to stretch
  std::vector<Vector3d> x(strands.vertex_count());
  der::gather_positions(strands, state, x);
  return chain::largest_stretch(strands_, x);
}

std::vector<double> ChainModel::tensions(const der::Strands& strands, const der::StepOptions& options,
                                         const PartState& before, const PartState& after,
                                         std::span<const Vector3d> contact) const {
  chain::Motion motion;
  chain::Surroundings around;
  chain::Clamped from;
  chain::Ends to;
  read_motion(strands, options, before, motion);
  read_surroundings(options, before, around);
  unpack(before.own, strands_.size(), from), unpack(after.own, strands_.size(), to);
  to.place.resize(strands.vertex_count());
  der::gather_positions(strands, after, to.place);
  std::vector<double> of_links, of_edges(strands.vertex_count(), 0.0);
  chain::OneStep step;
  step.balance_at(to.place, contact, strands_, from, to, around, motion, of_links);
  for (std::size_t s = 0; s < strands_.size(); ++s)
    for (std::size_t i = 0; i + 1 < strands_.vertices(s); ++i)
      of_edges[strands_.offset(s) + i] = of_links[strands_.link(s, i)];
  return of_edges;
}

Result<sagfree::Outcome> ChainModel::make_sag_free(const sagfree::Options& options, der::Strands& strands) {
  const Timer timer;
  sagfree::Outcome outcome;
  constexpr double most = 0.5;  // of a rest, in directions of length 1: about 29 degrees
  const double change = options.mu.value_or(most);
  const auto& drawn = strands.description().curves.points;
  outcome.stiffness_factor.assign(strands.vertex_count(), 1.0);
  for (const chain::Balance& found :
       chain::balance(options.gravity, drawn, chain::drawn_clamps(strands), change, strands_)) {
    const std::size_t s = outcome.strands.size();
    sagfree::StrandOutcome& strand = outcome.strands.emplace_back();
    using sagfree::StrandStatus;
    strand.status = strands_.has_free_root(s)         ? StrandStatus::not_held
                    : found.after > options.tolerance ? StrandStatus::bounded
                    : found.is_stable                 ? StrandStatus::balanced
                                                      : StrandStatus::unstable;
    strand.mu = change, strand.imbalance_before = found.before, strand.imbalance = found.after;
    strand.stiffness_factor = found.stiffness_factor;
    std::fill_n(&outcome.stiffness_factor[strands.offset(s)], strands.vertices(s), found.stiffness_factor);
  }
  lanes_.read(strands_);
  outcome.seconds = timer.seconds();
  return outcome;
}

}  // namespace tendril
