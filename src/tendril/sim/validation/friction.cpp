// B9, B10: a rope around a cylinder, and a strand on an incline. Scenes as users write them, stepped in time.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tendril/sim/validation/exact.hpp"
#include "tendril/sim/validation/families.hpp"
#include "tendril/sim/validation/scene_run.hpp"
#include "tendril/sim/validation/specimen.hpp"
#include "tendril/sim/validation/study.hpp"

namespace tendril::validation {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using Results = std::vector<CaseResult>;

constexpr double steps_per_second = 240.0;

// Which model, and that it balances its forces in every step if it can: others do so at rest.
std::string of_model(const Model& model) { return fmt::format("model = \"{}\"", model.name); }
std::string iterations_of(const Model& model) {
  return model.name == traits(StrandModelKind::der).name ? "newton = \"converge\"" : "";
}

// A straight strand along the fall line of a plane, which is level: gravity is tilted instead.
std::string incline_scene(const Model& model, double slope, double mu, int edges, double plane_speed = 0.0) {
  const double angle = std::atan(slope);
  return fmt::format(R"(
[run]
duration = "2 s"
fps = 60
substeps = 4
gravity = [{}, {}, 0]
{}
[[strands]]
name = "strand"
{}
source = {{ generator = "horizontal", vertices = {}, length = "20 cm", origin = [0, "2 mm", 0] }}
material = {{ preset = "cotton-rope", radius = "2 mm" }}
clamp = "free"
[contact]
friction = {}
tolerance = 1e-10
[[colliders]]
name = "ground"
shape = {{ plane = true }}
motion = {{ move = [{}, 0, 0] }}
)",
                     standard_gravity * std::sin(angle), -standard_gravity * std::cos(angle), iterations_of(model),
                     of_model(model), edges + 1, mu, plane_speed);
}

// Models whose links have their lengths have them in every step, whatever touches them.
bool keeps_lengths(const Model& model) {
  return model.name == traits(StrandModelKind::chain).name ||
         model.name == traits(StrandModelKind::der_inextensible).name;
}
void judge_links(const Model& model, int n, double stretch, Results& results) {
  if (!keeps_lengths(model)) return;
  results.push_back(judge({"largest |link/length - 1| in any step", "", 0.0, 1e-12}, n, stretch));
}

// [m] along the plane after so many seconds; not a number if a step fails. `stretch` grows to the largest of any step.
double way_on_plane(const std::string& scene, double seconds, double& stretch) {
  std::optional<Simulation> s = simulation_of(scene);
  if (!s) return not_a_number;
  const double start = s->positions().front().x();
  for (int i = 0; i < int(std::lround(seconds * steps_per_second)); ++i) {
    if (!s->step()) return not_a_number;
    stretch = std::max(stretch, s->residuals().stretch);
  }
  return s->positions().front().x() - start;
}

// Implicit Euler goes a t (t + h)/2 in the time t.
double acceleration(double way, double seconds) { return 2.0 * way / (seconds * (seconds + 1.0 / steps_per_second)); }

Results incline(const Model& model) {
  Results results;
  constexpr double slope = 0.3, gravity = standard_gravity;
  const double cosine = std::cos(std::atan(slope));
  double stretch = 0.0;
  for (const int edges : {1, 6, 19}) {
    results.push_back(judge({fmt::format("way in 1 s at mu = 1.001 tan theta, {} edges", edges), "m", 0.0, 1e-9}, edges,
                            way_on_plane(incline_scene(model, slope, slope * 1.001, edges), 1.0, stretch)));
    results.push_back(
        judge({fmt::format("acceleration at mu = 0.999 tan theta, {} edges", edges), "m/s2",
               gravity * cosine * slope * 1e-3, 1e-2},
              edges, acceleration(way_on_plane(incline_scene(model, slope, slope * 0.999, edges), 0.5, stretch), 0.5)));
    results.push_back(
        judge({fmt::format("acceleration at mu = tan theta / 2, {} edges", edges), "m/s2",
               gravity * cosine * slope * 0.5, 1e-3},
              edges, acceleration(way_on_plane(incline_scene(model, slope, slope * 0.5, edges), 0.5, stretch), 0.5)));
  }
  // A plane that moves away takes the strand along, after a way v^2/(2 mu g) against it.
  constexpr double mu = 0.2, speed = 0.5, seconds = 1.0;
  const double way = way_on_plane(incline_scene(model, 0.0, mu, 6, -speed), seconds, stretch) + speed * seconds;
  results.push_back(judge({"way until it goes with a plane of 0.5 m/s", "m", speed * speed / (2.0 * mu * gravity),
                           mu * gravity / (speed * steps_per_second)},
                          6, way));
  judge_links(model, 19, stretch, results);
  return results;
}

