// Discrete elastic rods (docs/theory/der.md): what is shown is their state.
#pragma once

#include "tendril/sim/models/strand_model.hpp"

namespace tendril {

class DerModel : public StrandModel {
 public:
  std::unique_ptr<StrandModel> clone() const override;
  std::unique_ptr<ModelStep> make_step() const override;
  der::Energies energies(const der::Strands& strands, const Eigen::Vector3d& gravity,
                         const PartState& state) const override;
  double largest_stretch(const der::Strands& strands, const der::Targets& targets,
                         const PartState& state) const override;
  std::vector<StaticStrand> settle(const StepInputs& inputs, PartState& state) const override;
  Result<sagfree::Outcome> make_sag_free(const sagfree::Options& options, der::Strands& strands) override;
};

}  // namespace tendril
