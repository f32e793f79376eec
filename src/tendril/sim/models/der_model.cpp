#include "tendril/sim/models/der_model.hpp"

#include "tendril/implicit/der_statics.hpp"
#include "tendril/rods/der/one_step.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril {
namespace {

class DerStep final : public ModelStepOf<der::OneStep> {
 public:
  der::StepReport linearise(const StepInputs& in, const PartState& state) override {
    if (!system_) system_.emplace();
    return system_->linearise(in.strands, in.targets, in.options, state);
  }
  der::StepReport linearise_at(const PartState& iterate) override { return system_->linearise_at(iterate); }
  der::StepReport advance(PartState& trial) override { return system_->advance(trial); }
  bool is_balanced() const override { return system_->is_balanced(); }
  double force_residual(const StepInputs& in, const PartState& before, const PartState& after) override {
    return der::force_residual(in.strands, in.targets, in.options, before, after, in.scratch);
  }
  // All of it in lanes, without the transposition that contact needs.
  der::StepReport take(const StepInputs& in, const PartState& state, PartState& trial) override {
    return der::step(in.strands, in.targets, in.options, state, in.scratch, trial);
  }
};

}  // namespace

std::unique_ptr<StrandModel> DerModel::clone() const { return std::make_unique<DerModel>(*this); }

std::unique_ptr<ModelStep> DerModel::make_step() const { return std::make_unique<DerStep>(); }

der::Energies DerModel::energies(const der::Strands& strands, const Eigen::Vector3d& gravity,
                                 const PartState& state) const {
  return der::total_energies(strands, strands.make_targets(), gravity, state);
}

double DerModel::largest_stretch(const der::Strands& strands, const der::Targets& targets,
                                 const PartState& state) const {
  return der::largest_stretch(strands, targets, state);
}

Result<sagfree::Outcome> DerModel::make_sag_free(const sagfree::Options& options, der::Strands& strands) {
  return sagfree::optimise(options, strands.start(), strands);
}

std::vector<StaticStrand> DerModel::settle(const StepInputs& in, PartState& state) const {
  der::StaticOptions options;
  options.gravity = in.options.gravity;
  options.tolerance = std::min(options.tolerance, in.options.tolerance);
  std::vector<StaticStrand> out;
  for (const der::StaticReport& strand : der::solve_static(in.strands, in.targets, options, state))
    out.push_back({strand.status == SolveStatus::converged, strand.stable(), strand.residual, strand.iterations});
  return out;
}

}  // namespace tendril
