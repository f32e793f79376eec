#include "experiments/contact/real_grooms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "experiments/contact/depth_watch.hpp"
#include "experiments/contact/ellipsoid_fit.hpp"
#include "experiments/grooms.hpp"
#include "tendril/base/timer.hpp"
#include "tendril/sim/simulation.hpp"

namespace tendril::experiments::real_grooms_in_contact {
namespace {

using Eigen::Vector3d;

constexpr int frames = 60, substeps = 4, push_frames = 30;  // at 60 frames per second: 1 s, and 0.5 s
constexpr double gravity = 9.81;                            // [m/s2]

struct Head {
  std::string source, collider;
  Vector3d centre;
  double radius = 0.0;  // [m], about
};

// A head that shakes "no" by 20 degrees and sways by 3 cm, or does not.
std::string scene_text(const Head& head, int length, bool shaken) {
  const std::string motion = fmt::format(
      "motion = [ {{ rotate = [0, 1, 0], angle = \"20 deg\", frequency = \"2 Hz\", centre = [{}, {}, {}] }}, "
      "{{ sine = [\"3 cm\", 0, 0], frequency = \"1.6 Hz\" }} ]\n",
      head.centre.x(), head.centre.y(), head.centre.z());
  return fmt::format(
      "[run]\nframes = {}\nfps = 60\nsubsteps = {}\n"
      "[[strands]]\nname = \"hair\"\nsource = {{ {} }}\nmaterial = {{ preset = \"human-hair\" }}\n"
      "rest = \"sag-free\"\nclamp = \"edge\"\n{}"
      "[contact]\nfriction = {{ default = 0.3, \"hair/head\" = 0.5 }}\n"
      "[[colliders]]\nname = \"head\"\nshape = {{ {} }}\nfollows = \"hair\"\n",
      length, substeps, head.source, shaken ? motion : "", head.collider);
}

Simulation simulation_of(const std::string& text) {
  Result<Scene> scene = parse_scene(text, "scene.toml");
  if (!scene) throw std::runtime_error(scene.error().message());
  Result<Simulation> made = Simulation::create(std::move(scene.value()));
  if (!made) throw std::runtime_error(made.error().message());
  return std::move(made.value());
}

// The largest kinetic energy of a strand over its weight times a length.
double largest_energy(const Simulation& simulation, double length) {
  const std::vector<Vector3d> v = simulation.velocities();
  const std::vector<std::size_t> offsets = simulation.offsets();
  const std::vector<double> mass = simulation.world().parts[0].strands.masses();
  double largest = 0.0;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s) {
    double energy = 0.0, all = 0.0;
    for (std::size_t k = offsets[s]; k < offsets[s + 1]; ++k)
      energy += 0.5 * mass[k] * v[k].squaredNorm(), all += mass[k];
    largest = std::max(largest, energy / (all * gravity * length));
  }
  return largest;
}

struct Watched {
  ContactTotals contacts;
  DepthWatch depths;
  double energy = 0.0;  // largest of a strand, over m g r
  double seconds = 0.0;
  std::vector<double> time, inside, count, penetration;
};

Watched run(const Head& head, int length, bool shaken) {
  Simulation simulation = simulation_of(scene_text(head, length, shaken));
  Watched out{{}, DepthWatch(simulation), 0.0, 0.0, {}, {}, {}, {}};
  for (int frame = 0; frame < length; ++frame) {
    ContactTotals contacts;
    for (int k = 0; k < substeps; ++k) {
      const Timer timer;
      const Result<SimulationStep> taken = simulation.step();
      out.seconds += timer.seconds();
      if (!taken) throw std::runtime_error(taken.error().message());
      contacts += taken.value().contacts;
      out.energy = std::max(out.energy, largest_energy(simulation, head.radius));
    }
    out.contacts += contacts;
    out.depths.look(simulation);
    out.time.push_back(simulation.time()), out.inside.push_back(1e3 * out.depths.deepest_now);
    out.count.push_back(double(contacts.contacts_max)), out.penetration.push_back(1e6 * contacts.penetration_max);
  }
  return out;
}

std::string share(double value) { return fmt::format("{:.2f} %", 100.0 * value); }
std::string micrometres(double value) { return fmt::format("{:.3g} um", 1e6 * value); }

void claim_motion(const Watched& run, Findings& out) {
  const double over = double(run.contacts.over_tolerance) / double(std::max<std::int64_t>(1, run.contacts.steps));
  out.claim("steps over tolerance, head in motion", "not shown", share(over), "less than 2 %", over < 0.02);
  out.claim("pairs of segments that passed through each other", "not shown", fmt::format("{}", run.contacts.crossings),
            "0", run.contacts.crossings == 0);
  const double deepest = std::max(run.depths.deepest_outside, run.contacts.penetration_max);
  out.claim("deepest of what started outside of the head", "not shown",
            fmt::format("{}; {} vertices deeper than 0.1 mm", micrometres(deepest), run.depths.pierced),
            "at most 0.1 mm", deepest <= 1e-4);
  const double growth = std::max(run.depths.growth, run.contacts.regrowth_max);
  out.claim("what started inside goes deeper by", "not shown",
            fmt::format("{}; {} of {} vertices by more than a micrometre", micrometres(growth), run.depths.grown,
                        run.depths.inside_start),
            "at most a micrometre", growth <= 1e-6);
  out.tell("contacts, mean and most", "not shown",
           fmt::format("{:.0f} and {}", double(run.contacts.contacts) / double(run.contacts.steps),
                       run.contacts.contacts_max));
  out.tell("time", "not shown",
           fmt::format("{:.1f} s for {} frames: contact {:.1f} s, detection {:.1f} s", run.seconds, frames,
                       run.contacts.contact_seconds, run.contacts.detection_seconds));
}

void claim_push(const Watched& run, Findings& out) {
  out.tell("inside the head at the start", "not shown",
           fmt::format("{} vertices, {:.2f} mm deep", run.depths.inside_start, 1e3 * run.depths.deepest_start));
  out.claim("kinetic energy of a strand, over its weight times the radius of the head", "not shown",
            fmt::format("{:.2g}", run.energy), "less than 1e-3", run.energy < 1e-3);
  out.claim("inside the head after 0.5 s", "not shown",
            fmt::format("{} vertices, {} deep", run.depths.inside_now, micrometres(run.depths.deepest_now)),
            "less than a tenth of a hair deep", run.depths.deepest_now < 8e-6);
}

void add_charts(const Watched& run, Findings& out) {
  plot::Chart depth{.title = "Deepest vertex of those that started inside",
                    .description = "",
                    .x = {"time", "s"},
                    .y = {"depth", "mm"}};
  depth.add("head in motion", run.time, run.inside);
  plot::Chart count{.title = "Contacts", .description = "", .x = {"time", "s"}, .y = {"contacts", ""}};
  count.add("head in motion", run.time, run.count);
  out.charts = {std::move(depth), std::move(count)};
}

Findings missing() {
  Findings out;
  out.notes.push_back("Skipped: the groom is not there; give its folder with --data.");
  return out;
}

bool has(const Context& context, const char* file) {
  return !context.data.empty() && std::filesystem::exists(context.data / file);
}

}  // namespace

