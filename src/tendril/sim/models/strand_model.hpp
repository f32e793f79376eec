// A strand model as the world sees it: one file in this folder each, and one line in make_model(). All are made from
// the same description (rods/der/description.hpp), so that presets, grooms, guides and maps serve every model.
#pragma once

#include <Eigen/Core>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/chain/trees.hpp"
#include "tendril/rods/der/energies.hpp"
#include "tendril/sagfree/options.hpp"
#include "tendril/sagfree/outcome.hpp"
#include "tendril/scene/scene.hpp"
#include "tendril/sim/models/model_step.hpp"

namespace tendril {

// What statics found for one strand.
struct StaticStrand {
  bool converged = false, stable = false;
  double residual = 0.0;  // as a share of the load
  int iterations = 0;
};

class StrandModel {
 public:
  virtual ~StrandModel() = default;
  virtual std::unique_ptr<StrandModel> clone() const = 0;
  virtual std::unique_ptr<ModelStep> make_step() const = 0;

  // At rest where they were drawn, or as near to it as the model can be; what is shown is there already.
  virtual void start(const der::Strands&, PartState&) const {}
  virtual der::Energies energies(const der::Strands& strands, const Eigen::Vector3d& gravity,
                                 const PartState& state) const = 0;
  virtual double largest_stretch(const der::Strands& strands, const der::Targets& targets,
                                 const PartState& state) const = 0;
  // Static equilibrium; only of models that have it (ModelTraits).
  virtual std::vector<StaticStrand> settle(const StepInputs&, PartState&) const { return {}; }

  // Rest shape and stiffness become such that the start is in equilibrium under gravity and the loads.
  virtual Result<sagfree::Outcome> make_sag_free(const sagfree::Options& options, der::Strands& strands) = 0;

  // [N] of every edge, by first vertices, at the end of the step from `before` to `after`, with what contact pushed the
  // vertices with; only of models that tell (ModelTraits).
  virtual std::vector<double> tensions(const der::Strands&, const der::StepOptions&, const PartState& /*before*/,
                                       const PartState& /*after*/, std::span<const Eigen::Vector3d> /*contact*/) const {
    return {};
  }

  virtual Status add_load(const der::Load&) { return ok(); }
  virtual void clear_loads() {}
  virtual void scale_stiffness(double) {}
  virtual void set_damping(std::optional<double>) {}
};

// A model of strands that is copied with its owner.
class ModelHandle {
 public:
  ModelHandle() = default;
  explicit ModelHandle(std::unique_ptr<StrandModel> model) : model_(std::move(model)) {}
  ModelHandle(const ModelHandle& other) : model_(other.model_ ? other.model_->clone() : nullptr) {}
  ModelHandle(ModelHandle&&) = default;
  ModelHandle& operator=(const ModelHandle& other) { return *this = ModelHandle(other); }
  ModelHandle& operator=(ModelHandle&&) = default;
  ~ModelHandle() = default;

  StrandModel* operator->() { return model_.get(); }
  const StrandModel* operator->() const { return model_.get(); }

 private:
  std::unique_ptr<StrandModel> model_;
};

// The model that a set asks for, of the same strands. Only chains may hang on each other.
Result<ModelHandle> make_model(const StrandSet& set, const der::Strands& strands,
                               std::span<const chain::Tie> ties = {});
// What `strands` are made of for that model.
der::Description description_for(StrandModelKind kind, der::Description description);

}  // namespace tendril
