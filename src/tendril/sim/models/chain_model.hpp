// Chains of points with links of fixed lengths (docs/theory/chain.md). Positions and velocities are what is shown;
// frames are those that are carried along the strand.
#pragma once

#include "tendril/rods/chain/lane_strands.hpp"
#include "tendril/rods/chain/strands.hpp"
#include "tendril/sim/models/strand_model.hpp"

namespace tendril {

class ChainModel final : public StrandModel {
 public:
  ChainModel(chain::Strands strands, const der::Strands& rods) : strands_(std::move(strands)), lanes_(rods, strands_) {}

  std::unique_ptr<StrandModel> clone() const override;
  std::unique_ptr<ModelStep> make_step() const override;
  void start(const der::Strands& strands, PartState& state) const override;
  der::Energies energies(const der::Strands& strands, const Eigen::Vector3d& gravity,
                         const PartState& state) const override;
  double largest_stretch(const der::Strands& strands, const der::Targets& targets,
                         const PartState& state) const override;
  Result<sagfree::Outcome> make_sag_free(const sagfree::Options& options, der::Strands& strands) override;

  std::vector<double> tensions(const der::Strands& strands, const der::StepOptions& options, const PartState& before,
                               const PartState& after, std::span<const Eigen::Vector3d> contact) const override;

  Status add_load(const der::Load& load) override { return strands_.add_load(load); }
  void clear_loads() override { strands_.clear_loads(); }
  void scale_stiffness(double factor) override { strands_.scale_stiffness(factor), lanes_.read(strands_); }
  void set_damping(std::optional<double> seconds) override { strands_.set_damping(seconds); }

 private:
  chain::Strands strands_;
  chain::LaneStrands lanes_;  // of those strands
};

}  // namespace tendril
