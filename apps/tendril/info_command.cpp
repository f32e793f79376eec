// tendril info: what is in a file or a run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>

#include "commands.hpp"
#include "tendril/io/atomic_file.hpp"
#include "tendril/io/cache_folder.hpp"
#include "tendril/io/groom_file.hpp"
#include "tendril/io/mesh_file.hpp"
#include "tendril/scene/groom_summary.hpp"

namespace tendril::app {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct InfoCommand {
  std::string file, report;
  bool quiet = false;
};

constexpr double degrees = 180.0 / std::numbers::pi;

json to_json(const Eigen::Vector3d& v) { return {v.x(), v.y(), v.z()}; }
json to_json(const Spread& s, double scale = 1.0) {
  return {{"least", scale * s.least}, {"median", scale * s.median}, {"most", scale * s.most}};
}

void print_spread(const char* name, const Spread& s, double scale, const char* unit) {
  fmt::print("{:<18}{:.4g} / {:.4g} / {:.4g}{} (least, median, most)\n", name, scale * s.least, scale * s.median,
             scale * s.most, unit);
}

std::string attribute_text(const GroomAttribute& a) {
  return fmt::format("{} ({} {})", a.name, a.components == 1 ? "one number" : fmt::format("{} numbers", a.components),
                     a.per_vertex ? "per vertex" : "per strand");
}

json describe_groom(const Groom& groom, bool quiet) {
  const GroomSummary s = summarise(groom);
  json attributes = json::array();
  std::string names;
  for (const GroomAttribute& a : groom.attributes) {
    attributes.push_back({{"name", a.name}, {"per_vertex", a.per_vertex}, {"components", a.components}});
    names += (names.empty() ? "" : ", ") + attribute_text(a);
  }
  if (!quiet) {
    fmt::print("{:<18}{}\n{:<18}{} ({} to {} per strand)\n", "strands", s.strands, "vertices", s.points,
               s.fewest_points, s.most_points);
    fmt::print("{:<18}{}\n", "unit",
               groom.metres_per_unit ? fmt::format("{:g} m", *groom.metres_per_unit)
                                     : "not in the file; metres are assumed unless --scale or a scene says otherwise");
    fmt::print("{:<18}{}\n", "up", groom.up ? (*groom.up == UpAxis::z ? "z" : "y") : "not in the file; y is assumed");
    fmt::print("{:<18}({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g})\n", "bounds", s.low.x(), s.low.y(),
               s.low.z(), s.high.x(), s.high.y(), s.high.z());
    print_spread("length", s.length, 1.0, "");
    print_spread("segment", s.segment, 1.0, "");
    print_spread("turning", s.turning, degrees, " degrees");
    fmt::print("{:<18}{:.4g} degrees\n", "sharpest joint", degrees * s.sharpest_joint);
    fmt::print("{:<18}{}\n", "radius", groom.radius.empty() ? "none" : "per vertex");
    fmt::print("{:<18}{}\n", "attributes", names.empty() ? "none" : names);
    fmt::print("{:<18}{}\n", "degenerate", s.degenerate.any() ? s.degenerate.text() + " when it is used" : "none");
    fmt::print("{:<18}{}\n", "duplicates", s.duplicates);
  }
  return {{"kind", "strands"},
          {"strands", s.strands},
          {"vertices", s.points},
          {"vertices_per_strand", {{"least", s.fewest_points}, {"most", s.most_points}}},
          {"metres_per_unit", groom.metres_per_unit ? json(*groom.metres_per_unit) : json(nullptr)},
          {"up", groom.up ? json(*groom.up == UpAxis::z ? "z" : "y") : json(nullptr)},
          {"bounds", {to_json(s.low), to_json(s.high)}},
          {"length", to_json(s.length)},
          {"segment", to_json(s.segment)},
          {"turning_degrees", to_json(s.turning, degrees)},
          {"sharpest_joint_degrees", degrees * s.sharpest_joint},
          {"has_radius", !groom.radius.empty()},
          {"attributes", std::move(attributes)},
          {"repairs", s.degenerate.counts()},
          {"duplicates", s.duplicates}};
}

json describe_run(const fs::path& folder, bool quiet) {
  const CurveSequence run = or_fail(open_cache(folder));
  if (!quiet) {
    fmt::print("{:<18}{}, {} frames ({} to {}) at {:g} per second\n", "run", run.name, run.frames.size(),
               run.frames.front(), run.frames.back(), run.fps);
    for (const CurveSequence::Set& set : run.sets) fmt::print("{:<18}{}: {} strands\n", "set", set.name, set.strands);
  }
  json out = describe_groom(run.groom, quiet);
  out["kind"] = "run";
  out["name"] = run.name, out["fps"] = run.fps;
  out["frames"] = run.frames.size(), out["first_frame"] = run.frames.front(), out["last_frame"] = run.frames.back();
  return out;
}

template <class Mesh, class Cells>
json describe_mesh(const Mesh& mesh, const Cells& cells, const char* name, bool quiet) {
  Eigen::Vector3d low = mesh.points.front(), high = low;
  for (const Eigen::Vector3d& p : mesh.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  if (!quiet)
    fmt::print("{:<18}{}\n{:<18}{}\n{:<18}({:.4g}, {:.4g}, {:.4g}) to ({:.4g}, {:.4g}, {:.4g})\n", "points",
               mesh.points.size(), name, cells.size(), "bounds", low.x(), low.y(), low.z(), high.x(), high.y(),
               high.z());
  return {{"kind", "mesh"},
          {"points", mesh.points.size()},
          {name, cells.size()},
          {"bounds", {to_json(low), to_json(high)}}};
}

// A file of either kind is taken for strands if it has any.
json describe(const fs::path& path, bool quiet) {
  if (fs::is_directory(path)) return describe_run(path, quiet);
  const std::string extension = path.extension().string();
  if (extension == ".msh" || extension == ".node" || extension == ".ele") {
    const TetMesh mesh = or_fail(read_tet_mesh(path));
    return describe_mesh(mesh, mesh.tets, "tetrahedra", quiet);
  }
  const bool may_be_mesh = extension == ".obj" || extension == ".ply" || extension == ".stl";
  if (extension != ".stl") {
    const Result<Groom> groom = read_groom(path);
    if (groom && groom.value().curves.strands() > 0) return describe_groom(groom.value(), quiet);
    if (!may_be_mesh) return describe_groom(or_fail(groom), quiet);
  }
  const TriangleMesh mesh = or_fail(read_triangle_mesh(path));
  return describe_mesh(mesh, mesh.triangles, "triangles", quiet);
}

void info(const InfoCommand& command) {
  json report = describe(command.file, command.quiet);
  report["command"] = "info", report["file"] = command.file;
  if (!command.report.empty()) or_fail(write_file(command.report, report.dump(2) + "\n"));
}

}  // namespace

void add_info_command(CLI::App& app) {
  auto options = std::make_shared<InfoCommand>();
  CLI::App* command = app.add_subcommand("info", "Tell what is in a groom, a mesh or a run");
  command->footer("Example: tendril info groom.hair");
  command->add_option("file", options->file, "A groom, a mesh, a frame, or the folder of a run")->required();
  command->add_option("--report", options->report, "Write the numbers to this JSON file");
  command->add_flag("-q,--quiet", options->quiet, "Print errors only");
  command->callback([options] { info(*options); });
}

}  // namespace tendril::app
