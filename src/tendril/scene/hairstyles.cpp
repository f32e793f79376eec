#include "tendril/scene/hairstyles.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tendril/base/parallel.hpp"
#include "tendril/base/random.hpp"
#include "tendril/scene/resample.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

constexpr double full_turn = 2.0 * std::numbers::pi;
constexpr int samples_per_segment = 4;
const Vector3d down = -Vector3d::UnitY();

// 0 below 0, 1 above 1, smooth in between.
double ramp(double s) {
  s = std::clamp(s, 0.0, 1.0);
  return s * s * (3.0 - 2.0 * s);
}

Vector3d head_normal(const Head& head, const Vector3d& point) {
  return (point - head.centre).cwiseQuotient(head.radii.cwiseAbs2()).normalized();
}

// ---- Roots ----

struct Root {
  Vector3d direction;  // on the unit sphere that the head is a stretched image of
  Vector3d position, normal;
};

Root root_at(const Head& head, const Vector3d& direction) {
  const Vector3d position = head.centre + head.radii.cwiseProduct(direction);
  return {direction, position, head_normal(head, position)};
}

bool bears_hair(const GeneratorOptions& options, const Vector3d& direction) {
  if (!on_scalp(options.head, direction)) return false;
  if (options.kind != GeneratorKind::fringe) return true;
  return direction.z() > 0.35 && std::abs(direction.x()) < 0.5 && direction.y() < options.head.hairline + 0.25;
}

// Point i of n on the unit sphere: equal bands of height, turned by the golden angle from one to the next.
Vector3d fibonacci_point(std::size_t i, std::size_t n) {
  const double y = 1.0 - (2.0 * static_cast<double>(i) + 1.0) / static_cast<double>(n);
  const double angle = static_cast<double>(i) * std::numbers::pi * (3.0 - std::sqrt(5.0)), r = std::sqrt(1.0 - y * y);
  return {r * std::cos(angle), y, r * std::sin(angle)};
}

struct Lattice {
  Points directions;
  double spacing = 0.0;  // on the unit sphere
};

// `count` lattice points that bear hair. The lattice over the whole sphere is made a little too dense; what is too much
// is left out evenly.
Lattice scalp_lattice(const GeneratorOptions& options, std::size_t count) {
  const auto inside = [&](std::size_t n) {
    Points points;
    for (std::size_t i = 0; i < n; ++i)
      if (const Vector3d p = fibonacci_point(i, n); bears_hair(options, p)) points.push_back(p);
    return points;
  };
  std::size_t n = 2 * count + 64;
  Points points = inside(n);
  while (points.size() < count) {
    const double wanted =
        1.02 * static_cast<double>(count) / static_cast<double>(std::max<std::size_t>(points.size(), 1));
    n = static_cast<std::size_t>(static_cast<double>(n) * std::clamp(wanted, 1.02, 8.0)) + 1;
    points = inside(n);
  }
  Lattice lattice{{}, std::sqrt(2.0 * full_turn / static_cast<double>(n))};
  for (std::size_t i = 0; i < count; ++i) lattice.directions.push_back(points[i * points.size() / count]);
  return lattice;
}

Root jittered_root(const GeneratorOptions& options, const Lattice& lattice, std::size_t index, Random& random) {
  const Vector3d& at = lattice.directions[index];
  const double reach = 0.3 * lattice.spacing;
  const Vector3d a = at.unitOrthogonal(), b = at.cross(a);
  const double da = random.uniform(-reach, reach), db = random.uniform(-reach, reach);
  const Vector3d moved = (at + da * a + db * b).normalized();
  return root_at(options.head, bears_hair(options, moved) ? moved : at);
}

// ---- Centrelines ----

// Level direction in which the hair at a root is combed: parted in the middle and to the sides of the face in front,
// straight back behind the crown.
Vector3d combed(const GeneratorOptions& options, const Root& root) {
  const double x = root.direction.x(), z = root.direction.z();
  if (options.kind == GeneratorKind::fringe) return Vector3d(0.4 * x, 0.0, 1.0).normalized();
  const double front = ramp((z + 0.5) / 0.5);
  const Vector3d to_the_side(x + (x < 0.0 ? -0.3 : 0.3), 0.0, -0.5 * z), back(0.5 * x, 0.0, -0.4);
  return (front * to_the_side + (1.0 - front) * back).normalized();
}

