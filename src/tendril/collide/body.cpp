#include "tendril/collide/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::collide {
namespace {

constexpr int bisections = 60;   // to the last digit of a place in [0, 1]
constexpr int mesh_samples = 8;  // along a segment: a bump between two of them may be missed
constexpr int mesh_refinements = 30;
constexpr double deeper = 0.01;  // of the radius: by less, a lowest point adds nothing to a vertex

const MeshShape* mesh_of(const Shape& shape) {
  const auto* mesh = std::get_if<std::shared_ptr<const MeshShape>>(&shape);
  return mesh != nullptr ? mesh->get() : nullptr;
}

bool is_finite(const Pose& pose) { return pose.rotation.coeffs().allFinite() && pose.translation.allFinite(); }

// A segment in the frame of a body, with the radius along it.
struct SegmentAtBody {
  const Body& body;
  Segment segment;
  double radius_start, radius_end;

  double length() const { return segment.direction().norm(); }
  double radius(double s) const { return radius_start + s * (radius_end - radius_start); }
  SurfacePoint surface(double s) const {
    const auto ask = [&](const auto& shape) {
      if constexpr (requires { *shape; })
        return nearest(*shape, segment.at(s));
      else
        return nearest(shape, segment.at(s));
    };
    return std::visit(ask, body.shape);
  }
  double gap(double s) const { return surface(s).distance - radius(s); }

  double lowest() const { return mesh_of(body.shape) != nullptr ? lowest_at_mesh() : lowest_at_convex(); }

  // The gap is a convex function of s: its slope changes sign once. The normal is a subgradient even where the
  // distance has a kink.
  double lowest_at_convex() const {
    const auto slope = [&](double s) {
      return surface(s).normal.dot(segment.direction()) - (radius_end - radius_start);
    };
    if (slope(0.0) >= 0.0) return 0.0;
    if (slope(1.0) <= 0.0) return 1.0;
    double low = 0.0, high = 1.0;
    for (int i = 0; i < bisections; ++i) {
      const double middle = 0.5 * (low + high);
      (slope(middle) < 0.0 ? low : high) = middle;
    }
    return 0.5 * (low + high);
  }

  // The lowest of some samples, then the golden section between its neighbours.
  double lowest_at_mesh() const {
    int best = 0;
    double best_gap = gap(0.0);
    for (int k = 1; k <= mesh_samples; ++k)
      if (const double here = gap(static_cast<double>(k) / mesh_samples); here < best_gap) best = k, best_gap = here;
    double low = std::max(0, best - 1) / static_cast<double>(mesh_samples);
    double high = std::min(mesh_samples, best + 1) / static_cast<double>(mesh_samples);
    constexpr double golden = 0.6180339887498949;
    for (int i = 0; i < mesh_refinements; ++i) {
      const double left = high - golden * (high - low), right = low + golden * (high - low);
      if (gap(left) < gap(right))
        high = right;
      else
        low = left;
    }
    const double refined = 0.5 * (low + high), sample = static_cast<double>(best) / mesh_samples;
    return gap(refined) < best_gap ? refined : sample;
  }

  // How far from `lowest` towards `end` the gap stays below the bound.
  double reach(double lowest, double end, double bound) const {
    if (gap(end) <= bound) return end;
    double within = lowest, beyond = end;
    for (int i = 0; i < bisections / 2; ++i) {
      const double middle = 0.5 * (within + beyond);
      (gap(middle) <= bound ? within : beyond) = middle;
    }
    return within;
  }

  struct Places {
    std::array<double, 3> s = {};
    int count = 0;
    void add(double place) { s[static_cast<std::size_t>(count++)] = place; }
  };

  // Where on the segment contacts are made.
  Places places(const Margin& margin) const {
    const auto within = [&](double s, double its_gap) { return its_gap < margin.between(radius(s), 0.0); };
    const double first = gap(0.0), last = gap(1.0);
    // The distance changes no faster than the place: far away without another look.
    const double bound = 0.5 * (first + last - length() - std::abs(radius_end - radius_start));
    Places found;
    if (bound >= margin.between(std::max(radius_start, radius_end), 0.0)) return found;
    const double at = lowest(), least = gap(at);
    const bool start = within(0.0, first), end = within(1.0, last);
    if (start) found.add(0.0);
    if (end) found.add(1.0);
    const double step = deeper * radius(at);
    if (!within(at, least)) return found;
    constexpr double none = std::numeric_limits<double>::infinity();
    const bool matters = least < std::min(start ? first : none, end ? last : none) - step;
    const auto [from, to] = std::pair(reach(at, 0.0, least + step), reach(at, 1.0, least + step));
    if (!(start && end) && lies_flat(from, to)) {
      if (!start) found.add(from + 0.1 * (to - from));
      if (!end) found.add(to - 0.1 * (to - from));
    } else if (matters) {
      found.add(at);
    }
    return found;
  }

