#include "experiments/grooms.hpp"

#include "tendril/scene/generator.hpp"
#include "tendril/scene/groom_source.hpp"
#include "tendril/scene/presets.hpp"

namespace tendril::experiments {
namespace {

Result<Curves> load(const std::filesystem::path& file, double scale) {
  Result<LoadedGroom> loaded = load_groom({file, scale, UpAxis::y});
  if (!loaded) return loaded.error();
  return std::move(loaded.value().groom.curves);
}

}  // namespace

Curves curls(int count, int vertices) {
  GeneratorOptions options = default_options(GeneratorKind::curly);
  options.count = count, options.vertices = vertices;
  return generate(options, 1);
}

std::vector<RealGroom> real_grooms(const std::filesystem::path& data) {
  std::vector<RealGroom> grooms;
  grooms.push_back({"sintel", load(data / "grooms/sintel/sintel.hair", 1.0)});
  grooms.push_back({"ponytail", load(data / "grooms/ponytail/ponytail.data", 0.003)});  // in units of 3 mm
  return grooms;
}

der::Strands human_hair(const Curves& curves) {
  return der::Strands::create(der::describe(curves, material_of(*find_preset("human-hair")), {})).value();
}

}  // namespace tendril::experiments
