#include "experiments/contact/hair.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <stdexcept>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::experiments::contact {
namespace {

using Eigen::Vector3d;

constexpr std::size_t neighbours_each = 3;
constexpr double near_in_radii = 4.0, share_of_length = 0.25;

struct Strand {
  std::span<const Vector3d> x;
  Vector3d low, high;

  explicit Strand(std::span<const Vector3d> points) : x(points), low(points.front()), high(low) {
    for (const Vector3d& p : x) low = low.cwiseMin(p), high = high.cwiseMax(p);
  }
};

std::vector<Strand> strands_of(const std::vector<Vector3d>& x, const std::vector<std::size_t>& offsets) {
  std::vector<Strand> strands;
  for (std::size_t s = 0; s + 1 < offsets.size(); ++s)
    strands.emplace_back(std::span(x).subspan(offsets[s], offsets[s + 1] - offsets[s]));
  return strands;
}

double distance_to(const Strand& strand, const Vector3d& point) {
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t e = 0; e + 1 < strand.x.size(); ++e)
    nearest =
        std::min(nearest, collide::closest_points({point, point}, {strand.x[e], strand.x[e + 1]}).apart.squaredNorm());
  return std::sqrt(nearest);
}

// Vertices are at equal distances along a strand.
double share_near(const Strand& a, const Strand& b, double reach) {
  std::size_t near = 0;
  for (const Vector3d& p : a.x) near += distance_to(b, p) < reach;
  return double(near) / double(a.x.size());
}

bool belong_together(const Strand& a, const Strand& b, double reach) {
  if ((a.low.array() > b.high.array() + reach).any() || (b.low.array() > a.high.array() + reach).any()) return false;
  return std::max(share_near(a, b, reach), share_near(b, a, reach)) >= share_of_length;
}

// f(i, j) for the vertices of each pair of strands that are as far from the root as each other.
template <class F>
void for_vertices(const std::vector<std::size_t>& offsets,
                  const std::vector<std::pair<std::size_t, std::size_t>>& pairs, const F& f) {
  for (const auto& [a, b] : pairs) {
    const std::size_t vertices = std::min(offsets[a + 1] - offsets[a], offsets[b + 1] - offsets[b]);
    for (std::size_t v = 0; v < vertices; ++v) f(offsets[a] + v, offsets[b] + v);
  }
}

std::size_t find_root(std::vector<std::size_t>& parent, std::size_t i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

}  // namespace

double wisp_modulus(double radius) {
  const double thinner = 4e-5 / radius;
  return 3.89e9 * thinner * thinner;
}

