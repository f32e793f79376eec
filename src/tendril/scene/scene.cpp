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
#include "tendril/scene/read_contact.hpp"
#include "tendril/scene/read_joints.hpp"
#include "tendril/scene/read_probes.hpp"
#include "tendril/scene/read_source.hpp"
#include "tendril/scene/read_strands.hpp"
#include "tendril/scene/table_reader.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;

constexpr int max_frames = 10'000'000;

constexpr Word<RunMode> run_modes[] = {{"dynamic", RunMode::dynamic}, {"static", RunMode::statics}};
constexpr Word<TimeIntegrator> integrators[] = {{"euler", TimeIntegrator::euler}, {"bdf2", TimeIntegrator::bdf2}};
constexpr Word<OnTolerance> tolerance_answers[] = {
    {"accept", OnTolerance::accept}, {"retry", OnTolerance::retry}, {"stop", OnTolerance::stop}};
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
  table->word("mode", "motion over time, or equilibrium of each frame", run_modes, run.mode);
  read_length_of_run(*table, run);
  table->integer("substeps", "time steps per frame", 1, 1000000, run.substeps);
  table->word("integrator", "of the time steps", integrators, run.integrator);
  table->integer_or("newton", "converge", "iterations per pass, or to tolerance", 1, 1000000, run.newton);
  table->number("tolerance", "largest force residual, as a share of the load", {1e-14, 1.0}, run.tolerance);
  table->integer_or("passes", "converge", "1; or to tolerance, which is newton = 'converge'", 1, 1, run.passes);
  table->word("on_tolerance", "what to do with a step that stays above tolerance", tolerance_answers, run.on_tolerance);
  table->quantity("preroll", "time simulated before frame 1, with all motions held at their start", Dimension::time,
                  not_negative, run.preroll);
  refuse_what_would_do_nothing(*table, run);
  table->finish();
}

// ---- [[strands]] ----

void read_all_strands(TableReader& root, const fs::path& folder, const RunSettings& run, std::vector<StrandSet>& sets) {
  std::int64_t vertices = 0;
  for (TableReader& table : root.tables("strands", "sets of strands")) {
    sets.push_back(read_strands(table, folder, sets.size()));
    const auto same_name = [&](const StrandSet& set) { return set.name == sets.back().name; };
    if (std::ranges::count_if(sets, same_name) > 1)
      table.refuse("name", fmt::format("name '{}' is that of an earlier set of strands", sets.back().name));
    if (run.mode == RunMode::statics && sets.back().attraction.frequency > 0.0)
      table.refuse("attraction", "attraction is for motion; mode = \"static\" takes none");
    if (table.failed() || table.describing()) return;
    for (std::size_t s = 0; s < strand_count(sets.back().source) && vertices <= max_scene_vertices; ++s)
      vertices += static_cast<std::int64_t>(vertex_count(sets.back().source, s));
    if (vertices > max_scene_vertices)
      table.refuse("source",
                   fmt::format("the scene has more than the {} vertices that it may have", max_scene_vertices));
  }
}

// ---- [output] and the whole ----

constexpr std::string_view frame_channels[] = {"velocity", "strain", "director", "contact", "tension"};
constexpr std::string_view export_formats[] = {"usda", "pvd", "pc2", "hair", "data", "ply", "obj", "vtp"};

// A list of names out of `known`.
void read_names(TableReader& table, const char* key, const std::string& help, std::span<const std::string_view> known,
                std::vector<std::string>& names) {
  const std::string list_of_known = fmt::format("{}", fmt::join(known, ", "));
  const Value* value = table.value(key, "list of texts", help + ": " + list_of_known);
  if (value == nullptr) return;
  const std::string no_list = fmt::format("{} must be a list of texts", key);
  const auto* list = std::get_if<ValueArray>(&value->held);
  if (list == nullptr) return table.refuse(key, no_list);
  names.clear();
  for (const Value& entry : *list) {
    const auto* name = std::get_if<std::string>(&entry.held);
    if (name == nullptr) return table.refuse_at(entry.place, no_list);
    if (std::ranges::find(known, *name) == known.end())
      return table.refuse_at(entry.place, fmt::format("'{}' is not one of the {}{}; there are {}", *name, key,
                                                      did_you_mean(*name, known), list_of_known));
    names.push_back(*name);
  }
}

