#include "tendril/rods/chain/bending.hpp"

namespace tendril::chain {

Joints joints_of(const Joints& all, std::size_t first, std::size_t link, std::size_t points) {
  if (all.stiffness.empty()) return {};
  Joints some{all.stiffness.subspan(first, points), all.share.subspan(link, points - 1),
              all.rest.subspan(first, points)};
  if (!all.parents.empty()) some.parents = all.parents.subspan(first, points);
  return some;
}

Vector3d bend_at(const Joints& joints, std::span<const Vector3d> x, std::size_t i) {
  Vector3d out = Vector3d::Zero();
  if (i > 0) out += joints.share[i - 1] * (x[upper_end(joints.parents, i - 1)] - x[i]);
  if (i + 1 < x.size() && goes_on(joints.parents, i)) out -= joints.share[i] * (x[i] - x[i + 1]);
  return out;
}

double bending_energy(const Joints& joints, std::span<const Vector3d> x) {
  double twice = 0.0;
  for (std::size_t i = 0; i < joints.stiffness.size(); ++i)
    if (joints.stiffness[i] > 0.0)
      twice += joints.stiffness[i] * (bend_at(joints, x, i) - joints.rest[i]).squaredNorm();
  return 0.5 * twice;
}

void add_bending_force(const Joints& joints, std::span<const Vector3d> x, std::span<Vector3d> g) {
  if (joints.stiffness.empty()) return;
  const auto turn = [&](std::size_t i) {
    return Vector3d(joints.stiffness[i] * (bend_at(joints, x, i) - joints.rest[i]));
  };
  Vector3d here = turn(0);
  for (std::size_t i = 0; i + 1 < x.size(); ++i) {
    if (!goes_on(joints.parents, i)) here.setZero();
    const Vector3d next = turn(i + 1), force = joints.share[i] * (next - here);
    g[upper_end(joints.parents, i)] -= force, g[i + 1] += force, here = next;
  }
}

void BendingMatrix::assemble(const Joints& joints, std::size_t points) {
  for (auto* values : {&diagonal, &next, &second}) values->assign(points, 0.0);
  if (joints.stiffness.empty()) return;
  for (std::size_t i = 0; i < points; ++i) {
    const bool has_next = i + 1 < points && goes_on(joints.parents, i);
    const double a = i > 0 ? joints.share[i - 1] : 0.0, c = has_next ? joints.share[i] : 0.0, b = -(a + c);
    const double k = joints.stiffness[i];
    diagonal[i] += k * b * b;
    if (has_next) diagonal[i + 1] += k * c * c, next[i] += k * b * c;
    if (i == 0) continue;
    diagonal[upper_end(joints.parents, i - 1)] += k * a * a, next[i - 1] += k * a * b;
    if (has_next) second[i - 1] += k * a * c;
  }
}

}  // namespace tendril::chain
