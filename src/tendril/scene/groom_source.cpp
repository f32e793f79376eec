#include "tendril/scene/groom_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tendril/io/groom_file.hpp"
#include "tendril/rods/arc_length.hpp"
#include "tendril/scene/resample.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr double shortest_segment = 1e-7;  // [m], ten times what the rods need

// Where the new points are on the old strand.
std::vector<Spot> spots(std::span<const Vector3d> points, std::size_t vertices) {
  const std::vector<double> s = arc_lengths(points);
  std::vector<Spot> out;
  for (std::size_t v = 0; v < vertices; ++v) out.push_back(spot_at(s, s.back() * double(v) / double(vertices - 1)));
  return out;
}

// Points of the strand, both ends among them, that are shifted along it until their distances are equal: each piece
// grows as its chord is short of the mean. Slower than the walk, and equal only as far as the iteration comes.
void add_evened(std::span<const Vector3d> points, std::size_t vertices, std::vector<Vector3d>& out) {
  const std::vector<double> s = arc_lengths(points);
  std::vector<double> piece(vertices - 1, s.back() / double(vertices - 1)), chord(vertices - 1);
  std::vector<Vector3d> made(vertices, points.front());
  for (int iteration = 0; iteration < 500; ++iteration) {
    double at = 0.0, mean = 0.0, total = 0.0;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      const Spot spot = spot_at(s, at += piece[i]);
      made[i + 1] = point_at(points, spot);
      if (i + 1 == piece.size()) made.back() = points.back();
      chord[i] = (made[i + 1] - made[i]).norm(), mean += chord[i] / double(piece.size());
    }
    const auto [least, most] = std::ranges::minmax(chord);
    if (most - least < 1e-13 * mean) break;
    for (std::size_t i = 0; i < piece.size(); ++i) {
      // The root damps: at a sharp turn a longer piece may have a shorter chord. A chord may be zero, too.
      piece[i] *= std::clamp(std::sqrt(mean / chord[i]), 0.5, 2.0);
      total += piece[i];
    }
    for (double& p : piece) p *= s.back() / total;
  }
  out.insert(out.end(), made.begin(), made.end());
}

// Where a strand turns sharply the walk may end before its tip or step over it, whatever the chord.
void add_resampled(std::span<const Vector3d> points, std::size_t vertices, std::vector<Vector3d>& out) {
  const std::size_t begin = out.size();
  const double chord = fitting_chord(points, vertices);
  walk_with_chord(points, chord, vertices, out);
  if ((out.back() - points.back()).norm() <= 1e-9 * chord) return;
  out.resize(begin);
  add_evened(points, vertices, out);
}

// Bindings to guides name strands by index where there are no ids: strands that go would change what they mean.
void keep_names_of_guides(Groom& groom) {
  if (groom.attribute("closest_guides") == nullptr || groom.attribute("groom_id") != nullptr) return;
  GroomAttribute ids{"groom_id", false, 1, {}};
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) ids.values.push_back(double(s));
  groom.attributes.push_back(std::move(ids));
}

}  // namespace

Groom resampled(const Groom& groom, std::size_t vertices) {
  Groom out;
  out.metres_per_unit = groom.metres_per_unit, out.up = groom.up;
  for (const GroomAttribute& attribute : groom.attributes)
    out.attributes.push_back({attribute.name, attribute.per_vertex, attribute.components,
                              attribute.per_vertex ? std::vector<double>{} : attribute.values});
  for (std::size_t strand = 0; strand < groom.curves.strands(); ++strand) {
    const std::span<const Vector3d> points = groom.curves.strand(strand);
    add_resampled(points, vertices, out.curves.points);
    out.curves.offsets.push_back(out.curves.points.size());
    for (const Spot& spot : spots(points, vertices)) {
      const std::size_t v = groom.curves.offsets[strand] + spot.before;
      const auto mixed = [&](const std::vector<double>& values, std::size_t n, std::size_t c) {
        return (1.0 - spot.along) * values[n * v + c] + spot.along * values[n * (v + 1) + c];
      };
      if (!groom.radius.empty()) out.radius.push_back(mixed(groom.radius, 1, 0));
      for (std::size_t a = 0; a < groom.attributes.size(); ++a)
        for (std::size_t c = 0; groom.attributes[a].per_vertex && c < std::size_t(groom.attributes[a].components); ++c)
          out.attributes[a].values.push_back(
              mixed(groom.attributes[a].values, std::size_t(groom.attributes[a].components), c));
    }
  }
  return out;
}

Result<LoadedGroom> prepare_groom(Groom groom, const GroomRequest& request) {
  LoadedGroom loaded{std::move(groom), {}, {}};
  Groom& made = loaded.groom;
  if (!request.scale && !made.metres_per_unit)
    loaded.assumptions.push_back("the file has no unit: metres were assumed");
  if (!request.up && !made.up) loaded.assumptions.push_back("the file does not say which way is up: y was assumed");
  to_metres(made, request.scale ? *request.scale : made.metres_per_unit.value_or(1.0),
            request.up ? *request.up : made.up.value_or(UpAxis::y));
  keep_names_of_guides(made);
  loaded.repairs = repair(made, shortest_segment);
  if (request.subsample > 1) {
    std::vector<char> keep(made.curves.strands());
    for (std::size_t s = 0; s < keep.size(); s += std::size_t(request.subsample)) keep[s] = 1;
    made = selected(made, keep);
  }
  if (request.resample >= 2) {
    made = resampled(made, std::size_t(request.resample));
    loaded.repairs += repair(made, shortest_segment);  // few points of a ring or a zigzag may make no curve
  }
  if (made.curves.strands() == 0)
    return Error{request.file.string(), loaded.repairs.any()
                                            ? fmt::format("has no strand left: {}", loaded.repairs.text())
                                            : "has no strands"};
  return loaded;
}

Result<LoadedGroom> load_groom(const GroomRequest& request) {
  Result<Groom> read = read_groom(request.file);
  if (!read) return read.error();
  return prepare_groom(std::move(read.value()), request);
}

}  // namespace tendril