// The place behind the head where a ponytail is tied, and the strand's own place in the bundle there.
struct Tie {
  Vector3d place, axis;
};

Tie tie_of(const Head& head, const Root& root) {
  const Vector3d direction = Vector3d(0.0, 0.35, -1.0).normalized();
  const Root knot = root_at(head, direction);
  const Vector3d axis = (knot.normal + 0.3 * Vector3d::UnitY()).normalized();
  // Strands keep their order around the tie, those from far away outermost.
  Vector3d around = root.direction - direction * direction.dot(root.direction);
  const double far = std::acos(std::clamp(direction.dot(root.direction), -1.0, 1.0)) / std::numbers::pi;
  around -= axis * axis.dot(around);
  return {knot.position + 0.015 * axis + 0.018 * far * around.normalized(), axis};
}

struct Growth {
  double lift = 0.0;    // [m], clearance from the head
  double length = 0.0;  // [m], of the centreline
  double step = 0.0;    // [m]
};

struct Wish {
  Vector3d heading;          // unit
  double turn_length = 0.0;  // [m], way within which a strand comes round to it
};

// Where a strand wants to go after the way s; `past_tie` is the way since a ponytail passed its tie, negative before.
Wish wish(const GeneratorOptions& options, const Root& root, const Vector3d& x, double s, double past_tie) {
  if (options.kind == GeneratorKind::afro) return {(root.normal + 0.15 * down).normalized(), 0.1};
  if (options.kind == GeneratorKind::ponytail) {
    const Tie tie = tie_of(options.head, root);
    if (past_tie >= 0.0) {
      const double through = std::exp(-past_tie / 0.02);
      return {(down + 3.0 * through * tie.axis).normalized(), 0.04 - 0.035 * through};
    }
    const Vector3d way = tie.place - x;
    const Vector3d aim = way - 0.6 * std::min(way.norm(), 0.03) * tie.axis;  // so that it arrives along the axis
    return {aim.normalized(), std::clamp(0.4 * way.norm(), 0.003, 0.01 + 0.3 * s)};
  }
  if (options.kind == GeneratorKind::fringe) return {(down + 0.15 * combed(options, root)).normalized(), 0.01};
  return {(down + std::exp(-s / 0.05) * combed(options, root)).normalized(), 0.022};
}

bool reaches_tie(const Head& head, const Root& root, const Vector3d& x) {
  const Tie tie = tie_of(head, root);
  const Vector3d way = tie.place - x;
  return way.norm() < 0.003 || (way.norm() < 0.015 && way.dot(tie.axis) < 0.0);
}

Points grow(const GeneratorOptions& options, const Root& root, const Growth& growth) {
  Points line = {root.position};
  Vector3d x = root.position, heading = root.normal;
  double past_tie = -1.0;
  const double stem = std::clamp(samples_per_segment * growth.step, 0.003, 0.006);  // [m], straight out of the skin
  const auto steps = static_cast<std::size_t>(std::ceil(growth.length / growth.step));
  line.reserve(steps + 1);
  for (std::size_t k = 1; k <= steps; ++k) {
    const double s = static_cast<double>(k) * growth.step;
    x += growth.step * heading;
    line.push_back(x);
    if (past_tie >= 0.0)
      past_tie += growth.step;
    else if (options.kind == GeneratorKind::ponytail && reaches_tie(options.head, root, x))
      past_tie = 0.0;
    if (s < stem) continue;
    const Wish goal = wish(options, root, x, s - stem, past_tie);
    heading += (goal.heading - heading) * std::min(1.0, growth.step / goal.turn_length);
    // Near the head it may approach only as fast as the room that is left allows; below its clearance it must rise.
    const double room = head_distance(options.head, x) - growth.lift * ramp(s / 0.04);
    const Vector3d normal = head_normal(options.head, x);
    const double inward = -heading.dot(normal), allowed = std::max(room / (0.005 + 0.5 * growth.lift), -1.0);
    if (inward > allowed) heading += (inward - allowed) * normal;
    heading.normalize();
  }
  return line;
}

