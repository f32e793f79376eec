#include "tendril/rods/corde/strands.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/corde/strain.hpp"

namespace tendril::corde {
namespace {

using Eigen::Matrix3d;
using Eigen::Quaterniond;
using Eigen::Vector3d;
using std::numbers::pi;

std::optional<Error> unfit(const der::Description& d) {
  for (std::size_t s = 0; s < d.clamps.size(); ++s)
    if (d.clamps[s].tip != der::Clamp::free)
      return Error{fmt::format("strand {}", s), "has a clamped tip; the tip of a CoRdE rod is free"};
  if (!d.connectors.empty()) return Error{"connectors", "are not for CoRdE rods"};
  if (!d.rest_curvature.empty() || !d.rest_twist.empty() || !d.rest_strain.empty())
    return Error{"rest shape", "cannot be given to CoRdE rods; they are at rest as drawn"};
  return std::nullopt;
}

double area(double a, double b) { return pi * a * b; }

// Stiffness of half an edge against turning about (m1, m2, d3), as 1/compliance (docs/theory/corde.md, Eq. 6).
Vector3d half_edge_compliance(const der::Description& d, std::size_t edge, double length, double young, double shear) {
  const double a = d.semi_axis1[edge], b = d.semi_axis2[edge], s = area(a, b);
  const Vector3d stiffness(young * s * b * b / 4.0, young * s * a * a / 4.0,
                           shear * s * a * a * b * b / (a * a + b * b));
  return 0.5 * length * stiffness.cwiseInverse();
}

}  // namespace

Result<Strands> Strands::create(der::Description description) {
  if (Status status = der::check(description); !status) return status.error();
  if (auto wrong = unfit(description)) return *wrong;
  return Strands(std::move(description));
}

Strands::Strands(der::Description description) : description_(std::move(description)) {
  const std::size_t n = description_.curves.points.size();
  for (auto* values : {&masses_, &lengths_, &stretch_, &parallel_, &torques_, &radii_}) values->assign(n, 0.0);
  for (auto* values : {&inertias_, &joints_, &rest_turns_, &forces_}) values->assign(n, Vector3d::Zero());
  frames_.assign(n, Quaterniond::Identity());
  parallel_for(size(), [&](std::size_t s) { set_frames(s), set_sections(s); });
}

// Parallel frames along the drawn strand: the smallest rotation from edge to edge.
void Strands::set_frames(std::size_t s) {
  const auto x = description_.curves.strand(s);
  Vector3d tangent = (x[1] - x[0]).normalized();
  Matrix3d frame;
  frame.col(2) = tangent, frame.col(0) = der::first_director(description_, s, tangent);
  frame.col(1) = frame.col(2).cross(frame.col(0));
  Quaterniond turned(frame);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    const Vector3d next = (x[i + 1] - x[i]).normalized();
    turned = (Quaterniond::FromTwoVectors(tangent, next) * turned).normalized(), tangent = next;
    frames_[offset(s) + i] = turned;
    if (i > 0) rest_turns_[offset(s) + i] = joint_strain(frames_[offset(s) + i - 1], turned).turn;
  }
}

void Strands::set_sections(std::size_t s) {
  const der::Description& d = description_;
  const auto x = d.curves.strand(s);
  const std::size_t first = offset(s), n = x.size();
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const std::size_t v = first + i;
    const double a = d.semi_axis1[v], b = d.semi_axis2[v];
    lengths_[v] = d.reference_length.empty() ? (x[i + 1] - x[i]).norm() : d.reference_length[v];
    const double mass = d.density[v] * area(a, b) * lengths_[v];
    masses_[v] += 0.5 * mass, masses_[v + 1] += 0.5 * mass;
    inertias_[v] = 0.25 * mass * Vector3d(b * b, a * a, a * a + b * b);
    stretch_[v] = d.stretch_modulus[v] * area(a, b);
    // The shear stiffness of the section: what ties a frame to its edge is then as soft as the rod really is.
    parallel_[v] = d.twist_modulus[i > 0 || n == 2 ? v : v + 1] * area(a, b);
    radii_[v] = 0.5 * (a + b);
  }
  radii_[first + n - 1] = radii_[first + n - 2];
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const std::size_t v = first + i;
    if (i == 0 && clamp(s) != der::Clamp::point) continue;
    const double young = d.bend_modulus[v], shear = d.twist_modulus[v];
    Vector3d compliance = half_edge_compliance(d, v, lengths_[v], young, shear);
    if (i > 0) compliance += half_edge_compliance(d, v - 1, lengths_[v - 1], young, shear);
    joints_[v] = compliance.cwiseInverse();
  }
}

