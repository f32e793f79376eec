#include "tendril/collide/body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "tendril/base/parallel.hpp"
#include "tendril/collide/clearance_kernels.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::collide {
namespace {

constexpr int bisections = 60;    // to the last digit of a place in [0, 1]
constexpr double fine = 1e-10;    // a place in [0, 1] is known well enough
constexpr int mesh_halvings = 3;  // of a segment: a bump between two of the samples may be missed
constexpr int mesh_refinements = 12;
constexpr int reach_halvings = 12;  // of a stretch that lies flat: contacts are made well within it
constexpr double deeper = 0.01;     // of the radius: by less, a lowest point adds nothing to a vertex

const MeshShape* mesh_of(const Shape& shape) {
  const auto* mesh = std::get_if<std::shared_ptr<const MeshShape>>(&shape);
  return mesh != nullptr ? mesh->get() : nullptr;
}

// [m], of an animated mesh.
double longest_chord_of(const Body& body) {
  double longest = 0.0;
  for (const Vector3d& way : body.chord) longest = std::max(longest, way.norm());
  return longest;
}

bool is_finite(const Pose& pose) { return pose.rotation.coeffs().allFinite() && pose.translation.allFinite(); }

SurfacePoint surface_point(const Shape& shape, const Vector3d& place, std::uint32_t guess) {
  const auto ask = [&](const auto& one) -> SurfacePoint {
    if constexpr (requires { *one; })
      return one->nearest(place, guess);
    else
      return nearest(one, place);
  };
  return std::visit(ask, shape);
}

// A segment in the frame of a body, with the radius along it and the way of its ends against the body.
struct SegmentAtBody {
  const Body& body;
  Segment segment;
  double radius_start, radius_end;
  SurfacePoint at_start, at_end;
  Segment way;           // zero if nothing moves
  double longest_chord;  // [m], of the body

  double length() const { return segment.direction().norm(); }
  double radius(double s) const { return radius_start + s * (radius_end - radius_start); }
  SurfacePoint surface(double s) const {
    if (s == 0.0 || s == 1.0) return s == 0.0 ? at_start : at_end;
    return surface_point(body.shape, segment.at(s), s < 0.5 ? at_start.feature : at_end.feature);
  }
  double gap(double s) const { return surface(s).distance - radius(s); }

  // The gap now or, if it is smaller, after the motion, by the tangent plane.
  double least_gap(double s) const {
    const SurfacePoint at = surface(s);
    return at.distance - radius(s) + std::min(0.0, at.normal.dot(way.at(s) - chord(s)));
  }
  // Of the point of an animated mesh that is nearest.
  Vector3d chord(double s) const {
    if (body.chord.empty()) return Vector3d::Zero();
    const MeshSurfacePoint at = mesh_of(body.shape)->nearest(segment.at(s));
    const auto& corners = mesh_of(body.shape)->mesh().triangles[at.feature];
    Vector3d sum = Vector3d::Zero();
    for (std::size_t k = 0; k < 3; ++k) sum += at.barycentric[static_cast<Eigen::Index>(k)] * body.chord[corners[k]];
    return sum;
  }

  // Where the gap is least, anywhere if it is above `stop` everywhere; and what it is nowhere below.
  struct Lowest {
    double s, bound;
  };
  Lowest lowest(double stop) const {
    return mesh_of(body.shape) != nullptr ? lowest_at_mesh(stop) : lowest_at_convex(stop);
  }

  // The gap is a convex function of s: its slope changes sign once. The normal is a subgradient even where the
  // distance has a kink.
  Lowest lowest_at_convex(double stop) const {
    const auto slope = [&](double s) {
      return surface(s).normal.dot(segment.direction()) - (radius_end - radius_start);
    };
    double low = 0.0, high = 1.0, down = slope(low), up = slope(high);
    const double first = gap(0.0), last = gap(1.0);
    if (down >= 0.0) return {low, first};
    if (up <= 0.0) return {high, last};
    // The tangents at both ends meet below all of it.
    const double meet = (last - up - first) / (down - up), bound = first + down * meet;
    if (bound >= stop) return {first <= last ? low : high, bound};
    // False position and bisection in turns: quick where the surface is smooth, safe where it has kinks.
    for (int i = 0; i < bisections && high - low > fine; ++i) {
      const double middle = i % 2 == 0 ? low + (high - low) * down / (down - up) : 0.5 * (low + high);
      const double here = slope(middle);
      if (here == 0.0) return {middle, bound};
      if (here < 0.0)
        low = middle, down = here;
      else
        high = middle, up = here;
    }
    return {0.5 * (low + high), bound};
  }

