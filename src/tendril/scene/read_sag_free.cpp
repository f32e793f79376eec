#include "tendril/scene/read_sag_free.hpp"

namespace tendril {
namespace {

using sagfree::CurvatureBound;
using sagfree::Mode;

constexpr Word<bool> rests[] = {{"naive", false}, {"sag-free", true}};
constexpr Word<Mode> modes[] = {
    {"sweep", Mode::sweep}, {"full", Mode::full}, {"penalty", Mode::penalty}, {"rest-shape", Mode::rest_shape}};
constexpr Word<sagfree::Start> starts[] = {{"drawn", sagfree::Start::drawn}, {"sweep", sagfree::Start::sweep}};
constexpr Word<sagfree::Sharing> sharings[] = {
    {"element", sagfree::Sharing::element}, {"strand", sagfree::Sharing::strand}, {"group", sagfree::Sharing::group}};
constexpr Word<sagfree::Storage> storages[] = {{"banded", sagfree::Storage::banded},
                                               {"sparse", sagfree::Storage::sparse}};
constexpr Word<sagfree::CurvatureVariables> variables[] = {{"two", sagfree::CurvatureVariables::two},
                                                           {"four", sagfree::CurvatureVariables::four}};
constexpr Word<CurvatureBound> bounds[] = {{"disc", CurvatureBound::disc}, {"box", CurvatureBound::box}};

void read_mu(TableReader& table, std::optional<double>& mu) {
  const Value* value = table.value("mu", "'auto' or number",
                                   "largest change of rest curvature per vertex, without unit; auto: the largest "
                                   "one up to 1 that leaves the strand stable");
  if (value == nullptr) return;
  if (const auto* word = std::get_if<std::string>(&value->held); word != nullptr && *word == "auto") return;
  if (const auto* number = std::get_if<double>(&value->held)) mu = *number;
  if (const auto* whole = std::get_if<std::int64_t>(&value->held)) mu = double(*whole);
  if (!mu || !(*mu >= 0.0) || !(*mu <= 1e6)) table.refuse("mu", "mu must be \"auto\", or a number from 0 to 1e6");
}

}  // namespace

std::optional<sagfree::Options> read_sag_free(TableReader& owner) {
  bool wanted = false;
  owner.word(
      "rest",
      "how the rest state is found: naive takes the drawn shape for it, so strands sag; sag-free finds one under "
      "which the drawn shape is in stable equilibrium",
      rests, wanted);
  sagfree::Options options;
  if (auto table = owner.table("sag_free", "how the rest state of rest = \"sag-free\" is found")) {
    if (!wanted && !owner.describing()) owner.refuse("sag_free", "sag_free needs rest = \"sag-free\"");
    table->word(
        "mode",
        "sweep: direct, and the general optimiser for strands that are held at more than their root; full: that "
        "optimiser for all; penalty and rest-shape: less than it, to compare with",
        modes, options.mode);
    table->word("start", "of the general optimiser: the drawn shape, or the outcome of the sweep", starts,
                options.start);
    read_mu(*table, options.mu);
    table->number("twist_share", "largest change of rest twist [rad], over mu", {0.0, 1e3}, options.twist_share);
    table->word(
        "bound",
        "of what mu bounds: the norm of the change, or each component alone, as the general optimiser always does",
        bounds, options.bound);
    table->number("shortest", "smallest rest length, over the drawn length", {1e-6, 1.0}, options.shortest);
    table->number("longest", "largest rest length, over the drawn length", {1.0, 1e6}, options.longest);
    table->number("max_stiffness", "largest factor by which an element may become stiffer; absent: any", {1.0, 1e300},
                  options.cap);
    table->word("share",
                "which elements become stiffer by the same factor: each its own, those of a strand, or those of all "
                "strands of this set (group)",
                sharings, options.sharing);
    table->number("smooth", "weight of differences between the stiffness of neighbours, over that of changes",
                  {0.0, 1e6}, options.smoothness);
    if (options.smoothness > 0.0 && options.sharing != sagfree::Sharing::element)
      table->refuse("smooth", "stiffness that is shared has nothing to smooth; give share or smooth");
    table->boolean("growth", "let the penalty of the general optimiser grow: faster, but it may stall", options.growth);
    table->integer("max_iterations", "of the general optimiser", 1, 100000, options.max_iterations);
    table->word("matrix", "how the general optimiser stores its matrices, to compare with", storages, options.storage);
    table->word("curvature_variables",
                "components of rest curvature that the general optimiser varies, to compare with", variables,
                options.curvature_variables);
    table->finish();
  }
  if (!wanted) return std::nullopt;
  return options;
}

}  // namespace tendril
