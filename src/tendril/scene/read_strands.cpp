#include "tendril/scene/read_strands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <numeric>

#include "tendril/io/groom_file.hpp"
#include "tendril/scene/read_contact.hpp"
#include "tendril/scene/read_material.hpp"
#include "tendril/scene/read_motion.hpp"
#include "tendril/scene/read_sag_free.hpp"
#include "tendril/scene/read_source.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
constexpr int max_index = 1'000'000;
constexpr int most_helix_pieces = 200;

constexpr Word<RestShape> rest_shapes[] = {{"drawn", RestShape::drawn}, {"straight", RestShape::straight}};
constexpr Word<der::Clamp> clamp_words[] = {
    {"edge", der::Clamp::edge}, {"point", der::Clamp::point}, {"free", der::Clamp::free}};
constexpr Word<der::Curvature> curvatures[] = {{"4d", der::Curvature::four},
                                               {"2d-averaged", der::Curvature::averaged},
                                               {"2d-slerped", der::Curvature::slerped},
                                               {"2d-slerped-approximate", der::Curvature::slerped_approximate}};
constexpr Word<StrandModelKind> models[] = {{"der", StrandModelKind::der},
                                            {"der-inextensible", StrandModelKind::der_inextensible},
                                            {"superhelix", StrandModelKind::superhelix},
                                            {"corde", StrandModelKind::corde},
                                            {"chain", StrandModelKind::chain},
                                            {"cosserat", {}, false},
                                            {"particles", {}, false}};
constexpr Word<inextensible::Method> inextensible_methods[] = {{"newton", inextensible::Method::newton},
                                                               {"fast", inextensible::Method::fast}};
// Words of which only the first is built: the scene need not remember the choice.
constexpr Word<int> solvers[] = {{"newton", 0},      {"qn", 1, false},  {"pd", 2, false}, {"admm", 3, false},
                                 {"xpbd", 4, false}, {"pbd", 5, false}, {"vbd", 6, false}};

void read_clamps(TableReader& table, der::Clamps& clamps) {
  constexpr std::string_view meaning =
      "how the root is held: its first edge (grooms and hairstyles if absent), its first point and the direction there "
      "(rods if absent), or not";
  if (!table.is_table("clamp") || table.describing()) table.word("clamp", meaning, clamp_words, clamps.root);
  if (!table.is_table("clamp")) return;
  if (auto both = table.table("clamp", "how both ends are held")) {
    both->word("root", "how the root is held", clamp_words, clamps.root);
    both->word("tip", "how the tip is held", clamp_words, clamps.tip);
    both->finish();
  }
}

void read_components(TableReader& table, std::array<bool, 4>& components) {
  std::string letters = "xyz";
  table.text("components", "of what is held: any of x, y, z, and t for the twist of the edge that starts there",
             letters);
  components = {};
  for (const char letter : letters) {
    const std::size_t which = std::string_view("xyzt").find(letter);
    if (which == std::string_view::npos || components[which])
      return table.refuse(
          "components",
          fmt::format("components = '{}' must have each of the letters x, y, z, t at most once", letters));
    components[which] = true;
  }
  if (letters.empty()) table.refuse("components", "components must name at least one of x, y, z, t");
}

void read_holds(TableReader& owner, const fs::path& folder, const StrandSource& source,
                std::vector<HoldSettings>& holds) {
  for (TableReader& table : owner.tables("holds", "vertices that are held beside the clamps")) {
    HoldSettings hold;
    table.integer_or("strand", "all", "index from 0, or all", 0, no_limit, hold.strand);
    table.integer("vertex", "index from 0; negative: counted from the tip", -max_index, max_index, hold.vertex);
    read_components(table, hold.components);
    hold.motion = read_motion(table, "motion", "carries the held position; it stays if absent", folder);
    hold.twist = read_twist(table, "twist", "turns the held edge about itself");
    if (table.has("twist") && !hold.components[3]) table.refuse("twist", "twist needs the component t");
    check_vertex(table, source, hold.strand, hold.vertex, hold.components[3]);
    table.finish();
    holds.push_back(std::move(hold));
  }
}