// The pose between frames is that of a time step.
void read_shutter(TableReader& table, const RunSettings& run, double& shutter) {
  table.number(
      "shutter",
      "share of a frame after which a second pose of each frame is written, for motion blur; a whole number of "
      "time steps; 0 = none",
      {0.0, 1.0}, shutter);
  if (table.describing() || table.failed() || shutter == 0.0) return;
  const double steps = shutter * run.substeps;
  if (std::abs(steps - std::round(steps)) > 1e-9 || steps >= run.substeps)
    table.refuse("shutter",
                 fmt::format("shutter must be below 1 and a multiple of 1/{}, the time steps of a frame; more "
                             "substeps allow other values",
                             run.substeps));
  if (run.mode == RunMode::statics) table.refuse("shutter", "mode = \"static\" has nothing between its frames");
}

void read_output(TableReader& root, const RunSettings& run, OutputSettings& output) {
  auto table = root.table("output", "what is written");
  if (!table) return;
  table->text("dir", "folder for the frames; chosen by the command line if absent", output.dir);
  table->integer("every", "writes frame 1 and each n-th one after it", 1, max_frames, output.every);
  table->quantity("checkpoint", "time of work, as the clock shows it, after which a checkpoint is written",
                  Dimension::time, not_negative, output.checkpoint);
  table->integer("start_frame", "number of the first frame, in names of files and in reports", 1, 100'000'000,
                 output.start_frame);
  read_shutter(*table, run, output.shutter);
  read_names(*table, "channels", "what frames hold beside positions and radii (default: all)", frame_channels,
             output.channels);
  read_names(*table, "formats", "written from the cache when the run has finished", export_formats, output.formats);
  table->finish();
}

// What [run] asks of a model that lacks it.
void check_models(TableReader& root, const RunSettings& run, const std::vector<StrandSet>& sets) {
  if (root.describing() || root.failed()) return;
  for (const StrandSet& set : sets) {
    const ModelTraits traits = tendril::traits(set.model);
    const auto refuse = [&](const std::string& what) {
      root.refuse("run", fmt::format("model = '{}' of '{}' {}", traits.name, set.name, what));
    };
    if (!traits.iterates && (run.newton != 1 || run.passes != 1))
      refuse("takes one linear solve per step; leave newton and passes at 1, and take more substeps");
    if (!traits.bdf2 && run.integrator == TimeIntegrator::bdf2) refuse("has no BDF2; write integrator = \"euler\"");
    if (set.model == StrandModelKind::chain && set.links.method == chain::Method::shake &&
        run.integrator == TimeIntegrator::bdf2)
      refuse("with method = 'shake' is an integrator by itself; write integrator = \"euler\"");
    if (!traits.statics && run.mode == RunMode::statics)
      refuse("has no statics; write mode = \"dynamic\" and let it come to rest by its damping");
    if (!traits.air && run.air.density > 0.0) refuse("has no drag of the air; leave air out");
  }
}

// Whether there is anything above which a step could stay.
void check_tolerance(TableReader& root, const RunSettings& run, const std::vector<StrandSet>& sets) {
  const bool may_touch = root.has("contact") || root.has("colliders") || root.has("joints");
  if (root.describing() || root.failed() || run.mode == RunMode::statics || may_touch) return;
  if (!run.newton || run.on_tolerance != OnTolerance::stop) return;
  const auto traits_of = [](const StrandSet& set) { return traits(set.model); };
  if (std::ranges::any_of(sets, &ModelTraits::judges_steps, traits_of)) return;
  const bool can_iterate = std::ranges::all_of(sets, &ModelTraits::iterates, traits_of);
  if (auto table = root.table("run", ""))
    table->refuse("on_tolerance", can_iterate
                                      ? "a fixed number of newton iterations has no tolerance to stop at; write "
                                        "newton = \"converge\""
                                      : "one linear solve per step has no tolerance to stop at; leave "
                                        "on_tolerance out");
}

Scene read_root(ReadContext& context, const fs::path& folder) {
  Scene scene;
  TableReader root(context, context.document == nullptr ? nullptr : &context.document->root, "");
  scene.folder = fs::absolute(folder.empty() ? fs::path(".") : folder).lexically_normal();
  root.not_built("bodies");
  read_run(root, scene.run);
  read_all_strands(root, folder, scene.run, scene.strands);
  check_models(root, scene.run, scene.strands);
  check_tolerance(root, scene.run, scene.strands);
  scene.colliders = read_colliders(root, folder, scene.strands);
  scene.contact = read_contact(root, scene.strands, scene.colliders);
  read_joints(root, scene.strands, scene.joints, scene.point_joints);
  if (scene.run.mode == RunMode::statics && !root.describing() &&
      (scene.contact.law != ContactLaw::none || !scene.point_joints.empty()))
    root.refuse(root.has("contact")     ? "contact"
                : root.has("colliders") ? "colliders"
                                        : "joints",
                "contact and joints act on moving strands; mode = \"static\" takes none");
  scene.probes = read_probes(root, scene.strands);
  read_output(root, scene.run, scene.output);
  root.finish();
  if (!root.describing() && scene.strands.empty())
    root.refuse("strands", "there are no strands; write at least one [[strands]]");
  return scene;
}