Findings sintel(const Context& context) {
  const char *groom = "grooms/sintel/sintel.hair", *mesh = "grooms/sintel/sintel_collider.obj";
  if (!has(context, groom) || !has(context, mesh)) return missing();
  const Head head{fmt::format("file = \"{}\", up = \"Y\"", std::filesystem::absolute(context.data / groom).string()),
                  fmt::format("mesh = \"{}\"", std::filesystem::absolute(context.data / mesh).string()),
                  {0.0, 1.5646, -0.0041},
                  0.0926};
  Findings out;
  claim_push(run(head, push_frames, false), out);
  const Watched shaken = run(head, frames, true);
  claim_motion(shaken, out);
  add_charts(shaken, out);
  return out;
}

Findings ponytail(const Context& context) {
  constexpr double shrunk = 0.95;
  const char* groom = "grooms/ponytail/ponytail.data";
  if (!has(context, groom)) return missing();
  const Result<Curves> curves = real_grooms(context.data)[1].curves;
  if (!curves) throw std::runtime_error(curves.error().message());
  std::vector<Vector3d> roots;
  for (std::size_t s = 0; s < curves.value().strands(); ++s)
    roots.push_back(curves.value().points[curves.value().offsets[s]]);
  const std::optional<FittedEllipsoid> fit = fit_ellipsoid(roots);
  if (!fit) throw std::runtime_error("no ellipsoid fits the roots of the ponytail");
  const Vector3d radii = shrunk * fit->radii;
  const Head head{
      fmt::format("file = \"{}\", scale = 0.003, up = \"Y\"", std::filesystem::absolute(context.data / groom).string()),
      fmt::format("ellipsoid = [{}, {}, {}], centre = [{}, {}, {}]", radii.x(), radii.y(), radii.z(), fit->centre.x(),
                  fit->centre.y(), fit->centre.z()),
      fit->centre, radii.mean()};
  Findings out;
  const Watched shaken = run(head, frames, true);
  out.tell("inside the head at the start", "not shown",
           fmt::format("{} vertices, {:.2f} mm deep", shaken.depths.inside_start, 1e3 * shaken.depths.deepest_start));
  claim_motion(shaken, out);
  add_charts(shaken, out);
  return out;
}

}  // namespace tendril::experiments::real_grooms_in_contact