std::string scene_text(const HairOptions& o) {
  return fmt::format(
      R"([run]
name = "{style}"
duration = "{seconds} s"
fps = 25
substeps = 10
seed = {seed}

[[strands]]
name = "hair"
model = "{model}"
source = {{ generator = "{style}", count = {strands}, vertices = {vertices}, length = {length}{more_style} }}
material = {{ radius = {radius}, young = {young:#}, density = 1320, damping = {damping} }}
clamp = "edge"
{motion}
[contact]
friction = {{ default = {mu}, "hair/head" = {mu_head} }}
tolerance = {tolerance}
{more_contact}
[[colliders]]
name = "head"
shape = {{ ellipsoid = [0.074, 0.108, 0.092] }}
follows = "hair"
)",
      fmt::arg("seed", o.seed), fmt::arg("model", o.model), fmt::arg("style", o.style), fmt::arg("seconds", o.seconds),
      fmt::arg("strands", o.strands), fmt::arg("vertices", o.vertices), fmt::arg("length", o.length),
      fmt::arg("more_style", o.more_style), fmt::arg("radius", o.radius), fmt::arg("young", wisp_modulus(o.radius)),
      fmt::arg("damping", o.damping), fmt::arg("motion", o.motion.empty() ? "" : "motion = " + o.motion + "\n"),
      fmt::arg("mu", o.mu), fmt::arg("mu_head", o.mu_head), fmt::arg("tolerance", o.tolerance),
      fmt::arg("more_contact", o.more_contact));
}

Simulation hair(const HairOptions& options) {
  Result<Scene> scene = parse_scene(scene_text(options), "experiment.toml");
  if (!scene) throw std::logic_error(scene.error().message());
  Result<Simulation> made = Simulation::create(std::move(scene.value()));
  if (!made) throw std::runtime_error(made.error().message());
  return std::move(made.value());
}

SimulationStep step(Simulation& simulation) {
  Result<SimulationStep> taken = simulation.step();
  if (!taken) throw std::runtime_error(taken.error().message());
  return taken.value();
}

std::vector<std::pair<std::size_t, std::size_t>> neighbours(const Simulation& simulation) {
  const std::vector<Vector3d> x = simulation.positions();
  const std::vector<std::size_t> offsets = simulation.offsets();
  const std::size_t strands = offsets.size() - 1;
  std::set<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < strands; ++a) {
    std::vector<std::pair<double, std::size_t>> others;
    for (std::size_t b = 0; b < strands; ++b)
      if (b != a) others.emplace_back((x[offsets[a]] - x[offsets[b]]).squaredNorm(), b);
    const std::size_t count = std::min(neighbours_each, others.size());
    std::ranges::partial_sort(others, others.begin() + std::ptrdiff_t(count));
    for (std::size_t k = 0; k < count; ++k) pairs.insert(std::minmax(a, others[k].second));
  }
  return {pairs.begin(), pairs.end()};
}

double neighbour_variance(const Simulation& simulation, const std::vector<Vector3d>& start,
                          const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  const std::vector<Vector3d> x = simulation.positions();
  double sum = 0.0, squares = 0.0;
  std::size_t count = 0;
  for_vertices(simulation.offsets(), pairs, [&](std::size_t i, std::size_t j) {
    const double change = (x[i] - x[j]).norm() - (start[i] - start[j]).norm();
    sum += change, squares += change * change, ++count;
  });
  const double mean = sum / double(count);
  return squares / double(count) - mean * mean;
}

double incoherence(const Simulation& simulation, const std::vector<std::pair<std::size_t, std::size_t>>& pairs) {
  const std::vector<Vector3d> v = simulation.velocities();
  double relative = 0.0, all = 0.0;
  for_vertices(simulation.offsets(), pairs, [&](std::size_t i, std::size_t j) {
    relative += (v[i] - v[j]).squaredNorm(), all += v[i].squaredNorm() + v[j].squaredNorm();
  });
  return all > 0.0 ? relative / all : 0.0;
}

Clusters clusters(const std::vector<Vector3d>& positions, const std::vector<std::size_t>& offsets, double radius) {
  const std::vector<Strand> strands = strands_of(positions, offsets);
  const double reach = near_in_radii * radius;
  std::vector<std::vector<std::size_t>> partners(strands.size());
  parallel_for(strands.size(), [&](std::size_t a) {
    for (std::size_t b = a + 1; b < strands.size(); ++b)
      if (belong_together(strands[a], strands[b], reach)) partners[a].push_back(b);
  });
  std::vector<std::size_t> parent(strands.size()), size(strands.size(), 0);
  std::iota(parent.begin(), parent.end(), std::size_t(0));
  Clusters out;
  for (std::size_t a = 0; a < strands.size(); ++a)
    for (const std::size_t b : partners[a]) ++out.pairs, parent[find_root(parent, b)] = find_root(parent, a);
  for (std::size_t s = 0; s < strands.size(); ++s) ++size[find_root(parent, s)];
  for (const std::size_t members : size)
    if (members > 1) ++out.count, out.strands += members;
  return out;
}

double rms_distance(const std::vector<Vector3d>& a, const std::vector<Vector3d>& b) {
  double squares = 0.0;
  for (std::size_t v = 0; v < a.size(); ++v) squares += (a[v] - b[v]).squaredNorm();
  return std::sqrt(squares / double(a.size()));
}

}  // namespace tendril::experiments::contact