  // A stretch of some length along which the surface does not turn.
  bool lies_flat(double from, double to) const {
    const double long_enough = 2.0 * radius(0.5 * (from + to));
    if (!((to - from) * length() > long_enough)) return false;
    const Vector3d one = surface(0.75 * from + 0.25 * to).normal, other = surface(0.25 * from + 0.75 * to).normal;
    return (one - other).norm() < 1e-6;
  }

  BodyPoint body_point(std::uint32_t index, double s) const {
    if (!body.chord.empty()) {
      const MeshSurfacePoint at = mesh_of(body.shape)->nearest(segment.at(s));
      return {index, at.feature, at.barycentric};
    }
    const SurfacePoint at = surface(s);
    return {index, at.feature, at.closest};
  }
};

struct BodyAtTime {
  const Body& body;
  std::uint32_t index;
  Pose pose, to_body;

  void find(const Polylines& strands, std::size_t strand, std::size_t v, const Margin& margin,
            std::vector<Contact>& contacts) const {
    const Segment world{strands.positions[v], strands.positions[v + 1]};
    const SegmentAtBody local{
        body, {apply(to_body, world.start), apply(to_body, world.end)}, strands.radius[v], strands.radius[v + 1]};
    const auto places = local.places(margin);
    for (int k = 0; k < places.count; ++k) {
      const double s = places.s[static_cast<std::size_t>(k)];
      const SurfacePoint at = local.surface(s);
      Contact contact;
      contact.a = {static_cast<std::uint32_t>(strand), static_cast<std::uint32_t>(v - strands.offsets[strand]), s};
      contact.body = local.body_point(index, s);
      contact.point_a = world.at(s), contact.point_b = apply(pose, at.closest);
      contact.normal = pose.rotation * at.normal;
      contact.gap = at.distance - local.radius(s);
      contacts.push_back(contact);
    }
  }
};

}  // namespace

Result<Body> animated_body(const TriangleMesh& start, std::span<const Vector3d> end, double time) {
  if (end.size() != start.points.size())
    return Error{"mesh",
                 fmt::format("{} points at the start of the step, {} at its end", start.points.size(), end.size())};
  TriangleMesh now = start;
  Body body;
  for (std::size_t p = 0; p < end.size(); ++p) {
    body.chord.push_back(end[p] - start.points[p]);
    now.points[p] = time == 1.0 ? end[p] : Vector3d(start.points[p] + time * body.chord[p]);
  }
  Result<MeshShape> shape = MeshShape::make(std::move(now));
  if (!shape) return shape.error();
  body.shape = std::make_shared<const MeshShape>(std::move(shape.value()));
  return body;
}

Vector3d chord_velocity(const Body& body, const BodyPoint& point, double dt) {
  if (body.chord.empty()) return (apply(body.end, point.material) - apply(body.start, point.material)) / dt;
  const auto& corners = mesh_of(body.shape)->mesh().triangles[point.feature];
  Vector3d way = Vector3d::Zero();
  for (std::size_t k = 0; k < 3; ++k) way += point.material[static_cast<Eigen::Index>(k)] * body.chord[corners[k]];
  return way / dt;
}

Status find_body_contacts(const Polylines& strands, std::span<const Body> bodies, double time, const Margin& margin,
                          std::vector<Contact>& contacts) {
  contacts.clear();
  if (Status usable = check(strands); !usable) return usable;
  if (Status usable = check(margin); !usable) return usable;
  std::vector<BodyAtTime> here;
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    if (!is_finite(bodies[b].start) || !is_finite(bodies[b].end))
      return Error{fmt::format("body {}", b), "its pose is not finite"};
    const Pose pose = interpolate(bodies[b].start, bodies[b].end, time);
    here.push_back({bodies[b], b, pose, inverse(pose)});
  }
  std::vector<std::vector<Contact>> found(strands.strand_count());
  parallel_for(strands.strand_count(), [&](std::size_t s) {
    for (const BodyAtTime& body : here)
      for (std::size_t v = strands.offsets[s]; v + 1 < strands.offsets[s + 1]; ++v)
        body.find(strands, s, v, margin, found[s]);
  });
  for (const auto& some : found) contacts.insert(contacts.end(), some.begin(), some.end());
  merge_contacts(strands, 0.0, contacts);
  return ok();
}

}  // namespace tendril::collide