void read_loads(TableReader& owner, const StrandSource& source, std::vector<LoadSettings>& loads) {
  for (TableReader& table : owner.tables("loads", "constant forces and torques")) {
    LoadSettings load;
    table.integer_or("strand", "all", "index from 0, or all", 0, no_limit, load.strand);
    table.integer("vertex", "index from 0; negative: counted from the tip", -max_index, max_index, load.vertex);
    table.vector3("force", "on the vertex", Dimension::force, load.force);
    table.quantity("torque", "about the edge that starts at the vertex", Dimension::torque, any_number, load.torque);
    check_vertex(table, source, load.strand, load.vertex, load.torque != 0.0);
    table.finish();
    loads.push_back(load);
  }
}

// "all", "every 10", a number, a groom file or an attribute of the groom.
void read_guides(TableReader& table, const fs::path& folder, StrandSet& set) {
  constexpr std::string_view key = "guides";
  const Value* value = table.value(key, "'all', 'every N', whole number, file or attribute",
                                   "which strands are simulated and carry the others: all, every n-th, so many spread "
                                   "over the roots, those of a groom file, or those that an attribute marks");
  if (value == nullptr) return;
  const auto refuse = [&](const std::string& what) {
    table.refuse(key, what + "; write \"all\", \"every 10\", a number of guides, a groom file or an attribute");
  };
  if (const auto* count = std::get_if<std::int64_t>(&value->held)) {
    if (*count < 1 || *count > max_scene_vertices) return refuse(fmt::format("guides = {} is out of range", *count));
    set.guides = GuideCount{int(*count)};
    return;
  }
  const auto* text = std::get_if<std::string>(&value->held);
  if (text == nullptr || text->empty()) return refuse("guides must be a text or a whole number");
  if (*text == "all") return;
  if (text->starts_with("every ") || *text == "every") {
    EveryNth every;
    const char *first = text->data() + std::min<std::size_t>(6, text->size()), *last = text->data() + text->size();
    while (first < last && *first == ' ') ++first;
    const auto [end, fault] = std::from_chars(first, last, every.n);
    if (fault != std::errc() || end != last || every.n < 1)
      return refuse(fmt::format("guides = '{}' is unclear", *text));
    set.guides = every;
    return;
  }
  const auto* source = std::get_if<GroomSource>(&set.source);
  if (!reads_groom(*text)) {
    if (source == nullptr)
      return refuse(fmt::format("'{}' is no groom file, and these strands have no attributes", *text));
    set.guides = GuideAttribute{*text};
    return;
  }
  GroomRequest request;
  if (source != nullptr) request = source->request;
  request.file = folder / *text, request.subsample = 1;
  Result<LoadedGroom> loaded = load_groom(request);
  if (!loaded) return table.refuse(key, fmt::format("guides: {}", loaded.error().message()));
  set.guides = GuideFile{request.file, std::make_shared<const Groom>(std::move(loaded.value().groom))};
}

void read_root_motion(TableReader& table, const fs::path& folder, StrandSet& set) {
  if (table.is_table_with("motion", "mesh")) set.root_mesh = read_mesh_motion(table, "motion", folder);
  if (!table.is_table_with("motion", "mesh") || table.describing())
    set.root_motion =
        read_motion(table, "motion", "of the root clamp; several parts act in the order of the list", folder);
}

void read_attraction(TableReader& owner, AttractionSettings& attraction) {
  auto table = owner.table("attraction", "draws the strands to the shape as drawn, carried along by its root");
  if (!table) return;
  std::optional<double> frequency;
  table->quantity("frequency", "at which a vertex would swing about its place, at the root", Dimension::frequency,
                  {0.0, 1e4}, frequency);
  if (!table->has("frequency")) table->missing("frequency", "write how strong it is, such as frequency = \"2 Hz\"");
  table->number("tip", "share of the frequency that is left at the tip; linear in between", {0.0, 1.0}, attraction.tip);
  table->number("damping", "share of the critical one, at which nothing swings", {0.0, 100.0}, attraction.damping);
  attraction.frequency = frequency.value_or(0.0);
  table->finish();
}

