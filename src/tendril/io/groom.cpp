#include "tendril/io/groom.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace tendril {
namespace {

using Eigen::Vector3d;

constexpr double smallest_chi = 1e-6;  // 1 + cosine of the turning angle: a fold-back of 180 degrees to 0.08 degrees

// As float32, which is what frames and most files hold: the square of a larger number may not be finite.
bool all_finite(std::span<const Vector3d> points) {
  const auto finite = [](double c) { return std::abs(c) <= double(std::numeric_limits<float>::max()); };
  return std::ranges::all_of(points, [&](const Vector3d& p) { return finite(p[0]) && finite(p[1]) && finite(p[2]); });
}

bool turns_back(const Vector3d& a, const Vector3d& b, const Vector3d& c) {
  return 1.0 + (b - a).normalized().dot((c - b).normalized()) <= smallest_chi;
}

// Indices of the strand's points that make a curve: no two neighbours at one place, no turning back.
void find_sound_points(std::span<const Vector3d> x, double shortest, GroomRepairs& repairs,
                       std::vector<std::size_t>& kept) {
  kept.clear();
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
}

// What is kept of a groom. One list each, for a groom may have many short strands.
struct Selection {
  std::vector<std::size_t> strands, points;  // numbers in the old groom
  std::vector<std::size_t> offsets = {0};    // into `points`: the first of each strand, then the total
};

// A groom of the selected points with all that is known of them.
Groom gathered(const Groom& groom, const Selection& kept) {
  Groom out;
  out.metres_per_unit = groom.metres_per_unit, out.up = groom.up;
  out.curves.offsets = kept.offsets;
  out.curves.points.reserve(kept.points.size());
  for (const std::size_t v : kept.points) out.curves.points.push_back(groom.curves.points[v]);
  if (!groom.radius.empty()) {
    out.radius.reserve(kept.points.size());
    for (const std::size_t v : kept.points) out.radius.push_back(groom.radius[v]);
  }
  for (const GroomAttribute& from : groom.attributes) {
    GroomAttribute& to = out.attributes.emplace_back(GroomAttribute{from.name, from.per_vertex, from.components, {}});
    const auto n = std::size_t(from.components);
    const std::vector<std::size_t>& elements = from.per_vertex ? kept.points : kept.strands;
    to.values.reserve(n * elements.size());
    for (const std::size_t e : elements)
      for (std::size_t c = 0; c < n; ++c) to.values.push_back(from.values[n * e + c]);
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

std::map<std::string, std::size_t> GroomRepairs::counts() const {
  return {{"strands_not_finite_dropped", not_finite_dropped},
          {"strands_short_dropped", short_dropped},
          {"points_merged", points_merged},
          {"spikes_removed", spikes_removed}};
}

GroomRepairs& GroomRepairs::operator+=(const GroomRepairs& other) {
  not_finite_dropped += other.not_finite_dropped, short_dropped += other.short_dropped;
  points_merged += other.points_merged, spikes_removed += other.spikes_removed;
  return *this;
}

GroomRepairs repair(Groom& groom, double shortest) {
  GroomRepairs repairs;
  Selection kept;
  std::vector<std::size_t> sound;
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    const std::span<const Vector3d> x(groom.curves.points.data() + groom.curves.offsets[s], groom.curves.vertices(s));
    if (!all_finite(x)) {
      ++repairs.not_finite_dropped;
      continue;
    }
    GroomRepairs within;
    find_sound_points(x, shortest, within, sound);
    if (sound.size() < 2) {
      ++repairs.short_dropped;
      continue;
    }
    repairs.points_merged += within.points_merged, repairs.spikes_removed += within.spikes_removed;
    kept.strands.push_back(s);
    for (const std::size_t i : sound) kept.points.push_back(groom.curves.offsets[s] + i);
    kept.offsets.push_back(kept.points.size());
  }
  if (repairs.any()) groom = gathered(groom, kept);
  return repairs;
}

Groom selected(const Groom& groom, const std::vector<char>& keep) {
  Selection kept;
  for (std::size_t s = 0; s < groom.curves.strands(); ++s) {
    if (!keep[s]) continue;
    kept.strands.push_back(s);
    for (std::size_t v = groom.curves.offsets[s]; v < groom.curves.offsets[s + 1]; ++v) kept.points.push_back(v);
    kept.offsets.push_back(kept.points.size());
  }
  return gathered(groom, kept);
}

void to_metres(Groom& groom, double scale, UpAxis up) {
  for (Vector3d& p : groom.curves.points) p = scale * (up == UpAxis::z ? Vector3d(p.x(), p.z(), -p.y()) : p);
  for (double& r : groom.radius) r *= scale;
  groom.metres_per_unit = 1.0, groom.up = UpAxis::y;
}

}  // namespace tendril
