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

// { root, tip }, { map } or { attribute, scale }: a value that varies. Nothing: it is a plain one.
std::optional<ValueMap> read_variation(TableReader& owner, std::string_view key, Dimension dimension,
                                       std::string_view example, const std::filesystem::path& folder) {
  if (!owner.is_table(key)) return std::nullopt;
  auto table = owner.table(key, "that varies: linearly from root to tip, or by a map, or by an attribute of the groom");
  if (!table) return std::nullopt;
  std::optional<double> root, tip;
  std::string file, attribute;
  double scale = 1.0;
  table->quantity("root", "at the root", dimension, positive, root);
  table->quantity("tip", "at the tip", dimension, positive, tip);
  table->text("map", "CSV file: position,value or strand,value or strand,position,value; SI units", file);
  table->text("attribute", "of the groom, per strand or per vertex", attribute);
  table->quantity("scale", "factor on the values of map or attribute", Dimension::none, positive, scale);
  for (const char* end : {"root", "tip"})
    if (!table->has(end) && (root || tip))
      table->missing(end, fmt::format("write both, such as {} = {}", key, example));
  table->finish();
  if (table->describing() || table->failed()) return std::nullopt;
  const int given =
      int(table->has("root") || table->has("tip")) + int(table->has("map")) + int(table->has("attribute"));
  if (given != 1) {
    table->refuse("",
                  fmt::format("write {} = {}, {{ map = \"values.csv\" }} or {{ attribute = \"name\" }}", key, example));
    return std::nullopt;
  }
  if (root) {
    if (table->has("scale")) table->refuse("scale", "scale is for map and attribute");
    return taper(*root, *tip);
  }
  ValueMap map;
  map.attribute = attribute;
  if (attribute.empty()) {
    Result<ValueMap> read = read_value_map(folder / file);
    if (!read) return table->refuse("map", fmt::format("map: {}", read.error().message())), std::nullopt;
    map = std::move(read.value());
  }
  map.scale = scale;
  return map;
}

std::optional<ValueMap> read_radius(TableReader& table, const std::filesystem::path& folder, der::Material& material) {
  if (!table.is_table("radius") || table.describing())
    table.quantity("radius", "of the section; its first semi-axis if it is not round", Dimension::length, positive,
                   material.radius);
  std::optional<ValueMap> map =
      read_variation(table, "radius", Dimension::length, "{ root = \"45 um\", tip = \"20 um\" }", folder);
  if (!map || !table.is_table_with("radius", "root")) return map;
  material.radius = map->rows.front().value, material.tip_radius = map->rows.back().value;
  return std::nullopt;
}

void read_moduli(TableReader& table, bool has_preset, bool young_varies, der::Material& material) {
  const double shear_share = has_preset ? material.shear / material.young : 1.0 / (2.0 * (1.0 + 0.3));
  const double stretch_share = has_preset ? material.stretch_young.value_or(material.young) / material.young : 1.0;
  if (!young_varies)
    table.quantity("young", "Young's modulus, for bending", Dimension::pressure, positive, material.young);
  std::optional<double> shear, poisson, stretch;
  table.quantity("shear", "shear modulus, for twisting; in proportion to young if absent", Dimension::pressure,
                 positive, shear);
  table.quantity("poisson", "Poisson's number, in place of shear; 0.3 if there is no preset", Dimension::none,
                 {-0.99, 0.5}, poisson);
  table.quantity("stretch_young", "Young's modulus for stretching; in proportion to young if absent",
                 Dimension::pressure, positive, stretch);
  for (const char* key : {"shear", "stretch_young"})
    if (young_varies && table.has(key) && !table.describing())
      table.refuse(key, fmt::format("{} goes with young where that varies; leave it out, or write poisson", key));
  if (shear && poisson) table.refuse("poisson", "write either shear or poisson, not both");
  material.shear = shear_share * material.young;
  if (poisson) material.shear = material.young / (2.0 * (1.0 + *poisson));
  if (shear) material.shear = *shear;
  material.stretch_young = stretch;
  if (!stretch && stretch_share != 1.0) material.stretch_young = stretch_share * material.young;
}

}  // namespace

ChosenMaterial read_material(TableReader& owner, const std::filesystem::path& folder) {
  auto table = owner.table("material", "what the strands are made of; human hair if absent");
  if (!table) return {std::string(presets().front().name), material_of(presets().front()), false, {}, {}};

  const Preset& preset = read_preset(*table);
  const bool has_preset = table->has("preset");
  der::Material material = material_of(preset);
  std::optional<ValueMap> radius = read_radius(*table, folder, material);
  table->number("aspect", "second semi-axis of the section over the first", {0.01, 100.0}, material.aspect);
  std::optional<ValueMap> young =
      read_variation(*table, "young", Dimension::pressure, "{ root = \"4 GPa\", tip = \"2 GPa\" }", folder);
  read_moduli(*table, has_preset, table->is_table("young") && !table->describing(), material);
  table->quantity("density", "of the material", Dimension::density, positive, material.density);
  table->quantity("damping", "time constant: damping forces = damping x stiffness x velocity", Dimension::time,
                  not_negative, material.damping);
  for (const char* key : {"radius", "young", "density"})
    if (!has_preset && !table->has(key))
      table->missing(key, fmt::format("write it, or start from preset = \"{}\"", presets().front().name));
  table->finish();
  for (std::optional<ValueMap>* map : {&radius, &young})
    if (*map) (*map)->complete = !has_preset;
  return {has_preset ? std::string(preset.name) : "", material, table->has("radius"), std::move(radius),
          std::move(young)};
}

}  // namespace tendril
