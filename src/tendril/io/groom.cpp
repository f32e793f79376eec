#include "tendril/io/groom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr double smallest_chi = 1e-6;  // 1 + cosine of the turning angle: a fold-back of 180 degrees to 0.08 degrees

bool all_finite(std::span<const Vector3d> points) {
  return std::ranges::all_of(points, [](const Vector3d& p) { return p.allFinite(); });
}

bool turns_back(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return 1.0 + (b - a).normalized().dot((c - b).normalized()) <= smallest_chi;
}

// Indices of the strand's points that make a curve: no two neighbours at one place, no turning back.
std::vector<std::size_t> sound_points(std::span<const Vector3d> x, double shortest, GroomRepairs& repairs) {
  std::vector<std::size_t> kept;
  const auto apart = [&](std::size_t i, std::size_t j) { return (x[i] - x[j]).norm() > shortest; };
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!kept.empty() && !apart(i, kept.back())) {
      ++repairs.points_merged;
      continue;
    }
    while (kept.size() >= 2 && turns_back(x[kept[kept.size() - 2]], x[kept.back()], x[i])) {
      kept.pop_back();  // the tip of a spike
      ++repairs.spikes_removed;
    }
    if (kept.empty() || apart(i, kept.back()))
      kept.push_back(i);
    else
      ++repairs.points_merged;
  }
  return kept;
}

// A groom of the given points, which are listed strand by strand, with all that is known of them.
Groom gathered(const Groom& groom, const std::vector<std::size_t>& strands,
               const std::vector<std::vector<std::size_t>>& points) {
  Groom out;
  out.metres_per_unit = groom.metres_per_unit, out.up = groom.up;
  for (const GroomAttribute& attribute : groom.attributes)
    out.attributes.push_back({attribute.name, attribute.per_vertex, attribute.components, {}});
  const auto copy = [](const GroomAttribute& from, std::size_t element, GroomAttribute& to) {
    const auto n = std::size_t(from.components);
    to.values.insert(to.values.end(), from.values.begin() + std::ptrdiff_t(n * element),
                     from.values.begin() + std::ptrdiff_t(n * (element + 1)));
  };
  for (std::size_t i = 0; i < strands.size(); ++i) {
    for (const std::size_t point : points[i]) {
      const std::size_t v = groom.curves.offsets[strands[i]] + point;
      out.curves.points.push_back(groom.curves.points[v]);
      if (!groom.radius.empty()) out.radius.push_back(groom.radius[v]);
      for (std::size_t a = 0; a < groom.attributes.size(); ++a)
        if (groom.attributes[a].per_vertex) copy(groom.attributes[a], v, out.attributes[a]);
    }
    for (std::size_t a = 0; a < groom.attributes.size(); ++a)
      if (!groom.attributes[a].per_vertex) copy(groom.attributes[a], strands[i], out.attributes[a]);
    out.curves.offsets.push_back(out.curves.points.size());
  }
  return out;
}

std::string counted(std::size_t count, const char* one, const char* many, const char* what) {
  return fmt::format("{} {} {}", count, count == 1 ? one : many, what);
}

}  // namespace

const GroomAttribute* Groom::attribute(std::string_view name) const {
  const auto found = std::ranges::find(attributes, name, &GroomAttribute::name);
  return found == attributes.end() ? nullptr : &*found;
}

std::string GroomRepairs::text() const {
  std::string out;
  const auto add = [&](std::size_t count, const char* one, const char* many, const char* what) {
    if (count > 0) out += (out.empty() ? "" : ", ") + counted(count, one, many, what);
  };
  add(not_finite_dropped, "strand", "strands", "with a coordinate that is not a finite number dropped");
  add(short_dropped, "strand", "strands", "with fewer than two different points dropped");
  add(points_merged, "point", "points", "merged with the point before");
  add(spikes_removed, "point", "points", "removed where a strand turned back onto itself");
  return out;
}

GroomRepairs repair(Groom& groom, double shortest) {
  GroomRepairs repairs;
  std::vector<std::size_t> strands;
  std::vector<std::vector<std::size_t>> points;
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    const std::span<const Vector3d> x(groom.curves.points.data() + groom.curves.offsets[s], groom.curves.vertices(s));
    if (!all_finite(x)) {
      ++repairs.not_finite_dropped;
      continue;
    }
    GroomRepairs within;
    std::vector<std::size_t> sound = sound_points(x, shortest, within);
    if (sound.size() < 2) {
      ++repairs.short_dropped;
      continue;
    }
    repairs.points_merged += within.points_merged, repairs.spikes_removed += within.spikes_removed;
    strands.push_back(s);
    points.push_back(std::move(sound));
  }
  if (repairs.any()) groom = gathered(groom, strands, points);
  return repairs;
}

Groom selected(const Groom& groom, const std::vector<char>& keep) {
  std::vector<std::size_t> strands;
  std::vector<std::vector<std::size_t>> points;
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    if (!keep[s]) continue;
    strands.push_back(s);
    std::vector<std::size_t>& all = points.emplace_back(groom.curves.vertices(s));
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  }
  return gathered(groom, strands, points);
}

void to_metres(Groom& groom, double scale, UpAxis up) {
  for (Vector3d& p : groom.curves.points) p = scale * (up == UpAxis::z ? Vector3d(p.x(), p.z(), -p.y()) : p);
  for (double& r : groom.radius) r *= scale;
  groom.metres_per_unit = 1.0, groom.up = UpAxis::y;
}

}  // namespace tendril
