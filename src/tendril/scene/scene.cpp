#include "tendril/scene/scene.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tendril/base/hash.hpp"
#include "tendril/base/text.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/scene/document.hpp"
#include "tendril/scene/read_material.hpp"
#include "tendril/scene/read_motion.hpp"
#include "tendril/scene/read_source.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t no_limit = std::numeric_limits<std::int64_t>::max();
constexpr int max_frames = 10'000'000, max_index = 1'000'000;

constexpr Word<RunMode> run_modes[] = {{"dynamic", RunMode::dynamic}, {"static", RunMode::statics}};
constexpr Word<TimeIntegrator> integrators[] = {{"euler", TimeIntegrator::euler}, {"bdf2", TimeIntegrator::bdf2}};
constexpr Word<OnTolerance> tolerance_answers[] = {
    {"accept", OnTolerance::accept}, {"retry", OnTolerance::retry}, {"stop", OnTolerance::stop}};
constexpr Word<RestShape> rest_shapes[] = {{"drawn", RestShape::drawn}, {"straight", RestShape::straight}};
constexpr Word<der::Clamp> clamp_words[] = {
    {"edge", der::Clamp::edge}, {"point", der::Clamp::point}, {"free", der::Clamp::free}};
constexpr Word<der::Curvature> curvatures[] = {{"4d", der::Curvature::four},
                                               {"2d-averaged", der::Curvature::averaged},
                                               {"2d-slerped", der::Curvature::slerped},
                                               {"2d-slerped-approximate", der::Curvature::slerped_approximate}};
// Words of which only the first is built: the scene need not remember the choice.
constexpr Word<int> models[] = {{"der", 0},
                                {"der-inextensible", 1, false},
                                {"cosserat", 2, false},
                                {"superhelix", 3, false},
                                {"corde", 4, false},
                                {"chain", 5, false},
                                {"particles", 6, false}};
constexpr Word<int> solvers[] = {{"newton", 0},      {"qn", 1, false},  {"pd", 2, false}, {"admm", 3, false},
                                 {"xpbd", 4, false}, {"pbd", 5, false}, {"vbd", 6, false}};
constexpr Word<int> rests[] = {{"naive", 0}, {"sag-free", 1, false}};

template <class E, std::size_t N>
void read_word(TableReader& table, std::string_view key, std::string_view meaning, const Word<E> (&words)[N], E& out) {
  table.word<E>(key, meaning, words, out);
}

// ---- [run] ----

void read_length_of_run(TableReader& table, RunSettings& run) {
  std::optional<double> duration;
  table.quantity("duration", "simulated time, up to the next whole frame; or frames", Dimension::time, positive,
                 duration);
  table.integer("frames", "frames after the first one, which is the start pose; or duration", 1, max_frames,
                run.frames);
  table.number("fps", "frames per second", {1e-3, 1e6}, run.fps);
  if (table.failed() || table.describing()) return;
  if (duration && table.has("frames")) return table.refuse("frames", "write either duration or frames, not both");
  if (duration) {
    const double frames = std::ceil(*duration * run.fps - 1e-6);
    if (!(frames <= max_frames))
      return table.refuse("duration", fmt::format("duration of {} s at {} frames per second is more than {} frames",
                                                  *duration, run.fps, max_frames));
    run.frames = std::max(static_cast<int>(frames), 1);
  } else if (!table.has("frames") && run.mode == RunMode::dynamic) {
    table.missing("duration", "write how long to run, such as duration = \"2 s\" or frames = 120");
  }
}

// Keys that are right by themselves, but have no effect together with others.
void refuse_what_would_do_nothing(TableReader& table, const RunSettings& run) {
  if (table.describing() || table.failed()) return;
  const bool is_static = run.mode == RunMode::statics;
  if (!run.wind.isZero(0.0) && run.air.density == 0.0)
    table.refuse("wind", "wind has no effect without air; write air = { density = \"1.2 kg/m3\" } too");
  if (is_static && run.air.density > 0.0)
    table.refuse("air", "air acts on moving strands only; mode = \"static\" takes none");
  if (is_static && run.preroll > 0.0) table.refuse("preroll", "preroll is for motion; mode = \"static\" takes none");
  if (!is_static && run.newton && run.on_tolerance == OnTolerance::stop)
    table.refuse("on_tolerance",
                 "a fixed number of newton iterations has no tolerance to stop at; write newton = "
                 "\"converge\"");
}

