#include "tendril/sim/models/inextensible_model.hpp"

#include "tendril/rods/inextensible/one_step.hpp"
#include "tendril/sagfree/optimise.hpp"

namespace tendril {
namespace {

class InextensibleStep final : public ModelStepOf<inextensible::OneStep> {
 public:
  explicit InextensibleStep(inextensible::Method method) : method_(method) {}

  der::StepReport linearise(const StepInputs& in, const PartState& state) override {
    if (!system_) system_.emplace(inextensible::Options{.method = method_});
    return system_->linearise(in.strands, in.targets, in.options, state, in.contact_before);
  }
  bool relinearise_touched() override { return system_->relinearise_touched(); }
  der::StepReport advance(PartState& trial) override { return system_->advance(trial).step; }

 private:
  inextensible::Method method_;
};

// The same strands, as stiff against stretching as against bending.
der::Strands with_stretch(const der::Strands& strands) {
  der::Description description = strands.description();
  description.stretch_modulus = description.bend_modulus;
  return std::move(der::Strands::create(std::move(description), strands.holds(), strands.isa()).value());
}

}  // namespace

// Links carry any tension, so that of the rest state of rods that stretch all but the strains serves: bending and
// twisting see no difference.
Result<sagfree::Outcome> InextensibleModel::make_sag_free(const sagfree::Options& options, der::Strands& strands) {
  der::Strands elastic = with_stretch(strands);
  for (const der::Load& load : loads_)
    if (Status added = elastic.add_load(load); !added) return added.error();
  Result<sagfree::Outcome> outcome = sagfree::optimise(options, elastic.start(), elastic);
  if (!outcome) return outcome;
  der::RestState rest = elastic.rest_state(), own = strands.rest_state();
  rest.strain = std::move(own.strain), rest.stretch_modulus = std::move(own.stretch_modulus);
  if (Status set = strands.set_rest(std::move(rest)); !set) return set.error();
  return outcome;
}

std::unique_ptr<StrandModel> InextensibleModel::clone() const { return std::make_unique<InextensibleModel>(*this); }

std::unique_ptr<ModelStep> InextensibleModel::make_step() const { return std::make_unique<InextensibleStep>(method_); }

}  // namespace tendril