  struct Sample {
    double s, gap;
  };
  // The lowest of samples by halves, leaving out stretches which, the gap changing no faster than the place, stay above
  // `stop`; then the golden section about it, unless no stretch is left that may go lower.
  Lowest lowest_at_mesh(double stop) const {
    const Sample start{0.0, gap(0.0)}, end{1.0, gap(1.0)};
    Sample best = start.gap <= end.gap ? start : end;
    double bound = std::numeric_limits<double>::infinity();
    if (!sample_between(start, end, stop, mesh_halvings, best, bound)) return {best.s, bound};
    constexpr double golden = 0.6180339887498949, reach = 1.0 / (1 << mesh_halvings);
    double low = std::max(0.0, best.s - reach), high = std::min(1.0, best.s + reach);
    const auto sample = [&](double s) { return Sample{s, gap(s)}; };
    Sample left = sample(high - golden * (high - low)), right = sample(low + golden * (high - low));
    for (int i = 0; i < mesh_refinements; ++i) {
      if (left.gap < right.gap) {
        high = right.s, right = left;
        left = sample(high - golden * (high - low));
      } else {
        low = left.s, left = right;
        right = sample(low + golden * (high - low));
      }
    }
    const Sample& refined = left.gap < right.gap ? left : right;
    return {refined.gap < best.gap ? refined.s : best.s, bound};
  }
  // Whether something may be lower still. `bound`: what stretches that are not halved are not below.
  bool sample_between(const Sample& a, const Sample& b, double stop, int halvings, Sample& best, double& bound) const {
    const double slope = length() + std::abs(radius_end - radius_start);
    const double here = 0.5 * (a.gap + b.gap - slope * (b.s - a.s));
    const bool is_higher = here >= std::min(stop, best.gap - deeper * radius(a.s));
    if (is_higher || halvings == 0) return bound = std::min(bound, here), !is_higher;
    const double s = 0.5 * (a.s + b.s);
    const Sample middle{s, gap(s)};
    if (middle.gap < best.gap) best = middle;
    const bool first = sample_between(a, middle, stop, halvings - 1, best, bound);
    return sample_between(middle, b, stop, halvings - 1, best, bound) || first;
  }

  // How far from `lowest` towards `end` the gap stays below the bound.
  double reach(double lowest, double end, double bound) const {
    if (gap(end) <= bound) return end;
    double within = lowest, beyond = end;
    for (int i = 0; i < reach_halvings; ++i) {
      const double middle = 0.5 * (within + beyond);
      (gap(middle) <= bound ? within : beyond) = middle;
    }
    return within;
  }

  struct Places {
    std::array<double, 3> s = {};
    int count = 0;
    double bound = 0.0;  // [m]: the gap is nowhere below it
    void add(double place) { s[static_cast<std::size_t>(count++)] = place; }
  };