void read_run(TableReader& root, RunSettings& run) {
  auto table = root.table("run", "how the scene is run");
  if (!table) return root.missing("[run]", "write at least [run] and duration = \"2 s\"");
  table->text("name", "of the scene; the name of its folder or file if absent", run.name);
  table->integer<std::uint64_t>("seed", "of everything random", 0, std::numeric_limits<std::int64_t>::max(), run.seed);
  table->integer("threads", "0 = one per core", 0, 4096, run.threads);
  table->vector3("gravity", "acceleration of everything", Dimension::acceleration, run.gravity);
  table->vector3("wind", "velocity of the air", Dimension::speed, run.wind);
  if (auto air = table->table("air", "drag of the air on each segment, as on a cylinder")) {
    air->quantity("density", "0 = no air; \"1.2 kg/m3\" at room temperature", Dimension::density, not_negative,
                  run.air.density);
    air->number("normal", "drag coefficient across the strand, on its diameter", not_negative, run.air.normal);
    air->number("tangential", "drag coefficient along the strand, on its circumference", not_negative,
                run.air.tangential);
    air->finish();
  }
  read_word(*table, "mode", "motion over time, or equilibrium of each frame", run_modes, run.mode);
  read_length_of_run(*table, run);
  table->integer("substeps", "time steps per frame", 1, 1000000, run.substeps);
  read_word(*table, "integrator", "of the time steps", integrators, run.integrator);
  table->integer_or("newton", "converge", "iterations per pass, or to tolerance", 1, 1000000, run.newton);
  table->number("tolerance", "largest force residual, as a share of the load", {1e-14, 1.0}, run.tolerance);
  table->integer_or("passes", "converge", "passes per time step, or to tolerance", 1, 1, run.passes);
  read_word(*table, "on_tolerance", "what to do with a step that stays above tolerance", tolerance_answers,
            run.on_tolerance);
  table->quantity("preroll", "time simulated before frame 1, with all motions held at their start", Dimension::time,
                  not_negative, run.preroll);
  refuse_what_would_do_nothing(*table, run);
  table->finish();
}

// ---- [[strands]] ----

void read_clamps(TableReader& table, der::Clamps& clamps) {
  constexpr std::string_view meaning =
      "how the root is held: its first edge (grooms and hairstyles if absent), its first point and the direction there "
      "(rods if absent), or not";
  if (!table.is_table("clamp") || table.describing()) read_word(table, "clamp", meaning, clamp_words, clamps.root);
  if (!table.is_table("clamp")) return;
  if (auto both = table.table("clamp", "how both ends are held")) {
    read_word(*both, "root", "how the root is held", clamp_words, clamps.root);
    read_word(*both, "tip", "how the tip is held", clamp_words, clamps.tip);
    both->finish();
  }
}

