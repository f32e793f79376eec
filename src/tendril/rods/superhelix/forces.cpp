#include "tendril/rods/superhelix/forces.hpp"

#include "tendril/base/parallel.hpp"
#include "tendril/rods/superhelix/dynamics.hpp"

namespace tendril::superhelix {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::vector<Piece> laid_out(const Strands& strands, const State& state, std::size_t s) {
  const std::size_t n = strands.unknowns();
  std::vector<Piece> pieces(strands.partition().pieces());
  lay_out(strands.partition(), {&state.q[s * n], n}, strands.length(s), state.root[s].rotation.toRotationMatrix(),
          pieces);
  return pieces;
}

std::vector<double> load_force(const Strands& strands, const State& state, std::size_t s, const Vector3d& gravity) {
  const std::vector<Piece> pieces = laid_out(strands, state, s);
  std::vector<double> force(strands.unknowns(), 0.0);
  Quadrature quadrature;
  lay_quadrature(strands.partition(), pieces, strands.length(s), strands.masses(s), quadrature);
  add_body_force(strands.partition(), pieces, quadrature, gravity, force);
  add_loads(strands, s, pieces, force);
  return force;
}

}  // namespace

void add_loads(const Strands& strands, std::size_t s, std::span<const Piece> pieces, std::span<double> out) {
  const Partition& partition = strands.partition();
  for (const der::Load& load : strands.loads(s)) {
    const double share = strands.share(strands.offset(s) + std::size_t(load.vertex)), length = strands.length(s);
    add_force(partition, pieces, point_at(partition, pieces, length, share), load.force, out);
    if (load.torque != 0.0)
      add_torque(partition, pieces, length, share, load.torque * frame_at(partition, pieces, length, share).col(2),
                 out);
  }
}

std::vector<double> static_force(const Strands& strands, const State& state, std::size_t s, const Vector3d& gravity) {
  std::vector<double> force = load_force(strands, state, s, gravity);
  for (std::size_t u = 0; u < force.size(); ++u)
    force[u] -= strands.stiffness(s)[u] * (state.q[s * force.size() + u] - strands.rest(s)[u]);
  return force;
}

der::Energies strand_energies(const Strands& strands, const State& state, std::size_t s, const Vector3d& gravity) {
  const Partition& partition = strands.partition();
  const std::size_t n = strands.unknowns();
  const std::span<const double> q{&state.q[s * n], n}, rate{&state.rate[s * n], n};
  const std::vector<Piece> pieces = laid_out(strands, state, s);
  der::Energies e;
  for (std::size_t u = 0; u < n; ++u) {
    const double strain = q[u] - strands.rest(s)[u];
    (partition.component(u) == 2 ? e.twist : e.bend) += 0.5 * strands.stiffness(s)[u] * strain * strain;
  }
  for (std::size_t j = 0; j < pieces.size(); ++j)
    for (std::size_t g = 0; g < gauss_points; ++g) {
      const double share = partition.begin(j) + gauss_place[g] * (partition.end(j) - partition.begin(j));
      const double mass = strands.masses(s)[j * gauss_points + g];
      const ShapePoint point = point_at(partition, pieces, strands.length(s), share);
      const Vector3d v = state.root_velocity[s] + state.root_spin[s].cross(point.position) +
                         velocity_of(partition, pieces, point, rate);
      e.kinetic += 0.5 * mass * v.squaredNorm();
      e.external -= mass * gravity.dot(state.root[s].translation + point.position);
    }
  for (const der::Load& load : strands.loads(s))
    e.external -= load.force.dot(
        state.root[s].translation +
        position_at(partition, pieces, strands.length(s), strands.share(strands.offset(s) + std::size_t(load.vertex))));
  return e;
}

der::Energies total_energies(const Strands& strands, const Vector3d& gravity, const State& state) {
  std::vector<der::Energies> each(strands.size());
  parallel_for(strands.size(), [&](std::size_t s) { each[s] = strand_energies(strands, state, s, gravity); });
  der::Energies total;
  for (const der::Energies& e : each) {
    total.bend += e.bend, total.twist += e.twist;
    total.kinetic += e.kinetic, total.external += e.external;
  }
  return total;
}

}  // namespace tendril::superhelix
