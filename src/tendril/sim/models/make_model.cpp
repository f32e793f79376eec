#include "tendril/rods/inextensible/one_step.hpp"
#include "tendril/sim/models/chain_model.hpp"
#include "tendril/sim/models/corde_model.hpp"
#include "tendril/sim/models/inextensible_model.hpp"
#include "tendril/sim/models/superhelix_model.hpp"

namespace tendril {
namespace {

// As drawn: these models measure their own rest shapes.
der::Description drawn(der::Description description) {
  description.rest_strain.clear(), description.rest_curvature.clear(), description.rest_twist.clear();
  return description;
}

Result<ModelHandle> make_superhelix(const StrandSet& set, const der::Strands& strands) {
  const superhelix::Counts counts{set.helix.bend1, set.helix.bend2, set.helix.twist};
  Result<superhelix::Strands> made = superhelix::Strands::create(drawn(strands.description()), counts);
  if (!made) return made.error();
  if (set.rest_shape == RestShape::straight)
    made.value().set_rest(std::vector<double>(strands.size() * made.value().unknowns(), 0.0));
  return ModelHandle(std::make_unique<SuperhelixModel>(std::move(made.value())));
}

Result<ModelHandle> make_corde(const StrandSet& set, const der::Strands& strands) {
  Result<corde::Strands> made = corde::Strands::create(drawn(strands.description()));
  if (!made) return made.error();
  if (set.rest_shape == RestShape::straight) made.value().straighten();
  return ModelHandle(std::make_unique<CordeModel>(std::move(made.value())));
}

Result<ModelHandle> make_chain(const StrandSet& set, const der::Strands& strands, std::span<const chain::Tie> ties) {
  Result<chain::Strands> made = chain::Strands::create(strands, set.links, ties);
  if (!made) return made.error();
  if (set.rest_shape == RestShape::straight) made.value().straighten();
  return ModelHandle(std::make_unique<ChainModel>(std::move(made.value()), strands));
}

}  // namespace

Result<ModelHandle> make_model(const StrandSet& set, const der::Strands& strands, std::span<const chain::Tie> ties) {
  switch (set.model) {
    case StrandModelKind::superhelix: return make_superhelix(set, strands);
    case StrandModelKind::corde: return make_corde(set, strands);
    case StrandModelKind::chain: return make_chain(set, strands, ties);
    case StrandModelKind::der_inextensible:
      if (auto wrong = inextensible::unfit(strands, set.projection)) return *wrong;
      return ModelHandle(std::make_unique<InextensibleModel>(set.projection));
    case StrandModelKind::der: break;
  }
  return ModelHandle(std::make_unique<DerModel>());
}

der::Description description_for(StrandModelKind kind, der::Description description) {
  return kind == StrandModelKind::der_inextensible ? inextensible::without_stretch(std::move(description))
                                                   : description;
}

}  // namespace tendril
