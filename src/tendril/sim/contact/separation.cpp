#include "tendril/sim/contact/separation.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/collide/segment_pair.hpp"

namespace tendril {
namespace {

using collide::Contact;
using collide::Segment;
using Eigen::Vector3d;

Segment segment(std::span<const Vector3d> places, std::uint32_t vertex) { return {places[vertex], places[vertex + 1]}; }

collide::StrandPoint start_of(const StrandGeometry& geometry, std::uint32_t vertex) {
  const auto strand = std::uint32_t(std::ranges::upper_bound(geometry.offsets, vertex) - geometry.offsets.begin() - 1);
  return {strand, vertex - geometry.offsets[strand], 0.0};
}

double radius(const StrandGeometry& geometry, std::uint32_t vertex, double along) {
  return std::lerp(geometry.radius[vertex], geometry.radius[vertex + 1], along);
}

}  // namespace

std::optional<Separation> Separation::of(const StrandGeometry& geometry, const collide::SegmentPair& pair) {
  const collide::SegmentPoints closest =
      collide::closest_points(segment(geometry.positions, pair.first), segment(geometry.positions, pair.second));
  const double distance = closest.apart.norm();
  const double radii = radius(geometry, pair.first, closest.s) + radius(geometry, pair.second, closest.t);
  if (!(distance > collide::coincident * radii)) return std::nullopt;
  Separation made;
  made.geometry_ = &geometry, made.pair_ = pair;
  made.a_ = start_of(geometry, pair.first), made.b_ = start_of(geometry, pair.second);
  made.normal_ = closest.apart / distance;
  return made;
}

Contact Separation::at(double s, double t) const {
  const Segment p = segment(geometry_->positions, pair_.first), q = segment(geometry_->positions, pair_.second);
  Contact contact;
  contact.a = a_, contact.a.along = s;
  contact.b = b_, contact.b.along = t;
  contact.point_a = p.at(s), contact.point_b = q.at(t);
  contact.normal = normal_;
  contact.gap = normal_.dot(contact.point_a - contact.point_b) - radius(*geometry_, pair_.first, s) -
                radius(*geometry_, pair_.second, t);
  contact.side = normal_.dot(p.direction().cross(q.direction())) < 0.0 ? -1.0 : 1.0;
  return contact;
}

std::array<Contact, 4> Separation::corners() const { return {at(0.0, 0.0), at(0.0, 1.0), at(1.0, 0.0), at(1.0, 1.0)}; }

}  // namespace tendril
