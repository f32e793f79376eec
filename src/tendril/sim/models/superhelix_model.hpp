// Super-helices (docs/theory/superhelix.md). Their own unknowns, strand after strand: curvatures and twists, the rates
// of these, then per strand the pose of the root (w, x, y, z and place), its velocity and its spin.
#pragma once

#include "tendril/rods/superhelix/strands.hpp"
#include "tendril/sim/models/strand_model.hpp"

namespace tendril {

class SuperhelixModel final : public StrandModel {
 public:
  explicit SuperhelixModel(superhelix::Strands strands) : strands_(std::move(strands)) {}

  std::unique_ptr<StrandModel> clone() const override;
  std::unique_ptr<ModelStep> make_step() const override;
  void start(const der::Strands& strands, PartState& state) const override;
  der::Energies energies(const der::Strands& strands, const Eigen::Vector3d& gravity,
                         const PartState& state) const override;
  double largest_stretch(const der::Strands&, const der::Targets&, const PartState&) const override { return 0.0; }
  std::vector<StaticStrand> settle(const StepInputs& inputs, PartState& state) const override;
  Result<sagfree::Outcome> make_sag_free(const sagfree::Options& options, der::Strands& strands) override;

  Status add_load(const der::Load& load) override { return strands_.add_load(load); }
  void clear_loads() override { strands_.clear_loads(); }
  void scale_stiffness(double factor) override { strands_.scale_stiffness(factor); }
  void set_damping(std::optional<double> seconds) override { strands_.set_damping(seconds); }

  superhelix::Strands& strands() { return strands_; }

 private:
  superhelix::Strands strands_;
};

}  // namespace tendril
