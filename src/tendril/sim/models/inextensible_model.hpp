// Discrete elastic rods whose edges keep their lengths (docs/theory/inextensible.md). Their strands are made without
// stretching (inextensible::without_stretch); all else is as with discrete elastic rods.
#pragma once

#include "tendril/rods/inextensible/method.hpp"
#include "tendril/sim/models/der_model.hpp"

namespace tendril {

class InextensibleModel final : public DerModel {
 public:
  explicit InextensibleModel(inextensible::Method method = inextensible::Method::newton) : method_(method) {}
  std::unique_ptr<StrandModel> clone() const override;
  std::unique_ptr<ModelStep> make_step() const override;
  Result<sagfree::Outcome> make_sag_free(const sagfree::Options& options, der::Strands& strands) override;
  Status add_load(const der::Load& load) override { return loads_.push_back(load), ok(); }
  void clear_loads() override { loads_.clear(); }

 private:
  inextensible::Method method_;
  std::vector<der::Load> loads_;
};

}  // namespace tendril
