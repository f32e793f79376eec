// Benchmarks that any strand model of a scene can take: a strand clamped at its root that bends, swings, is shaken and
// slides (B2, B7, B9 to B11). They see what users see, positions and forces of contact, and nothing of the model.
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

// The refinement of a super-helix are its pieces, that of all others its edges.
bool has_pieces(const Model& model) { return model.name == traits(StrandModelKind::superhelix).name; }

std::string strand_of(const Model& model, int n) {
  return has_pieces(model)
             ? fmt::format("model = \"{}\"\nhelix = {{ bend1 = {}, bend2 = {}, twist = 4 }}\n", model.name, n, n)
             : fmt::format("model = \"{}\"\n", model.name);
}

std::string material_text(const der::Material& m, double damping) {
  return fmt::format("material = {{ radius = {}, young = {}, poisson = {}, density = {}, damping = {} }}\n", m.radius,
                     m.young, 0.5 * m.young / m.shear - 1.0, m.density, damping);
}

// A straight cantilever along x under its own weight.
std::string cantilever_scene(const Model& model, int n, double length, double gravity, double steps_per_second,
                             double damping) {
  const int edges = has_pieces(model) ? 40 : n;
  return fmt::format(R"(
[run]
duration = "1 s"
fps = {}
substeps = 1
gravity = [0, {}, 0]
[[strands]]
name = "strand"
source = {{ generator = "horizontal", vertices = {}, length = {} }}
clamp = "point"
{}{})",
                     steps_per_second, -gravity, edges + 1, length, strand_of(model, n),
                     material_text(hair().material, damping));
}

double length_for(double gamma) {
  const Stiffness stiff = stiffness(hair().material);
  return std::cbrt(gamma * stiff.bend / (stiff.line_density * standard_gravity));
}

// Long steps, which implicit Euler damps, until nothing moves.
bool comes_to_rest(Simulation& s, double length) {
  for (int i = 0; i < 5000; ++i) {
    if (!s.step()) return false;
    double speed = 0.0;
    for (const Vector3d& v : s.velocities()) speed = std::max(speed, v.norm());
    if (speed < 1e-10 * length) return true;
  }
  return false;
}

// theta'' = -gamma (1 - s) cos(theta) by shooting to 1e-13, as in cantilever.cpp.
struct OwnWeight {
  double gamma, x, drop;
};
constexpr OwnWeight own_weights[] = {{1.0, 0.9912463953466353, 0.12347140198335183},
                                     {10.0, 0.6563537612386027, 0.7001997155143098}};

Results cantilever(const Model& model) {
  Results results;
  const std::array<int, 3> refinements = has_pieces(model) ? doubled(5) : doubled(10);
  for (const auto& [gamma, x, drop] : own_weights) {
    const double length = length_for(gamma),
                 tolerance = 3.0 * std::min(0.52, 0.2 * gamma) / std::pow(refinements[2], 2);
    results.push_back(study(
        {fmt::format("distance of the tip/L at rest, gamma = {:g}", gamma), "", 0.0, tolerance, 2.0}, refinements,
        [&](int n) {
          std::optional<Simulation> s = simulation_of(cantilever_scene(model, n, length, standard_gravity, 30.0, 0.01));
          if (!s || !comes_to_rest(*s, length)) return not_a_number;
          const Vector3d tip = s->positions().back() / length;
          return std::hypot(tip.x() - x, -tip.y() - drop, tip.z());
        }));
  }
  return results;
}

// The first frequency of a cantilever without gravity, from the times at which its tip goes through zero: the first
// root of cos(x) cosh(x) = -1 squared, times sqrt(EI / rho A L^4).
Results vibration(const Model& model) {
  constexpr double root = 1.8751040687119611;
  const Stiffness stiff = stiffness(hair().material);
  const double length = hair().length;
  const double rate = root * root * std::sqrt(stiff.bend / (stiff.line_density * std::pow(length, 4)));  // [rad/s]
  const double steps_per_period = 1000.0, steps_per_second = steps_per_period * rate / (2.0 * pi);
  const auto measured = [&](int n) {
    std::optional<Simulation> s = simulation_of(cantilever_scene(model, n, length, 0.0, steps_per_second, 0.0));
    if (!s) return not_a_number;
    // A load that grows and ends within a period sets it going; higher modes go with the damping of the integrator.
    const double force = 1e-2 * 3.0 * stiff.bend / (length * length);
    double last = 0.0;
    std::vector<double> zeros;
    for (int i = 0; i < int(6.0 * steps_per_period) && zeros.size() < 5; ++i) {
      const double phase = i / steps_per_period;
      if (phase < 1.0 &&
          !s->apply_wrench({"strand", 0, -1, {0.0, force * std::pow(std::sin(pi * phase), 2), 0.0}, {0, 0, 0}}))
        return not_a_number;
      if (!s->step()) return not_a_number;
      const double y = s->positions().back().y();
      if (phase > 1.0 && y * last < 0.0) zeros.push_back((i - y / (y - last)) / steps_per_second);
      last = y;
    }
    if (zeros.size() < 5) return not_a_number;
    return 2.0 * pi * 2.0 / (zeros[4] - zeros[0]) / rate;
  };
  Results results;
  const std::array<int, 3> refinements = has_pieces(model) ? doubled(3) : doubled(10);
  results.push_back(study({"first frequency over the exact one", "", 1.0, 3e-3}, refinements, measured));
  return results;
}

