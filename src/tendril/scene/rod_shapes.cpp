#include "tendril/scene/rod_shapes.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "tendril/scene/resample.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
using Points = std::vector<Vector3d>;

constexpr double full_turn = 2.0 * std::numbers::pi;

// A frame (across, up, axis) in which a shape is drawn. `across` keeps to +y or, about a vertical axis, to +x.
struct ShapeFrame {
  explicit ShapeFrame(const Vector3d& direction) : axis(direction.normalized()) {
    const Vector3d hint = std::abs(axis.y()) < 0.9 ? Vector3d::UnitY() : Vector3d::UnitX();
    across = (hint - axis * axis.dot(hint)).normalized();
    up = axis.cross(across);
  }
  Vector3d axis, across, up;
};

Points straight_rod(const GeneratorOptions& options) {
  const Vector3d direction = options.axis.normalized();
  Points points;
  for (int v = 0; v < options.vertices; ++v)
    points.push_back(direction * (options.length * v / (options.vertices - 1)));
  return points;
}

// Equal steps of the angle are equal chords, by symmetry. The root is at the end of the axis.
Points helix(const GeneratorOptions& options) {
  const ShapeFrame frame(options.axis);
  Points points;
  for (int v = 0; v < options.vertices; ++v) {
    const double turn = options.turns * v / (options.vertices - 1), angle = full_turn * turn;
    points.push_back(options.radius * (std::cos(angle) * frame.across + std::sin(angle) * frame.up) +
                     options.pitch * turn * frame.axis);
  }
  return points;
}

// An open polyline: the segment that would close the last turn is left out, so no two vertices coincide.
Points ring(const GeneratorOptions& options) {
  const ShapeFrame frame(options.axis);
  Points points;
  for (int v = 0; v < options.vertices; ++v) {
    const double angle = full_turn * options.turns * v / options.vertices;
    points.push_back(options.radius * (std::cos(angle) * frame.across + std::sin(angle) * frame.up));
  }
  return points;
}

// The overhand knot with ends that reach out along the axis: ((t^5 - 10 t)/6, t^3 - 3 t, (t^4 - 4 t^2)/2), |t| <= 2.45.
Points knot(const GeneratorOptions& options) {
  const ShapeFrame frame(options.axis);
  constexpr int samples = 20000;
  Points curve, points;
  for (int i = 0; i <= samples; ++i) {
    const double t = 2.45 * (2.0 * i / samples - 1.0), t2 = t * t;
    curve.push_back((t2 * t2 * t - 10.0 * t) / 6.0 * frame.axis + (t2 * t - 3.0 * t) * frame.across +
                    (t2 * t2 - 4.0 * t2) / 2.0 * frame.up);
  }
  const double chord = fitting_chord(curve, static_cast<std::size_t>(options.vertices));
  walk_with_chord(curve, chord, static_cast<std::size_t>(options.vertices), points);
  const double scale = options.length / (chord * (options.vertices - 1));
  for (Vector3d& point : points) point *= scale;
  return points;
}

Points shape(const GeneratorOptions& options) {
  switch (options.kind) {
    case GeneratorKind::helix:
    case GeneratorKind::coil: return helix(options);
    case GeneratorKind::ring: return ring(options);
    case GeneratorKind::knot: return knot(options);
    default: return straight_rod(options);
  }
}

// The places of a hexagonal lattice that are nearest to its centre, which fill a disc: as round as a lattice can be.
Points packed_in_disc(const GeneratorOptions& options) {
  const ShapeFrame frame(options.axis);
  const double area = std::numbers::pi * options.radius * options.radius / options.count;  // of each strand
  const double spacing = std::sqrt(2.0 / std::sqrt(3.0) * area), row = 0.5 * std::sqrt(3.0) * spacing;
  const int reach = static_cast<int>(std::ceil(options.radius / row)) + 2;
  Points places;
  for (int j = -reach; j <= reach; ++j)
    for (int i = -reach; i <= reach; ++i)
      places.push_back((i + 0.5 * (j & 1)) * spacing * frame.across + j * row * frame.up);
  std::ranges::stable_sort(places, {}, [](const Vector3d& place) { return place.squaredNorm(); });
  places.resize(static_cast<std::size_t>(options.count));
  return places;
}

Points places(const GeneratorOptions& options) {
  if (options.kind == GeneratorKind::tress) return packed_in_disc(options);
  Points side_by_side;
  for (int s = 0; s < options.count; ++s) side_by_side.push_back(s * options.spacing);
  return side_by_side;
}

}  // namespace

Curves generate_rods(const GeneratorOptions& options) {
  const Points points = shape(options);
  Curves curves;
  for (const Vector3d& place : places(options)) {
    const Vector3d shift = options.origin + place;
    std::ranges::transform(points, std::back_inserter(curves.points),
                           [&](const Vector3d& p) -> Vector3d { return p + shift; });
    curves.offsets.push_back(curves.points.size());
  }
  return curves;
}

}  // namespace tendril