// The curves that are in hand; nullptr if they are still to be made.
const Curves* curves_of(const StrandSource& source) {
  if (const auto* groom = std::get_if<GroomSource>(&source))
    return groom->loaded ? &groom->loaded->groom.curves : nullptr;
  if (const auto* prepared = std::get_if<PreparedSource>(&source))
    return prepared->groom ? &prepared->groom->groom.curves : nullptr;
  return std::get_if<Curves>(&source);
}

template <class T>
void add_values(const std::vector<T>& values, Hash& hash) {
  hash.word(values.size()).bytes(std::as_bytes(std::span(values)));
}

void add_keys(const Motion& motion, Hash& hash) {
  for (const MotionPart& part : motion.parts())
    if (const auto* keyed = std::get_if<KeyedMotion>(&part))
      for (const double time : keyed->times) {
        const Pose pose = pose_at(part, time);
        hash.number(time);
        for (int c = 0; c < 3; ++c) hash.number(pose.translation[c]);
        for (int c = 0; c < 4; ++c) hash.number(pose.rotation.coeffs()[c]);
      }
}

void add_groom(const Groom& groom, Hash& hash) {
  add_values(groom.curves.points, hash), add_values(groom.curves.offsets, hash), add_values(groom.radius, hash);
  for (const GroomAttribute& attribute : groom.attributes) {
    hash.word(attribute.name.size()).bytes(std::as_bytes(std::span(attribute.name)));
    hash.word(std::uint64_t(attribute.components)).word(attribute.per_vertex);
    add_values(attribute.values, hash);
  }
}

void add_mesh(const MeshSequence& mesh, Hash& hash) {
  hash.number(mesh.fps).number(mesh.start);
  add_values(mesh.triangles, hash);
  for (const auto& frame : mesh.frames) add_values(frame, hash);
}

void add_files(const ColliderSettings& collider, Hash& hash) {
  if (const auto* mesh = std::get_if<std::shared_ptr<const TriangleMesh>>(&collider.shape))
    add_values((*mesh)->points, hash), add_values((*mesh)->triangles, hash);
  add_keys(collider.motion, hash);
  if (collider.mesh) add_mesh(*collider.mesh, hash);
}

// What files hold counts, wherever they are.
void add_files(const StrandSet& set, Hash& hash) {
  if (const auto* groom = std::get_if<GroomSource>(&set.source); groom != nullptr && groom->loaded)
    add_groom(groom->loaded->groom, hash);
  if (const auto* prepared = std::get_if<PreparedSource>(&set.source)) hash.word(prepared->hash);
  if (const auto* guides = std::get_if<GuideFile>(&set.guides); guides != nullptr && guides->groom)
    add_groom(*guides->groom, hash);
  for (const auto* map : {&set.radius_map, &set.young_map})
    if (*map)
      for (const ValueMap::Row& row : (*map)->rows)
        hash.word(row.strand), hash.number(row.position), hash.number(row.value);
  add_keys(set.root_motion, hash), add_keys(set.tip_motion, hash);
  for (const HoldSettings& hold : set.holds) add_keys(hold.motion, hash);
  if (set.root_mesh) add_mesh(*set.root_mesh, hash);
}

std::uint64_t result_hash(Document document, const Scene& scene) {
  auto& root = std::get<ValueTable>(document.root.held);
  std::erase_if(root, [](const Entry& entry) { return entry.key == "output" || entry.key == "probes"; });
  for (Entry& entry : root)
    if (auto* table = std::get_if<ValueTable>(&entry.value.held); table != nullptr && entry.key == "run")
      std::erase_if(*table, [](const Entry& key) { return key.key == "threads" || key.key == "name"; });
  const std::string text = to_toml(document, true);
  Hash hash;
  hash.bytes(std::as_bytes(std::span(text)));
  for (const StrandSet& set : scene.strands) add_files(set, hash);
  for (const ColliderSettings& collider : scene.colliders) add_files(collider, hash);
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

Groom make_groom(const StrandSource& source, std::uint64_t seed) {
  if (const auto* groom = std::get_if<GroomSource>(&source)) return groom->loaded->groom;
  if (const auto* prepared = std::get_if<PreparedSource>(&source)) return prepared->groom->groom;
  Groom made;
  const auto* options = std::get_if<GeneratorOptions>(&source);
  made.curves = options != nullptr ? generate(*options, seed) : std::get<Curves>(source);
  return made;
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