// A root that is shaken hard: how far the strand is from its length.
Results length_kept(const Model& model) {
  const std::string scene = fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 4
[[strands]]
name = "strand"
source = {{ generator = "horizontal", vertices = 30, length = "20 cm" }}
clamp = "point"
motion = {{ sine = [0, "10 cm", "3 cm"], frequency = "4 Hz" }}
{}{})",
                                        strand_of(model, 6), material_text(hair().material, 1e-4));
  std::optional<Simulation> s = simulation_of(scene);
  double largest = 0.0;
  for (int i = 0; s && i < 240; ++i) largest = s->step() ? std::max(largest, s->residuals().stretch) : not_a_number;
  const bool stretches = model.name == traits(StrandModelKind::corde).name;
  return {judge({"largest |length/rest - 1| of an edge, shaken", "", 0.0, stretches ? 1e-1 : 1e-10}, 30,
                s ? largest : not_a_number)};
}

// A rope over a pole whose root is drawn away slowly while a weight pulls at its tip: in the end it slides, and the
// pulls have the ratio exp(mu angle). The pull at the root is what the contacts and the weight leave.
struct DrawnRope {
  static constexpr double radius = 0.05, rope_radius = 1e-3, mu = 0.3, tail = 0.1, pull = 1.0, speed = 0.05;

  static std::string scene(const Model& model, int per_radian) {
    const double r = radius + rope_radius, length = 2.0 * tail + pi * r;
    const int edges = int(std::ceil(pi * per_radian));
    const double turn = pi / edges, reach = r / std::cos(0.5 * turn);
    const int straight = std::max(1, int(std::lround(tail / (r * turn))));
    std::string points;
    for (int k = straight; k > 0; --k) points += fmt::format("[{}, {}, 0], ", -r, -tail * k / straight);
    for (int k = 0; k < edges; ++k)
      points += fmt::format("[{}, {}, 0], ", reach * std::cos(pi - (k + 0.5) * turn),
                            reach * std::sin(pi - (k + 0.5) * turn));
    for (int k = 1; k <= straight; ++k)
      points += fmt::format("[{}, {}, 0]{}", r, -tail * k / straight, k == straight ? "" : ", ");
    return fmt::format(R"(
[run]
duration = "1 s"
fps = 60
substeps = 8
gravity = [0, 0, 0]
[[strands]]
name = "rope"
source = {{ points = [[{}]] }}
rest_shape = "straight"
clamp = "point"
motion = {{ move = [0, {}, 0] }}
material = {{ radius = {}, young = "1 MPa", stretch_young = "100 MPa", density = "1000 kg/m3", poisson = 0.3, damping = "5 ms" }}
loads = [{{ vertex = -1, force = [0, {}, 0] }}]
{}
[contact]
friction = {}
tolerance = 1e-6
[[colliders]]
name = "pole"
shape = {{ cylinder = {}, length = 1, axis = [0, 0, 1] }}
)",
                       points, -speed, rope_radius, -pull, strand_of(model, int(std::ceil(length / r * per_radian))),
                       mu, radius);
  }

  // Mean over the last third of half a second.
  static double ratio(const Model& model, int per_radian) {
    std::optional<Simulation> s = simulation_of(scene(model, per_radian));
    if (!s) return not_a_number;
    double sum = 0.0;
    int count = 0;
    for (int i = 0; i < 240; ++i) {
      if (!s->step()) return not_a_number;
      if (i < 160) continue;
      Vector3d force(0.0, -pull, 0.0);
      for (const Vector3d& f : s->contact_forces()) force += f;
      sum += force.y() / pull, ++count;
    }
    return sum / count;
  }
};

Results drawn_rope(const Model& model) {
  const double tolerance = has_pieces(model) ? 2e-2 : 5e-3;
  const int per_radian = has_pieces(model) ? 4 : 16;
  return {judge({"ratio of pulls of a rope drawn over a pole, mu = 0.3", "", std::exp(DrawnRope::mu * pi), tolerance},
                per_radian, DrawnRope::ratio(model, per_radian))};
}

}  // namespace

std::vector<Case> any_model_cases(const Model& model) {
  return {{"B2-cantilever", [model] { return cantilever(model); }},
          {"B7-vibration", [model] { return vibration(model); }},
          {"B9-drawn-rope", [model] { return drawn_rope(model); }},
          {"B11-length", [model] { return length_kept(model); }}};
}

}  // namespace tendril::validation
