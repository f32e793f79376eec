#include "tendril/scene/read_source.hpp"

#include <fmt/format.h>

#include <numbers>

#include "tendril/base/hash.hpp"
#include "tendril/io/atomic_file.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

// Beyond any rod or head, and far from where squares overflow.
constexpr Interval some_length{0.0, 1000.0, true}, some_length_or_none{0.0, 1000.0}, some_count{0.0, 1e6};

constexpr Word<GeneratorKind> kinds[] = {
    {"straight", GeneratorKind::straight},
    {"wavy", GeneratorKind::wavy},
    {"curly", GeneratorKind::curly},
    {"afro", GeneratorKind::afro},
    {"ponytail", GeneratorKind::ponytail},
    {"fringe", GeneratorKind::fringe},
    {"horizontal", GeneratorKind::horizontal},
    {"vertical", GeneratorKind::vertical},
    {"helix", GeneratorKind::helix},
    {"coil", GeneratorKind::coil},
    {"ring", GeneratorKind::ring},
    {"knot", GeneratorKind::knot},
    {"tress", GeneratorKind::tress},
};

void read_head(TableReader& table, Head& head) {
  table.vector3("head_centre", "of the ellipsoid that is the head; hairstyles only", Dimension::length, head.centre);
  if (table.is_plain("head_radius")) {
    double radius = head.radii.x();
    table.quantity("head_radius", "of a round head", Dimension::length, some_length, radius);
    head.radii.setConstant(radius);
  }
  if (table.is_list("head_radius")) {
    if (table.describing()) head = Head{};
    table.vector3("head_radius", "half the width, height and depth of the head", Dimension::length, head.radii);
    if (head.radii.minCoeff() <= 0.0 || head.radii.maxCoeff() > 1000.0)
      table.refuse("head_radius", "head_radius must have three lengths above 0 m and at most 1000 m");
  }
  table.number("hairline", "height of the hairline above the brow, as a share of the head's", {0.0, 0.8},
               head.hairline);
}

void read_hairstyle(TableReader& table, GeneratorOptions& options) {
  table.number("length_variation", "strands are shorter by up to this share", {0.0, 0.9}, options.length_variation);
  table.quantity("curl_radius", "of the helix that a strand winds on", Dimension::length, some_length_or_none,
                 options.curl_radius);
  table.number("curl_turns", "turns of that helix over the length", some_count, options.curl_turns);
  table.quantity("wave_amplitude", "of waves to the side", Dimension::length, some_length_or_none,
                 options.wave_amplitude);
  table.number("waves", "number of waves over the length", some_count, options.waves);
  table.number("clump", "0 = each strand for itself, 1 = the strands of a lock meet", {0.0, 1.0}, options.clump);
  table.integer("clump_size", "strands per lock", 1, 1000000, options.clump_size);
  table.quantity("noise", "how far strands stray from their course", Dimension::length, some_length_or_none,
                 options.noise);
  table.quantity("lift", "thickness of the hair over the head", Dimension::length, some_length_or_none, options.lift);
  read_head(table, options.head);

  const double wound = 2.0 * std::numbers::pi * options.curl_radius * options.curl_turns;
  if (wound >= options.length)
    table.refuse("curl_radius", fmt::format("{} turns with curl_radius {} m need {:.3g} m of hair, but length is {} m",
                                            options.curl_turns, options.curl_radius, wound, options.length));
}

void read_rod(TableReader& table, GeneratorOptions& options) {
  const bool winds = options.kind == GeneratorKind::helix || options.kind == GeneratorKind::coil;
  const bool is_ring = options.kind == GeneratorKind::ring, is_tress = options.kind == GeneratorKind::tress;
  if (winds || is_ring || is_tress || table.describing())
    table.quantity("radius", "of helix, coil, ring and tress", Dimension::length, some_length, options.radius);
  if (winds || is_ring || table.describing())
    table.number("turns", "of helix, coil and ring", {0.0, 1e6, true}, options.turns);
  if (winds || table.describing())
    table.quantity("pitch", "of helix and coil: way along the axis per turn", Dimension::length, some_length_or_none,
                   options.pitch);
  table.vector3("axis", "direction of straight rods, axis of the others; not of hairstyles", Dimension::none,
                options.axis);
  table.vector3("origin", "root of a straight rod or of a tress, centre of the others", Dimension::length,
                options.origin);
  if (!is_tress)
    table.vector3("spacing", "from one of several equal rods to the next", Dimension::length, options.spacing);
  if (!(options.axis.norm() > 0.0)) table.refuse("axis", "axis must be a direction, but its length is 0");
  if (!is_tress && options.count > 1 && !(options.spacing.norm() > 0.0))
    table.refuse("spacing", "spacing must not be 0: the rods would lie in each other");
}

