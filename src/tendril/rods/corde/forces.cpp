#include "tendril/rods/corde/forces.hpp"

#include <algorithm>

#include "tendril/rods/corde/strain.hpp"

namespace tendril::corde {
namespace {

using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr std::size_t six = OneStep::per_vertex;

EdgeStrain edge_at(const Strands& strands, const State& pose, std::size_t v) {
  return edge_strain(pose.position[v + 1] - pose.position[v], pose.frame[v], strands.length(v));
}

// The joint at the first vertex of a point clamp turns against the clamp, where that ends.
JointStrain joint_at(const State& pose, const Target& target, std::size_t v, bool at_root) {
  return joint_strain(at_root ? target.frame : pose.frame[v - 1], pose.frame[v]);
}

// Rows and columns of two threes of unknowns; of a block on the diagonal the lower half.
void add_block(std::size_t row, std::size_t column, const Matrix3d& block, StepBand& band) {
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c)
      if (row + r >= column + c) band.at(row + r, column + c) += block(Eigen::Index(r), Eigen::Index(c));
}

}  // namespace

void add_elastic_force(const Strands& strands, std::size_t s, const Target& target, const State& pose,
                       const State* before, double damping_rate, std::span<double> out) {
  const std::size_t first = strands.offset(s);
  for (std::size_t i = 0; i + 1 < strands.vertices(s); ++i) {
    const std::size_t v = first + i;
    const EdgeStrain edge = edge_at(strands, pose, v);
    double stretch = edge.stretch;
    Vector3d off = edge.off;
    if (before != nullptr) {
      const EdgeStrain old = edge_at(strands, *before, v);
      stretch += damping_rate * (edge.stretch - old.stretch), off += damping_rate * (edge.off - old.off);
    }
    const double parallel = strands.parallel_stiffness(v) * strands.length(v);
    const Vector3d pull = strands.stretch_stiffness(v) * stretch * edge.tangent + parallel * off_by_edge(edge) * off;
    Map<Vector3d>(&out[six * i]) += pull;
    Map<Vector3d>(&out[six * (i + 1)]) -= pull;
    Map<Vector3d>(&out[six * i + 3]) -= parallel * off_by_turn(edge).transpose() * off;
    if (i == 0 && strands.clamp(s) != der::Clamp::point) continue;
    const JointStrain joint = joint_at(pose, target, v, i == 0);
    Vector3d turn = joint.turn - strands.rest_turn(v);
    if (before != nullptr) turn += damping_rate * (joint.turn - joint_at(*before, target, v, i == 0).turn);
    const Vector3d moment = strands.joint_stiffness(v).cwiseProduct(turn);
    if (i > 0) Map<Vector3d>(&out[six * (i - 1) + 3]) -= joint.by_first.transpose() * moment;
    Map<Vector3d>(&out[six * i + 3]) -= joint.by_second.transpose() * moment;
  }
}

void add_stiffness(const Strands& strands, std::size_t s, const Target& target, const State& pose, double weight,
                   double stiffening, StepBand& band) {
  const double scale = weight * stiffening;
  for (std::size_t i = 0; i + 1 < strands.vertices(s); ++i) {
    const std::size_t v = strands.offset(s) + i, x = six * i, next = x + six, turn = x + 3;
    const EdgeStrain edge = edge_at(strands, pose, v);
    const Matrix3d along = edge.tangent * edge.tangent.transpose(), across = Matrix3d::Identity() - along;
    const Matrix3d by_edge = off_by_edge(edge), by_turn = off_by_turn(edge);
    const double parallel = scale * strands.parallel_stiffness(v) * strands.length(v);
    const double tension = weight * strands.stretch_stiffness(v) * std::max(0.0, edge.stretch) / edge.length;
    const Matrix3d own = scale * strands.stretch_stiffness(v) / strands.length(v) * along +
                         (parallel / (edge.length * edge.length) + tension) * across;
    const Matrix3d mixed = parallel * by_turn.transpose() * by_edge;
    add_block(x, x, own, band), add_block(next, next, own, band), add_block(next, x, -own, band);
    add_block(turn, x, -mixed, band), add_block(next, turn, mixed.transpose(), band);
    add_block(turn, turn, parallel * by_turn.transpose() * by_turn, band);
    if (i == 0 && strands.clamp(s) != der::Clamp::point) continue;
    const JointStrain joint = joint_at(pose, target, v, i == 0);
    const Eigen::DiagonalMatrix<double, 3> stiff((scale * strands.joint_stiffness(v)).eval());
    const Matrix3d second = stiff * joint.by_second;
    add_block(turn, turn, joint.by_second.transpose() * second, band);
    if (i == 0) continue;
    const Matrix3d before = stiff * joint.by_first;
    add_block(turn - six, turn - six, joint.by_first.transpose() * before, band);
    add_block(turn, turn - six, joint.by_second.transpose() * before, band);
  }
}

}  // namespace tendril::corde