void read_helix(TableReader& owner, StrandSet& set) {
  auto table = owner.table("helix", "of super-helices: how many pieces of constant curvature and twist a strand has");
  if (!table) return;
  if (set.model != StrandModelKind::superhelix && !table->describing())
    owner.refuse("helix", "helix has the pieces of super-helices; write model = \"superhelix\", or leave it out");
  table->integer("bend1", "of bending towards the first semi-axis of the section", 1, most_helix_pieces,
                 set.helix.bend1);
  table->integer("bend2", "of bending towards the second one", 1, most_helix_pieces, set.helix.bend2);
  table->integer("twist", "of twisting", 1, most_helix_pieces, set.helix.twist);
  table->finish();
}

std::vector<Word<chain::Method>> chain_methods() {
  std::vector<Word<chain::Method>> words;
  for (const std::string_view name : chain::method_names()) words.push_back({name, *chain::method_named(name)});
  return words;
}

void read_chain(TableReader& owner, StrandSet& set) {
  auto table = owner.table("chain", "of chains: what their links and joints do, and how links get their lengths");
  if (!table) return;
  if (set.model != StrandModelKind::chain && !table->describing())
    owner.refuse("chain", "chain has the links and joints of chains; write model = \"chain\", or leave it out");
  table->number("bending", "share of the material's stiffness against bending; 0: limp", {0.0, 1e6}, set.links.bending);
  table->quantity_or(
      "compliance", "material",
      "how much longer every link becomes under a force; 0: it keeps its length; 'material': each as its "
      "section and stretch_young have it",
      Dimension::compliance, {0.0, 1e6}, set.links.compliance);
  table->boolean("slack", "links may become shorter: a rope that pulls and never pushes", set.links.slack);
  const auto methods = chain_methods();
  table->word<chain::Method>(
      "method",
      "how links get their lengths: by Newton's method, with two-stage steps beside it or without; to compare, "
      "of limp chains, two-stage steps, fast projection, sweeps over links, and corrections along old links",
      methods, set.links.method);
  table->quantity(
      "tolerance",
      "of how far points still go, over the mean link; of fast, pbd, xpbd and shake: of lengths; if absent a "
      "millionth of how far points fall in a step, at least 1e-12 and at most 1e-8",
      Dimension::none, {1e-14, 1.0}, set.links.tolerance);
  table->integer("max_iterations", "of a step; one that needs more is usable (on_tolerance); 0: as many as are usual",
                 0, 1'000'000, set.links.max_iterations);
  if (!table->describing())
    if (const auto why = chain::unfit_method(set.links, false)) table->refuse("method", *why);
  table->finish();
}

void read_inextensible(TableReader& owner, StrandSet& set) {
  auto table = owner.table("inextensible", "of rods whose edges keep their lengths: how they do so");
  if (!table) return;
  if (set.model != StrandModelKind::der_inextensible && !table->describing())
    owner.refuse("inextensible",
                 "inextensible is about edges that keep their lengths; write model = \"der-inextensible\", or leave it "
                 "out");
  table->word("method",
              "Newton's method on the equations of the step, or, to compare, fast projection of where the step leads "
              "without links",
              inextensible_methods, set.projection);
  table->finish();
}

// "touching", or the root of each strand that hangs on another.
void read_parents(TableReader& owner, StrandSet& set) {
  constexpr std::string_view key = "parent";
  if (owner.is_text(key)) {
    int chosen = 0;
    constexpr Word<int> words[] = {{"none", 0}, {"touching", 1}};
    owner.word(key, "makes trees of strands: every root that was drawn at a vertex of another strand hangs there",
               words, chosen);
    set.parents.touching = chosen == 1;
  }
  if (owner.is_text(key) && !owner.describing()) return;
  for (TableReader& table : owner.tables(key, "likewise, one by one: roots that are vertices of other strands")) {
    RootOnStrand root;
    table.integer("strand", "index from 0, whose root hangs on another strand", std::int64_t{0}, no_limit, root.strand);
    table.integer("of", "index from 0 of the strand that it hangs on", std::int64_t{0}, no_limit, root.of);
    table.integer("vertex", "of that strand, index from 0; negative: counted from the tip", -max_index, max_index,
                  root.vertex);
    check_vertex(table, set.source, root.strand, 0, false);
    check_vertex(table, set.source, root.of, root.vertex, false, "of");
    if (!table.has("strand"))
      table.missing("strand", "write which strand hangs on another, such as strand = 1");
    else if (!table.describing() && root.strand == root.of)
      table.refuse("of", "of names the strand itself");
    table.finish();
    set.parents.roots.push_back(root);
  }
}