void check_vertex(TableReader& table, const StrandSource& source, std::optional<std::int64_t> strand, int vertex,
                  bool with_edge) {
  const std::size_t strands = strand_count(source);
  if (table.describing() || table.failed() || strands == 0) return;
  if (strand && static_cast<std::size_t>(*strand) >= strands)
    return table.refuse("strand",
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

StrandSet read_strands(TableReader& table, const fs::path& folder, std::size_t index) {
  StrandSet set;
  set.name = index == 0 ? "strands" : fmt::format("strands{}", index + 1);
  table.text("name", "of this set of strands; no two sets have the same", set.name);
  set.source = read_source(table, folder);
  std::string guides = "all";
  table.text("guides", "which strands are simulated: all", guides);
  if (guides != "all") table.refuse("guides", fmt::format("guides '{}' is not built yet; there is 'all'", guides));
  int model = 0, solver = 0, rest = 0;
  read_word(table, "model", "of a strand: discrete elastic rods", models, model);
  read_word(table, "solver", "of its equations", solvers, solver);
  read_word(table, "curvature", "how bending is measured", curvatures, set.curvature);
  const ChosenMaterial material = read_material(table);
  set.preset = material.preset;
  set.material = material.values;
  set.radius_of_groom = !material.has_radius;
  table.vector3("director", "where the first semi-axis of the section points at the root; anywhere across if absent",
                Dimension::none, set.director);
  read_word(table, "rest", "how the rest state is found: naive takes the drawn shape for it", rests, rest);
  read_word(table, "rest_shape", "shape at rest: as drawn, or without curvature and twist", rest_shapes,
            set.rest_shape);

  const auto* generator = std::get_if<GeneratorOptions>(&set.source);
  const bool is_hair =
      std::holds_alternative<GroomSource>(set.source) || (generator != nullptr && is_hairstyle(generator->kind));
  set.clamps.root = is_hair ? der::Clamp::edge : der::Clamp::point;
  read_clamps(table, set.clamps);
  set.root_motion =
      read_motion(table, "motion", "of the root clamp; several parts act in the order of the list", folder);
  set.tip_motion = read_motion(table, "tip_motion", "of the tip clamp", folder);
  if (table.has("motion") && set.clamps.root == der::Clamp::free)
    table.refuse("motion", "motion moves the root clamp, but clamp is 'free'");
  if (table.has("tip_motion") && set.clamps.tip == der::Clamp::free)
    table.refuse("tip_motion", "tip_motion moves the tip clamp, but the tip is free; write clamp = { tip = \"edge\" }");
  read_holds(table, folder, set.source, set.holds);
  read_loads(table, set.source, set.loads);
  table.finish();
  return set;
}

void read_all_strands(TableReader& root, const fs::path& folder, std::vector<StrandSet>& sets) {
  std::int64_t vertices = 0;
  for (TableReader& table : root.tables("strands", "sets of strands")) {
    sets.push_back(read_strands(table, folder, sets.size()));
    const auto same_name = [&](const StrandSet& set) { return set.name == sets.back().name; };
    if (std::ranges::count_if(sets, same_name) > 1)
      table.refuse("name", fmt::format("name '{}' is that of an earlier set of strands", sets.back().name));
    if (table.failed() || table.describing()) return;
    for (std::size_t s = 0; s < strand_count(sets.back().source) && vertices <= max_scene_vertices; ++s)
      vertices += static_cast<std::int64_t>(vertex_count(sets.back().source, s));
    if (vertices > max_scene_vertices)
      table.refuse("source",
                   fmt::format("the scene has more than the {} vertices that it may have", max_scene_vertices));
  }
}

// ---- [output] and the whole ----

constexpr std::string_view export_formats[] = {"usda", "pvd", "pc2", "hair", "data", "ply", "obj", "vtp"};

void read_formats(TableReader& table, std::vector<std::string>& formats) {
  const std::string known = fmt::format("{}", fmt::join(export_formats, ", "));
  const Value* value =
      table.value("formats", "list of texts", "written from the cache when the run has finished: " + known);
  if (value == nullptr) return;
  const auto* list = std::get_if<ValueArray>(&value->held);
  if (list == nullptr) return table.refuse("formats", "formats must be a list of texts");
  for (const Value& format : *list) {
    const auto* name = std::get_if<std::string>(&format.held);
    if (name == nullptr) return table.refuse_at(format.place, "formats must be a list of texts");
    if (std::ranges::find(export_formats, *name) == std::end(export_formats))
      return table.refuse_at(format.place, fmt::format("format '{}' is unknown{}; there are {}", *name,
                                                       did_you_mean(*name, export_formats), known));
    formats.push_back(*name);
  }
}

void read_output(TableReader& root, OutputSettings& output) {
  auto table = root.table("output", "what is written");
  if (!table) return;
  table->text("dir", "folder for the frames; chosen by the command line if absent", output.dir);
  table->integer("every", "writes frame 1 and each n-th one after it", 1, max_frames, output.every);
  table->quantity("checkpoint", "time of work, as the clock shows it, after which a checkpoint is written",
                  Dimension::time, not_negative, output.checkpoint);
  read_formats(*table, output.formats);
  table->finish();
}

Scene read_root(ReadContext& context, const fs::path& folder) {
  Scene scene;
  TableReader root(context, context.document == nullptr ? nullptr : &context.document->root, "");
  for (const char* key : {"contact", "colliders", "bodies", "joints", "probes"}) root.not_built(key);
  read_run(root, scene.run);
  read_all_strands(root, folder, scene.strands);
  read_output(root, scene.output);
  root.finish();
  if (!root.describing() && scene.strands.empty())
    root.refuse("strands", "there are no strands; write at least one [[strands]]");
  return scene;
}

// The curves that are in hand; nullptr if they are still to be made.
const Curves* curves_of(const StrandSource& source) {
  if (const auto* groom = std::get_if<GroomSource>(&source))
    return groom->loaded ? &groom->loaded->groom.curves : nullptr;
  return std::get_if<Curves>(&source);
}

std::uint64_t result_hash(Document document, const Scene& scene) {
  auto& root = std::get<ValueTable>(document.root.held);
  std::erase_if(root, [](const Entry& entry) { return entry.key == "output"; });
  for (Entry& entry : root)
    if (auto* table = std::get_if<ValueTable>(&entry.value.held); table != nullptr && entry.key == "run")
      std::erase_if(*table, [](const Entry& key) { return key.key == "threads" || key.key == "name"; });
  const std::string text = to_toml(document, true);
  Hash hash;
  hash.bytes(std::as_bytes(std::span(text)));
  for (const StrandSet& set : scene.strands) {  // what files hold counts, wherever they are
    if (const Curves* curves = curves_of(set.source)) hash.bytes(std::as_bytes(std::span(curves->points)));
    for (const Motion* motion : {&set.root_motion, &set.tip_motion})
      for (const MotionPart& part : motion->parts())
        if (const auto* keyed = std::get_if<KeyedMotion>(&part))
          for (const double time : keyed->times) {
            const Pose pose = pose_at(part, time);
            hash.number(time);
            for (int c = 0; c < 3; ++c) hash.number(pose.translation[c]);
            for (int c = 0; c < 4; ++c) hash.number(pose.rotation.coeffs()[c]);
          }
  }
  return hash.value();
}

}  // namespace

std::size_t strand_count(const StrandSource& source) {
  if (const Curves* curves = curves_of(source)) return curves->strands();
  return static_cast<std::size_t>(std::get<GeneratorOptions>(source).count);
}

std::size_t vertex_count(const StrandSource& source, std::size_t strand) {
  if (const Curves* curves = curves_of(source)) return curves->vertices(strand);
  return static_cast<std::size_t>(std::get<GeneratorOptions>(source).vertices);
}

Curves make_curves(const StrandSource& source, std::uint64_t seed) {
  if (const Curves* curves = curves_of(source)) return *curves;
  return generate(std::get<GeneratorOptions>(source), seed);
}

Result<Scene> parse_scene(std::string_view text, const fs::path& filename, const std::vector<std::string>& overrides) {
  auto document = parse_document(text, filename.string());
  if (!document) return document.error();
  for (const std::string& assignment : overrides)
    if (const Status status = override_value(assignment, document.value()); !status) return status.error();
  ReadContext context{&document.value(), {}, {}};
  Scene scene = read_root(context, filename.parent_path());
  if (context.error) return *context.error;
  scene.text = to_toml(document.value());
  scene.hash = result_hash(std::move(document.value()), scene);
  return scene;
}

Result<Scene> read_scene(const fs::path& path, const std::vector<std::string>& overrides) {
  const auto text = read_text(path);
  if (!text) return text.error();
  auto scene = parse_scene(text.value(), path, overrides);
  if (scene && scene.value().run.name.empty()) {
    const fs::path absolute = fs::absolute(path);
    scene.value().run.name = (path.stem() == "scene" ? absolute.parent_path().filename() : path.stem()).string();
  }
  return scene;
}

std::string schema_text() {
  ReadContext context;
  read_root(context, {});
  // Table by table, in the order in which they were first met; keys that several branches read stand once.
  struct Section {
    std::string heading, body;
  };
  std::vector<Section> sections;
  const auto& lines = context.schema;
  for (const SchemaLine& head : lines) {
    if (!head.key.empty()) continue;
    Section section{fmt::format("{}    {}\n", head.table, head.meaning), ""};
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const SchemaLine& line = lines[i];
      const auto same = [&](const SchemaLine& other) {
        return other.table == line.table && other.key == line.key && other.type == line.type;
      };
      if (line.table != head.table || line.key.empty() ||
          std::find_if(lines.begin(), lines.end(), same) < lines.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      const std::string unit = line.unit.empty() ? "" : fmt::format(" [{}]", line.unit);
      const std::string fallback = line.fallback.empty() ? "" : fmt::format(", default {}", line.fallback);
      section.body +=
          fmt::format("  {:<17} {}\n  {:<17}   {}{}{}\n", line.key, line.meaning, "", line.type, unit, fallback);
    }
    const auto alike = std::ranges::find(sections, section.body, &Section::body);
    if (alike != sections.end())
      section = {section.heading,
                 fmt::format("  the same keys as {}\n", alike->heading.substr(0, alike->heading.find(' ')))};
    sections.push_back(std::move(section));
  }
  std::string text =
      "A plain number is in the SI unit that stands in brackets; a text may have another, as in \"25 cm\".\n";
  for (const Section& section : sections) text += "\n" + section.heading + section.body;
  return text;
}

}  // namespace tendril