State Strands::start() const {
  const std::vector<Vector3d> zero(vertex_count(), Vector3d::Zero());
  return {description_.curves.points, zero, frames_, zero};
}

void Strands::drive(std::span<const Pose> poses, std::vector<Target>& targets) const {
  targets.resize(size());
  for (std::size_t s = 0; s < size(); ++s) {
    const Pose& pose = poses.size() == 1 ? poses.front() : poses[s];
    const auto x = description_.curves.strand(s);
    targets[s] = {apply(pose, x[0]), apply(pose, x[1]), pose.rotation * frames_[offset(s)]};
  }
}

Status Strands::add_load(const der::Load& load) {
  if (load.strand >= size()) return Error{"load", fmt::format("names strand {}; there are {}", load.strand, size())};
  const int n = int(vertices(load.strand)), vertex = load.vertex < 0 ? n + load.vertex : load.vertex;
  if (vertex < 0 || vertex >= n)
    return Error{"load", fmt::format("names vertex {} of strand {}, which has {}", load.vertex, load.strand, n)};
  if (!load.force.allFinite() || !std::isfinite(load.torque)) return Error{"load", "is not a finite number"};
  forces_[offset(load.strand) + std::size_t(vertex)] += load.force;
  torques_[offset(load.strand) + std::size_t(std::min(vertex, n - 2))] += load.torque;  // no edge starts at the tip
  return ok();
}

void Strands::clear_loads() { forces_.assign(forces_.size(), Vector3d::Zero()), torques_.assign(torques_.size(), 0.0); }

der::Energies total_energies(const Strands& strands, std::span<const Target> targets, const Vector3d& gravity,
                             const State& state) {
  der::Energies e;
  for (std::size_t s = 0; s < strands.size(); ++s)
    for (std::size_t i = 0; i < strands.vertices(s); ++i) {
      const std::size_t v = strands.offset(s) + i;
      e.kinetic += 0.5 * strands.mass(v) * state.velocity[v].squaredNorm();
      e.external -= state.position[v].dot(strands.mass(v) * gravity + strands.force(v));
      if (i + 1 == strands.vertices(s)) continue;
      e.kinetic += 0.5 * state.spin[v].dot(strands.inertia(v).cwiseProduct(state.spin[v]));
      const double l = strands.length(v);
      const EdgeStrain edge = edge_strain(state.position[v + 1] - state.position[v], state.frame[v], l);
      e.stretch += 0.5 * l *
                   (strands.stretch_stiffness(v) * edge.stretch * edge.stretch +
                    strands.parallel_stiffness(v) * edge.off.squaredNorm());
      if (i == 0 && strands.clamp(s) != der::Clamp::point) continue;
      const JointStrain joint = joint_strain(i == 0 ? targets[s].frame : state.frame[v - 1], state.frame[v]);
      const Vector3d off = joint.turn - strands.rest_turn(v);
      const Vector3d energy = 0.5 * strands.joint_stiffness(v).cwiseProduct(off.cwiseProduct(off));
      e.bend += energy.x() + energy.y(), e.twist += energy.z();
    }
  return e;
}

double largest_stretch(const Strands& strands, const State& state) {
  double largest = 0.0;
  for (std::size_t s = 0; s < strands.size(); ++s)
    for (std::size_t v = strands.offset(s); v + 1 < strands.offset(s) + strands.vertices(s); ++v)
      largest =
          std::max(largest, std::abs((state.position[v + 1] - state.position[v]).norm() / strands.length(v) - 1.0));
  return largest;
}

std::uint64_t hash(const State& state) {
  Hash hash;
  for (std::size_t v = 0; v < state.position.size(); ++v) {
    for (const Vector3d& part : {state.position[v], state.velocity[v], state.spin[v]}) hash.numbers({part.data(), 3});
    const Eigen::Vector4d& turn = state.frame[v].coeffs();
    hash.numbers({turn.data(), 4});
  }
  return hash.value();
}

}  // namespace tendril::corde