GeneratorOptions read_generator(TableReader& table) {
  GeneratorKind kind = GeneratorKind::curly;
  table.word<GeneratorKind>("generator", "makes strands by rule", kinds, kind);
  GeneratorOptions options = default_options(kind);
  table.integer("count", "number of strands; defaults are those of the generator", 1, 100000000, options.count);
  table.integer("vertices", "per strand", 2, 1000000, options.vertices);
  const bool has_length = kind != GeneratorKind::helix && kind != GeneratorKind::coil && kind != GeneratorKind::ring;
  if (has_length)
    table.quantity("length", "of a strand, along its curl", Dimension::length, some_length, options.length);
  if (is_hairstyle(kind)) read_hairstyle(table, options);
  if (table.describing()) options = default_options(GeneratorKind::helix);
  if (!is_hairstyle(kind) || table.describing()) read_rod(table, options);
  if (std::int64_t{options.count} * options.vertices > max_scene_vertices)
    table.refuse("count", fmt::format("{} strands of {} vertices are more than the {} vertices that a scene may have",
                                      options.count, options.vertices, max_scene_vertices));
  return options;
}

Curves read_points(TableReader& table) {
  std::vector<std::vector<Vector3d>> lines;
  table.polylines("points", "strands written out, root first; a single strand needs no outer list", lines);
  Curves curves;
  for (std::size_t s = 0; s < lines.size(); ++s) {
    const auto& line = lines[s];
    if (line.size() < 2)
      table.refuse("points", fmt::format("strand {} has {} vertices; it needs at least 2", s, line.size()));
    for (std::size_t v = 1; v < line.size(); ++v)
      if (line[v] == line[v - 1])
        table.refuse("points", fmt::format("vertices {} and {} of strand {} coincide", v - 1, v, s));
    curves.points.insert(curves.points.end(), line.begin(), line.end());
    curves.offsets.push_back(curves.points.size());
  }
  return curves;
}

constexpr Word<UpAxis> axes[] = {{"Y", UpAxis::y}, {"Z", UpAxis::z}};

GroomSource read_file(TableReader& table, const std::filesystem::path& folder) {
  GroomSource source;
  std::string file;
  std::optional<double> scale;
  table.text("file", "a groom: .hair .data .tfx .usda .ply .obj, or a frame of a run", file);
  table.quantity("scale", "metres per unit of the groom; what the file says, or else 1, if absent", Dimension::none,
                 {1e-9, 1e9}, scale);
  if (table.has("up") || table.describing()) {
    UpAxis up = UpAxis::y;
    table.word<UpAxis>("up", "which axis of the groom points up; what the file says, or else Y, if absent", axes, up);
    source.request.up = up;
  }
  table.integer("subsample", "takes every n-th strand of the groom", 1, 1000000, source.request.subsample);
  table.integer("resample", "vertices that every strand gets, at equal distances; 0 = as they are", 0, 100000,
                source.request.resample);
  if (source.request.resample == 1) table.refuse("resample", "resample must be 0, or 2 and more");
  source.request.file = folder / file;
  source.request.scale = scale;
  if (table.describing() || table.failed()) return source;
  Result<LoadedGroom> loaded = load_groom(source.request);
  if (!loaded)
    table.refuse("file", fmt::format("file: {}", loaded.error().message()));
  else
    source.loaded = std::make_shared<const LoadedGroom>(std::move(loaded.value()));
  return source;
}

PreparedSource read_prepared_groom(TableReader& table, const std::filesystem::path& folder) {
  PreparedSource source;
  std::string file;
  table.text("prepared", "a groom with its rest state, as tendril sagfree writes it (.h5)", file);
  source.file = folder / file;
  if (table.describing() || table.failed()) return source;
  const Result<std::vector<std::byte>> bytes = read_bytes(source.file);
  if (!bytes) return table.refuse("prepared", fmt::format("prepared: {}", bytes.error().message())), source;
  Result<PreparedGroom> prepared = decode_prepared(bytes.value(), source.file.string());
  if (!prepared) return table.refuse("prepared", fmt::format("prepared: {}", prepared.error().message())), source;
  source.groom = std::make_shared<const PreparedGroom>(std::move(prepared.value()));
  source.hash = Hash().bytes(bytes.value()).value();
  return source;
}

}  // namespace

StrandSource read_source(TableReader& owner, const std::filesystem::path& folder) {
  auto table = owner.table("source", "where the strands come from: a file, a prepared groom, a generator or points");
  if (!table) {
    owner.missing("source", "write where the strands come from, such as source = { generator = \"curly\" }");
    return Curves{};
  }
  StrandSource source = Curves{};
  const bool file = table->has("file"), prepared = table->has("prepared"), generator = table->has("generator"),
             points = table->has("points");
  if (file + prepared + generator + points != 1 && !table->describing())
    table->missing("file, prepared, generator or points", "write exactly one of them, such as generator = \"curly\"");
  else if (points || table->describing())
    source = read_points(*table);
  if (file || table->describing()) source = read_file(*table, folder);
  if (prepared || table->describing()) source = read_prepared_groom(*table, folder);
  if (generator || table->describing()) source = read_generator(*table);
  table->finish();
  return source;
}

}  // namespace tendril