// A rope over half a cylinder, with straight tails.
struct Capstan {
  static constexpr double radius = 0.05, rope_radius = 1e-3, tail = 0.02, wrap = pi, mu = 0.3, pull = 1.0;
  Model model;
  int edges;  // on the wrap

  std::string scene() const {
    const double r = radius + rope_radius, turn = wrap / edges, reach = r / std::cos(0.5 * turn);
    std::string points = fmt::format("[{}, {}, 0]", -r, -tail);
    for (int k = 0; k < edges; ++k) {
      const double angle = pi - (k + 0.5) * turn;
      points += fmt::format(", [{}, {}, 0]", reach * std::cos(angle), reach * std::sin(angle));
    }
    points += fmt::format(", [{}, {}, 0]", r, -tail);
    return fmt::format(R"(
[run]
duration = "2 s"
fps = 60
substeps = 4
gravity = [0, 0, 0]
{}
tolerance = 1e-6
[[strands]]
name = "rope"
{}
source = {{ points = [[{}]] }}
rest_shape = "straight"
material = {{ radius = "1 mm", young = "1 MPa", stretch_young = "1 GPa", density = "1000 kg/m3", poisson = 0.3, damping = "5 ms" }}
clamp = "free"
[contact]
friction = {}
tolerance = 1e-8
[[colliders]]
name = "pole"
shape = {{ cylinder = {}, length = 1, axis = [0, 0, 1] }}
)",
                       iterations_of(model), of_model(model), points, mu, radius);
  }

  // The pulls grow within 0.1 s, that on the right to `ratio` times that on the left; gives the speed of the right end
  // after some time more, downwards.
  double speed(double ratio, double& stretch) const {
    std::optional<Simulation> s = simulation_of(scene());
    if (!s) return not_a_number;
    for (int i = 0; i < 96; ++i) {
      const double share = std::min(1.0, (i + 1) / 24.0);
      const Vector3d left(0.0, -pull * std::min(1.0, 2.0 * share), 0.0);
      const Vector3d right(0.0, -pull * (share < 0.5 ? 2.0 * share : 1.0 + (ratio - 1.0) * (2.0 * share - 1.0)), 0.0);
      if (!s->apply_wrench({"rope", 0, 0, left, Vector3d::Zero()}) ||
          !s->apply_wrench({"rope", 0, -1, right, Vector3d::Zero()}) || !s->step())
        return not_a_number;
      stretch = std::max(stretch, s->residuals().stretch);
    }
    return -s->velocities().back().y();
  }

  bool slips(double ratio, double& stretch) const { return speed(ratio, stretch) > 1e-3; }

  // The largest ratio at which it holds.
  double limit(double& stretch) const {
    double holds = std::exp(mu * wrap) * 0.96, slides = std::exp(mu * wrap) * 1.04;
    if (slips(holds, stretch) || !slips(slides, stretch)) return not_a_number;
    while (slides - holds > 1e-3 * holds) {
      const double middle = 0.5 * (holds + slides);
      (slips(middle, stretch) ? slides : holds) = middle;
    }
    return 0.5 * (holds + slides);
  }
};

Results capstan(const Model& model) {
  Results results;
  const Capstan rope{model, 50};  // 16 edges per radian
  const double exact = std::exp(Capstan::mu * pi);
  double stretch = 0.0;
  results.push_back(
      judge({"ratio of pulls at which half a turn slips, mu = 0.3", "", exact, 5e-3}, 50, rope.limit(stretch)));
  results.push_back(
      judge({"speed of the rope at 0.98 of that ratio", "m/s", 0.0, 1e-6}, 50, rope.speed(0.98 * exact, stretch)));
  judge_links(model, 50, stretch, results);
  return results;
}

}  // namespace

std::vector<Case> friction_cases(const Model& model) {
  return {{"B9-capstan", [model] { return capstan(model); }}, {"B10-incline", [model] { return incline(model); }}};
}

}  // namespace tendril::validation
