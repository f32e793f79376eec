#include "tendril/rods/corde/balance.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "tendril/base/parallel.hpp"
#include "tendril/rods/corde/forces.hpp"
#include "tendril/rods/corde/strain.hpp"

namespace tendril::corde {
namespace {

using Eigen::Map;
using Eigen::Quaterniond;
using Eigen::Vector3d;

Vector3d load_of(const Strands& strands, std::size_t v, const Vector3d& gravity) {
  return strands.mass(v) * gravity + strands.force(v);
}

// How many vertices and edges from the root are held.
std::size_t held_vertices(der::Clamp clamp) { return clamp == der::Clamp::edge ? 2 : clamp == der::Clamp::point; }
std::size_t held_edges(der::Clamp clamp) { return clamp == der::Clamp::edge ? 1 : 0; }

double imbalance(const Strands& strands, std::size_t s, const Target& clamp, const State& pose,
                 const Vector3d& gravity) {
  const std::size_t n = strands.vertices(s), first = strands.offset(s);
  std::vector<double> force(6 * n, 0.0);
  add_elastic_force(strands, s, clamp, pose, nullptr, 0.0, force);
  double load = 0.0, largest = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vector3d dead = load_of(strands, first + i, gravity);
    load = std::max(load, dead.norm());
    if (i >= held_vertices(strands.clamp(s)))
      largest = std::max(largest, (Map<const Vector3d>(&force[6 * i]) + dead).norm());
    if (i + 1 == n || i < held_edges(strands.clamp(s))) continue;
    const Vector3d torque = Map<const Vector3d>(&force[6 * i + 3]) + strands.torque(first + i) * Vector3d::UnitZ();
    largest = std::max(largest, torque.norm() / strands.length(first + i));
  }
  return load > 0.0 ? largest / load : 0.0;
}

// The frame that leans so far that its edge carries `across` (Eq. 10). A section that would have to shear by more than
// most cannot: what is left is reported.
Quaterniond leaning(const Quaterniond& frame, const Vector3d& tangent, const Vector3d& lean) {
  constexpr double most = 0.5;
  const Vector3d across = lean.norm() > most ? Vector3d(lean * (most / lean.norm())) : lean;
  const Vector3d along = std::sqrt(1.0 - across.squaredNorm()) * tangent + across;
  return (Quaterniond::FromTwoVectors(frame * Vector3d::UnitZ(), along) * frame).normalized();
}

void set_edges(const Vector3d& gravity, std::size_t s, const State& drawn, Strands& strands) {
  constexpr double least_strain = -0.5;
  const std::size_t n = strands.vertices(s), first = strands.offset(s);
  Vector3d beyond = Vector3d::Zero();  // the force of all that lies beyond the edge
  for (std::size_t i = n - 1; i-- > held_edges(strands.clamp(s));) {
    const std::size_t v = first + i;
    beyond += load_of(strands, v + 1, gravity);
    const Vector3d edge = drawn.position[v + 1] - drawn.position[v], tangent = edge.normalized();
    const double pull = beyond.dot(tangent);
    const double strain = std::max(least_strain, pull / strands.stretch_stiffness(v)),
                 length = edge.norm() / (1.0 + strain);
    const Vector3d lean = -(beyond - pull * tangent) * edge.norm() / (strands.parallel_stiffness(v) * length);
    strands.set_rest_edge(v, length, leaning(drawn.frame[v], tangent, lean));
  }
}

void set_joints(std::size_t s, const Target& clamp, const State& pose, Strands& strands) {
  const std::size_t n = strands.vertices(s), first = strands.offset(s);
  const bool point = strands.clamp(s) == der::Clamp::point;
  Vector3d from_next = Vector3d::Zero();  // the torque that the joint beyond exerts on the edge
  for (std::size_t i = n - 1; i-- > (point ? 0 : 1);) {
    const std::size_t v = first + i;
    const EdgeStrain edge = edge_strain(pose.position[v + 1] - pose.position[v], pose.frame[v], strands.length(v));
    const Vector3d torque =
        from_next + strands.torque(v) * Vector3d::UnitZ() -
        strands.parallel_stiffness(v) * strands.length(v) * off_by_turn(edge).transpose() * edge.off;
    const JointStrain joint = joint_strain(i == 0 ? clamp.frame : pose.frame[v - 1], pose.frame[v]);
    const Vector3d moment = joint.by_second.transpose().inverse() * torque;  // Eq. 11
    strands.set_rest_turn(v, joint.turn - moment.cwiseQuotient(strands.joint_stiffness(v)));
    from_next = -joint.by_first.transpose() * moment;
  }
}

}  // namespace

std::vector<Balance> balance(const Vector3d& gravity, Strands& strands) {
  std::vector<Balance> out(strands.size());
  const State drawn = strands.start();
  const Pose here;
  std::vector<Target> clamps;
  strands.drive({&here, 1}, clamps);
  for (std::size_t s = 0; s < out.size(); ++s) out[s].before = imbalance(strands, s, clamps[s], drawn, gravity);
  parallel_for(strands.size(), [&](std::size_t s) {
    if (strands.clamp(s) != der::Clamp::free) set_edges(gravity, s, drawn, strands);
  });
  const State leaning = strands.start();
  strands.drive({&here, 1}, clamps);
  parallel_for(strands.size(), [&](std::size_t s) {
    if (strands.clamp(s) != der::Clamp::free) set_joints(s, clamps[s], leaning, strands);
    out[s].after = imbalance(strands, s, clamps[s], leaning, gravity);
  });
  return out;
}

}  // namespace tendril::corde
