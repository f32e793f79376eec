// Figures 1 and 10: many strands at once. The paper's grooms cannot be had: generated curls always, real grooms where
// they are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "experiments/sagfree/sagfree.hpp"
#include "experiments/sagfree/scenes.hpp"
#include "tendril/sagfree/optimise.hpp"
#include "tendril/scene/generator.hpp"
#include "tendril/scene/groom_source.hpp"
#include "tendril/scene/presets.hpp"

namespace tendril::experiments::sagfree {
namespace {

using Eigen::Vector3d;
using tendril::sagfree::Mode;
using tendril::sagfree::Options;

Curves curls(int count, int vertices) {
  GeneratorOptions options = default_options(GeneratorKind::curly);
  options.count = count, options.vertices = vertices;
  return generate(options, 1);
}

// Of the paper: 100 MPa, radius 0.2 mm.
der::Description soft(Curves curves) {
  der::Material material;
  material.radius = 2e-4, material.young = material.shear = 1e8, material.density = 1300.0;
  return der::describe(std::move(curves), material, {});
}

void add_real_groom(const std::string& name, const std::filesystem::path& file, double scale, Findings& out) {
  Result<LoadedGroom> loaded = load_groom({file, scale, UpAxis::y});
  if (!loaded) {
    out.notes.push_back(fmt::format("{}: left out, {}", name, loaded.error().message()));
    return;
  }
  der::Strands strands = der::Strands::create(der::describe(std::move(loaded.value().groom.curves),
                                                            material_of(*find_preset("human-hair")), {}))
                             .value();
  const tendril::sagfree::Outcome outcome = tendril::sagfree::optimise({}, strands.start(), strands).value();
  const tendril::sagfree::Summary s = tendril::sagfree::summarise(outcome.strands);
  out.claim(fmt::format("{}, {} strands", name, s.strands), "-",
            fmt::format("imbalance {:.1e}, {} unstable, {:.2f} s", s.imbalance_max, s.unstable, outcome.seconds),
            "every strand below 1e-9", s.failed == 0 && s.imbalance_max < 1e-9);
}

}  // namespace

Findings figure10(const Context& context) {
  Findings out;
  Options options;
  options.mu = 0.5, options.bound = tendril::sagfree::CurvatureBound::box;
  const Curves all = curls(915, 100);
  der::Strands swept = der::Strands::create(soft(all)).value();
  const tendril::sagfree::Outcome sweep = tendril::sagfree::optimise(options, swept.start(), swept).value();
  const tendril::sagfree::Summary s = tendril::sagfree::summarise(sweep.strands);
  out.claim("915 strands of 100 vertices, sweep", "84 s on 8 cores",
            fmt::format("{:.2f} s, imbalance {:.1e}", sweep.seconds, s.imbalance_max), "every strand below 1e-9",
            s.failed == 0 && s.imbalance_max < 1e-9);
  // The Lagrangian on a few of them: it takes minutes for all.
  Curves few;
  for (std::size_t strand = 0; strand < 6; ++strand) {
    const std::span<const Vector3d> points = all.strand(strand * 150);
    for (std::size_t i = 0; i < points.size(); i += 2) few.points.push_back(points[i]);
    few.offsets.push_back(few.points.size());
  }
  options.mode = Mode::full, options.max_iterations = 150, options.check_stability = false;
  der::Strands slow = der::Strands::create(soft(few)).value();
  const tendril::sagfree::Outcome lagrangian = tendril::sagfree::optimise(options, slow.start(), slow).value();
  double newton = 0.0;
  std::size_t short_of = 0, silent = 0;
  for (const tendril::sagfree::StrandOutcome& strand : lagrangian.strands) {
    newton += strand.newton_iterations / double(lagrangian.strands.size());
    const bool balanced = strand.imbalance < options.tolerance;
    short_of += !balanced;
    silent += !balanced && strand.status == tendril::sagfree::StrandStatus::balanced;
  }
  out.claim("Newton iterations of the Lagrangian", "148.8", fmt::format("{:.1f}", newton), "above 100, or all balanced",
            newton > 100.0 || short_of == 0);
  out.claim("strands that it leaves out of balance", "-", fmt::format("{} of {}, all named", short_of, few.strands()),
            "none is called balanced", silent == 0);
  if (!context.data.empty()) {
    add_real_groom("Sintel", context.data / "grooms/sintel/sintel.hair", 1.0, out);
    add_real_groom("ponytail", context.data / "grooms/ponytail/ponytail.data", 0.003, out);
  } else {
    out.notes.push_back("Real grooms left out: give --data, or set TENDRIL_DATA.");
  }
  return out;
}

Findings figure1(const Context&) {
  der::Strands strands =
      der::Strands::create(der::describe(curls(320, 50), material_of(*find_preset("human-hair")), {})).value();
  const tendril::sagfree::Outcome outcome = tendril::sagfree::optimise({}, strands.start(), strands).value();
  const tendril::sagfree::Summary s = tendril::sagfree::summarise(outcome.strands);
  Findings out;
  out.claim("320 curls of 50 vertices", "3.2k strands in 713 s",
            fmt::format("imbalance {:.1e}, {:.3f} s", s.imbalance_max, outcome.seconds), "every strand below 1e-6",
            s.failed == 0 && s.imbalance_max < 1e-6);
  strands.set_damping(0.02);
  Motion motion(strands);
  motion.options.gravity = {0.0, -9.81, 0.0};
  const std::vector<Vector3d> before = motion.positions();
  const auto farthest = [&] {
    const std::vector<Vector3d> now = motion.positions();
    double largest = 0.0;
    for (std::size_t v = 0; v < now.size(); ++v) largest = std::max(largest, (now[v] - before[v]).norm());
    return largest;
  };
  std::vector<double> times, distances;
  for (int tenth = 0; tenth < 200; ++tenth) {
    const double start = 0.1 * tenth;
    motion.run(24, [&](double time) {
      der::Drive drive;
      if (start + time < 1.0)
        drive.root[0].translation.x() = 0.02 * std::sin(2.0 * std::numbers::pi * 2.0 * (start + time));
      return drive;
    });
    times.push_back(start + 0.1), distances.push_back(farthest());
  }
  const double peak = std::ranges::max(distances);
  out.claim("after a second of shaking", "comes back",
            fmt::format("{:.1e} of {:.1e} m left after 20 s", distances.back(), peak), "below 2 %",
            distances.back() < 0.02 * peak);
  plot::Chart chart{.title = "Distance from the drawn shape",
                    .description = "Largest of all vertices; the root is shaken in the first second.",
                    .x = {"time", "s"},
                    .y = {"distance", "m", plot::AxisKind::logarithmic}};
  chart.add("farthest vertex", times, distances);
  out.charts.push_back(std::move(chart));
  return out;
}

}  // namespace tendril::experiments::sagfree