void refuse_beside_parents(TableReader& table, const StrandSet& set) {
  if (table.describing() || !set.parents.any()) return;
  if (set.model != StrandModelKind::chain)
    table.refuse("parent",
                 "parent makes trees of chains; write model = \"chain\", or hold strands together by [[joints]]");
  if (std::holds_alternative<PreparedSource>(set.source))
    table.refuse("parent", "parent has no meaning for a prepared groom; give the groom itself as a source");
  if (const auto why = chain::unfit_method(set.links, true)) table.refuse("parent", *why);
  if (!std::holds_alternative<AllGuides>(set.guides))
    table.refuse("guides", "guides must be \"all\" where strands hang on each other");
  if (set.sag_free) table.refuse("rest", "rest = \"sag-free\" is for strands by themselves; leave out rest, or parent");
  if (set.clamps.tip != der::Clamp::free)
    table.refuse("clamp", "clamp holds the tips, but those of strands that hang on each other are free");
}

// Whether a model's way to a rest state reads this key of sag_free.
bool reads_sag_free(StrandModelKind model, std::string_view key) {
  switch (model) {
    case StrandModelKind::der: break;
    case StrandModelKind::der_inextensible: return key != "shortest" && key != "longest";
    case StrandModelKind::chain: return key == "mu";
    case StrandModelKind::superhelix:
    case StrandModelKind::corde: return false;
  }
  return true;
}

// Keys that the model has no use for.
void refuse_what_the_model_lacks(TableReader& table, const StrandSet& set) {
  if (table.describing()) return;
  const ModelTraits traits = tendril::traits(set.model);
  const auto refuse = [&](const char* key, const std::string& what) {
    table.refuse(key, fmt::format("model = '{}' {}", traits.name, what));
  };
  if (!traits.holds) {
    for (const char* key : {"holds", "tip_motion", "attraction"})
      if (table.has(key)) refuse(key, fmt::format("has no {}; 'der' and 'der-inextensible' have", key));
    if (set.clamps.tip != der::Clamp::free)
      refuse("clamp", "has its tip free; 'der' and 'der-inextensible' can clamp it");
  }
  if (!traits.free_roots && set.clamps.root == der::Clamp::free)
    refuse(table.has("clamp") ? "clamp" : "model", "has its root clamped; write clamp = \"point\" or \"edge\"");
  if (!traits.curvatures && table.has("curvature"))
    refuse("curvature", "measures bending in its own way; leave curvature out");
  for (const std::string_view key : sag_free_keys)
    if (!reads_sag_free(set.model, key) && table.is_table_with("sag_free", key))
      refuse("sag_free", fmt::format("has no use for {0} of sag_free; leave {0} out", key));
}

// What a prepared groom brings along may not be asked for again.
void refuse_what_is_prepared(TableReader& table, const StrandSource& source) {
  if (!std::holds_alternative<PreparedSource>(source) || table.describing()) return;
  for (const char* key : {"material", "curvature", "director", "rest", "sag_free", "rest_shape", "clamp"})
    if (table.has(key))
      table.refuse(key,
                   fmt::format("a prepared groom brings its own {0}; leave {0} out, or prepare it anew with tendril "
                               "sagfree",
                               key));
}

}  // namespace

