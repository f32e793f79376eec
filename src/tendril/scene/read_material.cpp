#include "tendril/scene/read_material.hpp"

#include <fmt/format.h>

#include <vector>

#include "tendril/scene/presets.hpp"

namespace tendril {
namespace {

const Preset& read_preset(TableReader& table) {
  std::vector<Word<int>> names;
  for (const Preset& preset : presets()) names.push_back({preset.name, static_cast<int>(names.size())});
  int chosen = 0;
  table.word<int>("preset", "values for all the rest; without it radius, young and density are needed", names, chosen);
  return presets()[static_cast<std::size_t>(chosen)];
}

void read_radius(TableReader& table, der::Material& material) {
  if (!table.is_table("radius") || table.describing())
    table.quantity("radius", "of the section; its first semi-axis if it is not round", Dimension::length, positive,
                   material.radius);
  if (!table.is_table("radius")) return;
  auto taper = table.table("radius", "of strands that taper linearly");
  if (!taper) return;
  taper->quantity("root", "radius at the root", Dimension::length, positive, material.radius);
  taper->quantity("tip", "radius at the tip", Dimension::length, positive, material.tip_radius);
  for (const char* end : {"root", "tip"})
    if (!taper->has(end)) taper->missing(end, "write both, such as radius = { root = \"45 um\", tip = \"20 um\" }");
  taper->finish();
}

void read_moduli(TableReader& table, bool has_preset, der::Material& material) {
  const double shear_share = has_preset ? material.shear / material.young : 1.0 / (2.0 * (1.0 + 0.3));
  const double stretch_share = has_preset ? material.stretch_young.value_or(material.young) / material.young : 1.0;
  table.quantity("young", "Young's modulus, for bending", Dimension::pressure, positive, material.young);

  std::optional<double> shear, poisson, stretch;
  table.quantity("shear", "shear modulus, for twisting; in proportion to young if absent", Dimension::pressure,
                 positive, shear);
  table.quantity("poisson", "Poisson's number, in place of shear; 0.3 if there is no preset", Dimension::none,
                 {-0.99, 0.5}, poisson);
  table.quantity("stretch_young", "Young's modulus for stretching; in proportion to young if absent",
                 Dimension::pressure, positive, stretch);
  if (shear && poisson) table.refuse("poisson", "write either shear or poisson, not both");
  material.shear = shear_share * material.young;
  if (poisson) material.shear = material.young / (2.0 * (1.0 + *poisson));
  if (shear) material.shear = *shear;
  material.stretch_young = stretch;
  if (!stretch && stretch_share != 1.0) material.stretch_young = stretch_share * material.young;
}

}  // namespace

ChosenMaterial read_material(TableReader& owner) {
  auto table = owner.table("material", "what the strands are made of; human hair if absent");
  if (!table) return {std::string(presets().front().name), material_of(presets().front()), false};

  const Preset& preset = read_preset(*table);
  const bool has_preset = table->has("preset");
  der::Material material = material_of(preset);
  read_radius(*table, material);
  table->number("aspect", "second semi-axis of the section over the first", {0.01, 100.0}, material.aspect);
  read_moduli(*table, has_preset, material);
  table->quantity("density", "of the material", Dimension::density, positive, material.density);
  table->quantity("damping", "time constant: damping forces = damping x stiffness x velocity", Dimension::time,
                  not_negative, material.damping);
  for (const char* key : {"radius", "young", "density"})
    if (!has_preset && !table->has(key))
      table->missing(key, fmt::format("write it, or start from preset = \"{}\"", presets().front().name));
  table->finish();
  return {has_preset ? std::string(preset.name) : "", material, table->has("radius")};
}

}  // namespace tendril