// ---- Locks, curls and noise ----

// What the strands of one lock share: a centreline to draw together on, and the phase and hand of their curl.
struct Lock {
  Root root;
  Points line;
  double phase = 0.0;    // [rad]
  double hand = 1.0;     // +1 or -1
  double stretch = 1.0;  // of the curl's length
};

// The sampling of all strands of one head: a sample every `step` along the centreline.
struct Sampling {
  double chord = 0.0;   // [m], of the strands that come out
  double step = 0.0;    // [m]
  double length = 0.0;  // [m], of the centrelines; more than any strand takes
};

double lift_of(const GeneratorOptions& options, const Root& root, Random& random) {
  const double higher = 0.5 + 0.5 * root.direction.y();  // hair from the crown lies over the hair from below
  return options.lift * (0.25 + 0.75 * higher) * random.uniform(0.6, 1.4) + 1.2 * options.curl_radius +
         options.wave_amplitude;
}

Lock make_lock(const GeneratorOptions& options, const Sampling& sampling, const Vector3d& direction, Random random) {
  Lock lock{root_at(options.head, direction), {}};
  lock.line = grow(options, lock.root, {lift_of(options, lock.root, random), sampling.length, sampling.step});
  lock.phase = random.uniform(0.0, full_turn);
  lock.hand = random.uniform() < 0.5 ? -1.0 : 1.0;
  lock.stretch = random.uniform(0.9, 1.15);
  return lock;
}

const Lock& nearest_lock(const std::vector<Lock>& locks, const Root& root) {
  const auto distance = [&root](const Lock& lock) {
    const bool across_the_parting = lock.root.direction.x() * root.direction.x() < 0.0;
    return (lock.root.direction - root.direction).squaredNorm() + (across_the_parting ? 0.1 : 0.0);
  };
  return *std::ranges::min_element(locks, {}, distance);
}

void draw_together(const GeneratorOptions& options, const Lock& lock, const Sampling& sampling, Points& line) {
  for (std::size_t k = 0; k < line.size(); ++k) {
    const Vector3d way = lock.line[k] - line[k];
    const double near = 1.0 / (1.0 + way.squaredNorm() / (0.03 * 0.03));  // a lock does not reach far
    line[k] += options.clump * near * ramp(static_cast<double>(k) * sampling.step / (0.6 * options.length)) * way;
  }
}

// Curls and waves about the centreline, in directions that are carried along it without twist.
void curl(const GeneratorOptions& options, const Lock& lock, const Sampling& sampling, double phase, double size,
          Points& line) {
  const double strand_per_turn = lock.stretch * options.length / std::max(options.curl_turns, 1e-9);
  const double radius = std::min(options.curl_radius * size, 0.95 * strand_per_turn / full_turn);
  const double pitch = std::sqrt(strand_per_turn * strand_per_turn - full_turn * full_turn * radius * radius);
  const double wave_length = lock.stretch * options.length / std::max(options.waves, 1e-9);
  const double wave = options.wave_amplitude * size;

  Vector3d across = lock.root.normal.unitOrthogonal(), forward = lock.root.normal;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (k + 1 < line.size()) forward = (line[k + 1] - line[k]).normalized();
    across = (across - forward * forward.dot(across)).normalized();
    const Vector3d up = forward.cross(across);
    const double s = static_cast<double>(k) * sampling.step, grown = ramp(s / (0.2 * options.length));
    const double curl_angle = phase + lock.hand * full_turn * s / pitch,
                 wave_angle = phase + full_turn * s / wave_length;
    line[k] += grown * radius * (std::cos(curl_angle) * across + std::sin(curl_angle) * up);
    line[k] += grown * wave * (std::sin(wave_angle) * across + 0.3 * std::cos(wave_angle) * up);
  }
}

