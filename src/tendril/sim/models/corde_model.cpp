#include "tendril/sim/models/corde_model.hpp"

#include "tendril/base/timer.hpp"
#include "tendril/rods/corde/balance.hpp"
#include "tendril/rods/corde/one_step.hpp"
#include "tendril/sim/models/own_numbers.hpp"
#include "tendril/sim/models/plain_report.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

void pack(const corde::State& state, std::span<const corde::Target> clamps, std::vector<double>& own) {
  NumberWriter out(own);
  for (std::size_t v = 0; v < state.position.size(); ++v) {
    out.vector(state.position[v]), out.vector(state.velocity[v]);
    out.quaternion(state.frame[v]), out.vector(state.spin[v]);
  }
  for (const corde::Target& clamp : clamps) out.quaternion(clamp.frame);
}

// Of the clamps the frames alone are kept: where they are, the first vertices are.
void unpack(const corde::Strands& strands, std::span<const double> own, corde::State& state,
            std::vector<corde::Target>& clamps) {
  const std::size_t n = strands.vertex_count();
  state.position.resize(n), state.velocity.resize(n), state.frame.resize(n), state.spin.resize(n);
  NumberReader in(own);
  for (std::size_t v = 0; v < n; ++v) {
    state.position[v] = in.vector(), state.velocity[v] = in.vector();
    state.frame[v] = in.quaternion(), state.spin[v] = in.vector();
  }
  clamps.resize(strands.size());
  for (std::size_t s = 0; s < clamps.size(); ++s) {
    const std::size_t v = strands.offset(s);
    clamps[s] = {state.position[v], state.position[v + 1], in.quaternion()};
  }
}

void show(const corde::State& state, std::span<const corde::Target> clamps, const der::Strands& strands,
          std::vector<Vector3d>& directors, PartState& out) {
  directors.resize(state.frame.size());
  for (std::size_t v = 0; v < directors.size(); ++v) directors[v] = state.frame[v] * Vector3d::UnitX();
  der::show(strands, state.position, state.velocity, directors, out);
  pack(state, clamps, out.own);
}

class CordeStep final : public ModelStepOf<corde::OneStep> {
 public:
  explicit CordeStep(const corde::Strands& strands) : rods_(strands) {}

  der::StepReport linearise(const StepInputs& in, const PartState& state) override {
    strands_ = &in.strands, shape_ = &state;
    options_.dt = in.options.dt, options_.gravity = in.options.gravity;
    unpack(rods_, state.own, state_, targets_);
    rods_.drive(in.roots, targets_);
    system_.emplace(rods_, targets_, options_, state_, work_);
    return {};
  }
  void set_contact_forces(std::span<const Vector3d> forces) override { system_->set_contact_forces(forces); }
  der::StepReport advance(PartState& trial) override {
    const der::StepReport report = in_terms_of_rods(system_->advance(trial_));
    trial.current = shape_->current;  // what no CoRdE rod has stays as it is
    show(trial_, targets_, *strands_, directors_, trial);
    return report;
  }

 private:
  const corde::Strands& rods_;
  const der::Strands* strands_ = nullptr;
  const PartState* shape_ = nullptr;
  corde::StepOptions options_;
  corde::Workspace work_;
  corde::State state_, trial_;
  std::vector<corde::Target> targets_;
  std::vector<Vector3d> directors_;
};

}  // namespace

std::unique_ptr<StrandModel> CordeModel::clone() const { return std::make_unique<CordeModel>(*this); }

std::unique_ptr<ModelStep> CordeModel::make_step() const { return std::make_unique<CordeStep>(strands_); }

void CordeModel::start(const der::Strands& strands, PartState& state) const {
  std::vector<Vector3d> directors;
  std::vector<corde::Target> clamps;
  const Pose drawn;
  strands_.drive({&drawn, 1}, clamps);
  show(strands_.start(), clamps, strands, directors, state);
}

der::Energies CordeModel::energies(const der::Strands&, const Vector3d& gravity, const PartState& state) const {
  corde::State rods;
  std::vector<corde::Target> clamps;
  unpack(strands_, state.own, rods, clamps);
  return corde::total_energies(strands_, clamps, gravity, rods);
}

Result<sagfree::Outcome> CordeModel::make_sag_free(const sagfree::Options& options, der::Strands& strands) {
  const Timer timer;
  sagfree::Outcome outcome;
  outcome.stiffness_factor.assign(strands.vertex_count(), 1.0);
  for (const corde::Balance& found : corde::balance(options.gravity, strands_)) {
    sagfree::StrandOutcome& strand = outcome.strands.emplace_back();
    strand.status = strands_.clamp(outcome.strands.size() - 1) == der::Clamp::free ? sagfree::StrandStatus::not_held
                    : found.after > options.tolerance                              ? sagfree::StrandStatus::bounded
                                                                                   : sagfree::StrandStatus::balanced;
    strand.imbalance_before = found.before, strand.imbalance = found.after;
  }
  outcome.seconds = timer.seconds();
  return outcome;
}

double CordeModel::largest_stretch(const der::Strands&, const der::Targets&, const PartState& state) const {
  corde::State rods;
  std::vector<corde::Target> clamps;
  unpack(strands_, state.own, rods, clamps);
  return corde::largest_stretch(strands_, rods);
}

}  // namespace tendril