  // Where on the segment contacts are made.
  Places places(const Margin& margin) const {
    const double first = gap(0.0), last = gap(1.0);
    const double travel = std::max(way.start.norm(), way.end.norm()) + longest_chord;
    // The distance changes no faster than the place: far away without another look.
    const double bound = 0.5 * (first + last - length() - std::abs(radius_end - radius_start)) - travel;
    const double widest = margin.between(std::max(radius_start, radius_end), 0.0);
    Places found;
    found.bound = bound + travel;
    if (bound >= widest) return found;
    const auto within = [&](double s) { return least_gap(s) < margin.between(radius(s), 0.0); };
    const auto [at, nowhere_below] = lowest(widest + travel);
    const double least = gap(at);
    found.bound = std::max(found.bound, nowhere_below);
    const bool start = within(0.0), end = within(1.0);
    if (start) found.add(0.0);
    if (end) found.add(1.0);
    const double step = deeper * radius(at);
    if (!within(at)) return found;
    constexpr double none = std::numeric_limits<double>::infinity();
    const bool matters = least < std::min(start ? first : none, end ? last : none) - step;
    const auto [from, to] =
        start && end ? std::pair(0.0, 0.0) : std::pair(reach(at, 0.0, least + step), reach(at, 1.0, least + step));
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

// x -> turn x + by
struct Affine {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Zero();
  Vector3d by = Vector3d::Zero();

  Vector3d operator()(const Vector3d& x) const { return turn * x + by; }
  AffineNumbers numbers() const {
    AffineNumbers made;
    for (int i = 0; i < 3; ++i) {
      for (int j = 0; j < 3; ++j) made.turn[i][j] = turn(i, j);
      made.by[i] = by[i];
    }
    return made;
  }
};

// How far a strand reaches from its first vertex, how far its vertices go in the step, and how thick it is.
struct StrandExtent {
  double reach = 0.0, way = 0.0, radius = 0.0;

  StrandExtent(const Polylines& strands, const BodySearch& search, std::size_t strand) {
    const std::size_t first = strands.offsets[strand], end = strands.offsets[strand + 1];
    for (std::size_t v = first; v < end; ++v) {
      reach = std::max(reach, (strands.positions[v] - strands.positions[first]).squaredNorm());
      if (!search.motion.empty()) way = std::max(way, search.motion[v].squaredNorm());
      radius = std::max(radius, strands.radius[v]);
    }
    reach = std::sqrt(reach), way = std::sqrt(way);
  }
};

struct BodyAtTime {
  const Body& body;
  std::uint32_t index;
  Pose pose, to_body;
  double longest_chord, ball;  // [m]; the body lies within that about its origin
  Affine place, carry;  // of what is at x: where it is in the body's frame, and how far the body takes it; to round-off

  BodyAtTime(const Body& of, std::uint32_t number, double time)
      : body(of),
        index(number),
        pose(interpolate(of.start, of.end, time)),
        to_body(inverse(pose)),
        longest_chord(longest_chord_of(of)),
        ball(outer_radius(of.shape)),
        place{to_body.rotation.toRotationMatrix(), to_body.translation} {
    if (!body.chord.empty()) return;
    const Eigen::Matrix3d turn = body.end.rotation.toRotationMatrix() - body.start.rotation.toRotationMatrix();
    carry = {turn * place.turn, turn * place.by + body.end.translation - body.start.translation};
  }

  // The way of a vertex against the body, which goes from its start to its end pose, in the body's frame.
  Vector3d way(const Polylines& strands, const BodySearch& search, std::size_t v) const {
    if (search.motion.empty()) return Vector3d::Zero();
    const Vector3d here = apply(to_body, strands.positions[v]);
    const Vector3d carried =
        body.chord.empty() ? Vector3d(apply(body.end, here) - apply(body.start, here)) : Vector3d::Zero();
    return to_body.rotation * (search.motion[v] - carried);
  }

  // Those of what deforms are not remembered.
  Clearances::OfStrand* known(const BodySearch& search, std::size_t strand) const {
    return search.clearances != nullptr && body.chord.empty() ? &search.clearances->of(index, strand) : nullptr;
  }
  // Far above that of a matrix against a quaternion.
  double round_off_at(const Vector3d& x) const {
    return 1e-12 * (x.cwiseAbs().maxCoeff() + place.by.cwiseAbs().maxCoeff());
  }

  // Of the whole strand, by its root: of many bodies it is near one or two, and outside the balls of most.
  bool is_far(const Polylines& strands, const BodySearch& search, std::size_t strand,
              std::optional<StrandExtent>& extent) const {
    const Vector3d& x = strands.positions[strands.offsets[strand]];
    const Vector3d at = place(x);
    if (stays_beyond(at.norm() - ball, strands, search, strand, extent)) return true;
    Clearances::OfStrand* const of = known(search, strand);
    if (of == nullptr) return false;
    double way = (at - of->root.place).norm();
    if (!(way < 0.5 * of->root.distance)) {
      const Vector3d here = apply(to_body, x);
      of->root = {here, surface_point(body.shape, here, MeshQuery::no_guess).distance}, way = 0.0;
    }
    return stays_beyond(of->root.distance - way, strands, search, strand, extent);
  }

  // Whether all of a strand does, in all of the step, whose root is so far from the body.
  bool stays_beyond(double distance, const Polylines& strands, const BodySearch& search, std::size_t strand,
                    std::optional<StrandExtent>& extent) const {
    const std::size_t first = strands.offsets[strand], last = strands.offsets[strand + 1] - 1;
    const Vector3d& x = strands.positions[first];
    const double nearest = distance - 3.0 * round_off_at(x);
    const auto beyond = [&](double radius) { return radius + search.margin.between(radius, 0.0); };
    // Its tip alone may be nearer than that: then it does not matter how far the others reach.
    if (nearest - (strands.positions[last] - x).norm() < beyond(strands.radius[first])) return false;
    if (!extent) extent.emplace(strands, search, strand);
    const double carried = longest_chord + carry(x).norm() + carry.turn.norm() * extent->reach;
    return nearest - extent->reach - extent->way - carried >= beyond(extent->radius);
  }

  // Segments that may be near, by their numbers in the strand.
  void list_near(const Polylines& strands, const BodySearch& search, std::size_t strand,
                 std::vector<std::uint32_t>& near) const {
    constexpr std::size_t one_register = 8;
    const std::size_t first = strands.offsets[strand], count = strands.offsets[strand + 1] - first;
    near.resize(count + one_register);
    Clearances::OfStrand* const of = known(search, strand);
    if (of == nullptr) {
      near.resize(count - 1);
      std::iota(near.begin(), near.end(), 0u);
      return;
    }
    of->fit(count);
    const double* const motion = search.motion.empty() ? nullptr : search.motion[first].data();
    const ClearanceView view{strands.positions[first].data(),
                             motion,
                             &strands.radius[first],
                             of->vertices.front().place.data(),
                             of->gap.data(),
                             count,
                             place.numbers(),
                             carry.numbers(),
                             search.margin.relative,
                             search.margin.absolute};
    near.resize(clearance_kernels(active_isa()).near_segments(view, near.data()));
  }

  // Of both segments at the vertex it is known what they were beyond where it was seen before.
  SurfacePoint look(const Polylines& strands, const BodySearch& search, std::size_t strand, std::size_t vertex,
                    std::uint32_t guess) const {
    const Vector3d& x = strands.positions[strands.offsets[strand] + vertex];
    const Vector3d here = apply(to_body, x);
    Clearances::OfStrand* const of = known(search, strand);
    if (of != nullptr && of->feature[vertex] != MeshQuery::no_guess) guess = of->feature[vertex];
    const SurfacePoint found = surface_point(body.shape, here, guess);
    if (of == nullptr) return found;
    const double way = (here - of->vertices[vertex].place).norm() + round_off_at(x);
    of->gap[vertex] -= way;
    if (vertex > 0) of->gap[vertex - 1] -= way;
    of->vertices[vertex] = {here, found.distance}, of->feature[vertex] = found.feature;
    return found;
  }

  // Segment after segment: most begin where the one before has ended.
  void find(const Polylines& strands, std::size_t strand, const BodySearch& search,
            std::vector<Contact>& contacts) const {
    thread_local std::vector<std::uint32_t> near;
    list_near(strands, search, strand, near);
    std::uint32_t guess = MeshQuery::no_guess, end_vertex = 0;
    SurfacePoint end;
    for (const std::uint32_t k : near) {
      const std::size_t v = strands.offsets[strand] + k;
      if (!search.is_driven.empty() && search.is_driven[v] != 0) continue;
      const SurfacePoint start = k > 0 && end_vertex == k ? end : look(strands, search, strand, k, guess);
      end = look(strands, search, strand, k + 1, start.feature);
      guess = end.feature, end_vertex = k + 1;
      find(strands, strand, v, start, end, search, contacts);
    }
  }

  void find(const Polylines& strands, std::size_t strand, std::size_t v, const SurfacePoint& start,
            const SurfacePoint& end, const BodySearch& search, std::vector<Contact>& contacts) const {
    const Segment world{strands.positions[v], strands.positions[v + 1]};
    const SegmentAtBody local{
        body, {apply(to_body, world.start), apply(to_body, world.end)}, strands.radius[v], strands.radius[v + 1], start,
        end,  {way(strands, search, v), way(strands, search, v + 1)},   longest_chord};
    const auto places = local.places(search.margin);
    if (Clearances::OfStrand* const of = known(search, strand)) of->gap[v - strands.offsets[strand]] = places.bound;
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

struct Thickness {
  double operator()(const Plane&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const Sphere& sphere) const { return sphere.radius; }
  double operator()(const Ellipsoid& ellipsoid) const { return ellipsoid.radii.minCoeff(); }
  double operator()(const Capsule& capsule) const { return capsule.radius; }
  double operator()(const Cylinder& cylinder) const { return std::min(cylinder.radius, cylinder.half_length); }
  double operator()(const Box& box) const { return box.half_sizes.minCoeff(); }
  double operator()(const std::shared_ptr<const MeshShape>& mesh) const { return mesh->thickness(); }
};

struct OuterRadius {
  double operator()(const Plane&) const { return std::numeric_limits<double>::infinity(); }
  double operator()(const Sphere& sphere) const { return sphere.radius; }
  double operator()(const Ellipsoid& ellipsoid) const { return ellipsoid.radii.maxCoeff(); }
  double operator()(const Capsule& capsule) const { return capsule.radius + capsule.half_length; }
  double operator()(const Cylinder& cylinder) const { return std::hypot(cylinder.radius, cylinder.half_length); }
  double operator()(const Box& box) const { return box.half_sizes.norm(); }
  double operator()(const std::shared_ptr<const MeshShape>& mesh) const { return mesh->outer_radius(); }
};

}  // namespace

double thickness(const Shape& shape) { return std::visit(Thickness{}, shape); }

double outer_radius(const Shape& shape) { return std::visit(OuterRadius{}, shape); }

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

Status find_body_contacts(const Polylines& strands, std::span<const Body> bodies, const BodySearch& search,
                          std::vector<Contact>& contacts) {
  contacts.clear();
  if (!search.is_checked)
    if (Status usable = check(strands); !usable) return usable;
  if (Status usable = check(search.margin); !usable) return usable;
  std::vector<BodyAtTime> here;
  for (std::uint32_t b = 0; b < bodies.size(); ++b) {
    if (!is_finite(bodies[b].start) || !is_finite(bodies[b].end))
      return Error{fmt::format("body {}", b), "its pose is not finite"};
    here.emplace_back(bodies[b], b, search.time);
  }
  if (search.clearances != nullptr) search.clearances->fit(bodies.size(), strands.strand_count());
  constexpr std::size_t strands_per_list = 16;  // of their own, lists would cost more memory than contacts
  std::vector<std::vector<Contact>> found((strands.strand_count() + strands_per_list - 1) / strands_per_list);
  parallel_for(found.size(), [&](std::size_t c) {
    const std::size_t first = c * strands_per_list, end = std::min(strands.strand_count(), first + strands_per_list);
    for (std::size_t s = first; s < end; ++s) {
      if (strands.offsets[s + 1] - strands.offsets[s] < 2) continue;
      std::optional<StrandExtent> extent;
      for (const BodyAtTime& body : here)
        if (!body.is_far(strands, search, s, extent)) body.find(strands, s, search, found[c]);
    }
  });
  ContactRefs merged;
  merge_contacts(strands, 0.0, found, merged);
  for (const Contact* const contact : merged) contacts.push_back(*contact);
  return ok();
}

}  // namespace tendril::collide