// Slow random bends, more of them towards the tip: three waves along the strand in each direction.
void stray(const GeneratorOptions& options, const Sampling& sampling, Random& random, Points& line) {
  for (int waves = 1; waves <= 3; ++waves) {
    const double size = options.noise / waves;
    const auto [x, y, z] = random.direction();
    const Vector3d amplitude = size * random.uniform(0.3, 1.5) * Vector3d(x, y, z);
    const double phase = random.uniform(0.0, full_turn), number = waves * random.uniform(0.7, 1.3);
    for (std::size_t k = 0; k < line.size(); ++k) {
      const double s = static_cast<double>(k) * sampling.step / options.length;
      line[k] += ramp(s / 0.5) * std::sin(full_turn * number * s + phase) * amplitude;
    }
  }
}

// What all that has pushed into the head comes out again, far enough that no chord cuts through.
void keep_out(const GeneratorOptions& options, const Sampling& sampling, Points& line) {
  const double margin = 0.0005 + sampling.chord * sampling.chord / (2.0 * options.head.radii.minCoeff());
  for (std::size_t k = 0; k < line.size(); ++k) {
    const double wanted = std::min(margin, static_cast<double>(k) * sampling.step);
    for (int round = 0; round < 3; ++round)  // the distance is not quite exact
      if (const double missing = wanted - head_distance(options.head, line[k]); missing > 0.0)
        line[k] += missing * head_normal(options.head, line[k]);
  }
}

}  // namespace

bool on_scalp(const Head& head, const Vector3d& direction) {
  const double level = std::hypot(direction.x(), direction.z());
  if (direction.y() > 0.0 && level < 1e-9) return true;
  // Height of the edge at the brow, over the ears and at the nape, joined by a parabola in the cosine of the azimuth.
  const double front = head.hairline, side = 0.05, nape = -0.45, c = direction.z() / level;
  return direction.y() > side + 0.5 * (front - nape) * c + (0.5 * (front + nape) - side) * c * c;
}

double head_distance(const Head& head, const Vector3d& point) {
  const Vector3d scaled = (point - head.centre).cwiseQuotient(head.radii);
  const double f = scaled.norm();
  if (f == 0.0) return -head.radii.minCoeff();
  return (f - 1.0) * f / scaled.cwiseQuotient(head.radii).norm();
}

Curves generate_hair(const GeneratorOptions& options, std::uint64_t seed) {
  const auto count = static_cast<std::size_t>(options.count), vertices = static_cast<std::size_t>(options.vertices);
  const double chord = options.length / static_cast<double>(vertices - 1);
  const Sampling sampling{chord, chord / samples_per_segment, 1.1 * options.length + 2.0 * chord};

  constexpr std::uint64_t first_lock_stream = std::uint64_t{1} << 32;
  const std::size_t lock_count = std::max<std::size_t>(count / static_cast<std::size_t>(options.clump_size), 1);
  const Lattice lock_roots = scalp_lattice(options, lock_count);
  std::vector<Lock> locks(lock_count);
  parallel_for(lock_count, [&](std::size_t i) {
    locks[i] = make_lock(options, sampling, lock_roots.directions[i], Random(seed, first_lock_stream + i));
  });

  const Lattice roots = scalp_lattice(options, count);
  Curves curves;
  curves.points.resize(count * vertices);
  for (std::size_t i = 1; i <= count; ++i) curves.offsets.push_back(i * vertices);
  parallel_for(count, [&](std::size_t i) {
    Random random(seed, i);
    const Root root = jittered_root(options, roots, i, random);
    const Lock& lock = nearest_lock(locks, root);
    Points line = grow(options, root, {lift_of(options, root, random), sampling.length, sampling.step});
    draw_together(options, lock, sampling, line);
    const double phase = lock.phase + (0.3 + 1.5 * (1.0 - options.clump)) * random.normal();
    curl(options, lock, sampling, phase, random.uniform(0.85, 1.1), line);
    stray(options, sampling, random, line);
    keep_out(options, sampling, line);

    Points strand;
    walk_with_chord(line, chord * (1.0 - options.length_variation * random.uniform()), vertices, strand);
    std::ranges::copy(strand, curves.points.begin() + static_cast<std::ptrdiff_t>(i * vertices));
  });
  return curves;
}

}  // namespace tendril