void check_vertex(TableReader& table, const StrandSource& source, std::optional<std::int64_t> strand, int vertex,
                  bool with_edge, std::string_view key_of_strand) {
  const std::size_t strands = strand_count(source);
  if (table.describing() || table.failed() || strands == 0) return;
  if (strand && static_cast<std::size_t>(*strand) >= strands)
    return table.refuse(key_of_strand,
                        fmt::format("strand {} does not exist; there are {}, counted from 0", *strand, strands));
  // All strands of a generator are alike: then the first stands for all.
  const bool alike = std::holds_alternative<GeneratorOptions>(source);
  const std::size_t first = strand ? static_cast<std::size_t>(*strand) : 0;
  const std::size_t last = strand || alike ? first : strands - 1;
  for (std::size_t s = first; s <= last; ++s) {
    const auto vertices = static_cast<std::int64_t>(vertex_count(source, s));
    const std::int64_t place = vertex < 0 ? vertices + vertex : vertex;
    if (place < 0 || place >= vertices)
      return table.refuse("vertex",
                          fmt::format("vertex {} does not exist in strand {}, which has {}", vertex, s, vertices));
    if (with_edge && place == vertices - 1)
      return table.refuse("vertex", fmt::format("no edge starts at vertex {}, the last one of strand {}; use vertex -2 "
                                                "for the last edge",
                                                vertex, s));
  }
}

StrandSet read_strands(TableReader& table, const fs::path& folder, std::size_t index) {
  StrandSet set;
  set.name = index == 0 ? "strands" : fmt::format("strands{}", index + 1);
  table.text("name", "of this set of strands; no two sets have the same", set.name);
  set.source = read_source(table, folder);
  refuse_what_is_prepared(table, set.source);
  read_guides(table, folder, set);
  int solver = 0;
  table.word("model",
             "of a strand: discrete elastic rods, the same with edges that keep their lengths, super-helices, CoRdE "
             "rods, or chains of points",
             models, set.model);
  read_helix(table, set);
  read_chain(table, set);
  read_inextensible(table, set);
  read_parents(table, set);
  table.word("solver", "of its equations", solvers, solver);
  table.word("curvature", "how bending is measured", curvatures, set.curvature);
  const ChosenMaterial material = read_material(table, folder);
  set.preset = material.preset;
  set.material = material.values;
  set.radius_of_groom = !material.has_radius;
  set.radius_map = material.radius_map, set.young_map = material.young_map;
  table.vector3("director", "where the first semi-axis of the section points at the root; anywhere across if absent",
                Dimension::none, set.director);
  set.sag_free = read_sag_free(table);
  table.word("rest_shape", "shape at rest: as drawn, or without curvature and twist", rest_shapes, set.rest_shape);
  if (set.sag_free && set.rest_shape != RestShape::drawn)
    table.refuse("rest_shape", "rest = \"sag-free\" finds the rest shape by itself; leave out rest_shape");

  const auto* generator = std::get_if<GeneratorOptions>(&set.source);
  const bool is_hair =
      std::holds_alternative<GroomSource>(set.source) || (generator != nullptr && is_hairstyle(generator->kind));
  set.clamps.root = is_hair ? der::Clamp::edge : der::Clamp::point;
  read_clamps(table, set.clamps);
  if (const auto* prepared = std::get_if<PreparedSource>(&set.source); prepared != nullptr && prepared->groom) {
    set.curvature = prepared->groom->description.curvature;
    set.clamps = prepared->groom->description.clamps.front();
  }
  read_root_motion(table, folder, set);
  set.tip_motion = read_motion(table, "tip_motion", "of the tip clamp", folder);
  if (table.has("motion") && set.clamps.root == der::Clamp::free)
    table.refuse("motion", "motion moves the root clamp, but clamp is 'free'");
  if (table.has("tip_motion") && set.clamps.tip == der::Clamp::free)
    table.refuse("tip_motion", "tip_motion moves the tip clamp, but the tip is free; write clamp = { tip = \"edge\" }");
  read_attraction(table, set.attraction);
  set.friction_factor = read_friction_factor(table);
  read_holds(table, folder, set.source, set.holds);
  read_loads(table, set.source, set.loads);
  refuse_what_the_model_lacks(table, set);
  refuse_beside_parents(table, set);
  table.finish();
  return set;
}

}  // namespace tendril
