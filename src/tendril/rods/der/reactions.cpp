#include "tendril/rods/der/reactions.hpp"

#include <cmath>
#include <limits>

namespace tendril::der {
namespace {

using P = ParameterLayout;
using Eigen::Vector3d;

// The clamped vertices `slot` and `slot` + 1 with their edge, about the vertex `centre`. In a strand so short that its
// clamps overlap, what lies before `begin` belongs to the other clamp.
Wrench clamp_wrench(const Rod& rod, const Eigen::VectorXd& net, int slot, int centre, int begin) {
  Wrench wrench;
  for (const int k : {slot, slot + 1}) {
    if (k < begin) continue;
    const Vector3d force = -net.segment<3>(4 * k);
    wrench.force += force;
    wrench.moment += (rod.position(k) - rod.position(centre)).cross(force);
  }
  if (slot + 1 >= begin && (begin == 0 || slot > 0))
    wrench.moment -= net[4 * slot + 3] * precise_edge(rod, slot).tangent;
  return wrench;
}

}  // namespace

Reactions reactions(const Strands& strands, const Targets& targets, const State& state, std::size_t strand,
                    const Vector3d& gravity) {
  const Rod rod = extract(strands, targets, state, strand);
  const Eigen::VectorXd net = net_force(rod, gravity);
  const auto n = std::size_t(rod.user_vertices);
  Reactions out;
  out.tension.assign(n, 0.0), out.moment.assign(n, Vector3d::Zero());
  out.bend_radius.assign(n, std::numeric_limits<double>::infinity());
  out.holds.assign(n, Eigen::Vector4d::Zero());

  const Clamps& clamps = strands.clamps(strand);
  const int last = rod.vertices - 1;
  if (clamps.root != Clamp::free) out.root = clamp_wrench(rod, net, 0, rod.first, 0);
  if (clamps.tip != Clamp::free)
    out.tip = clamp_wrench(rod, net, last - 1, rod.first + rod.user_vertices - 1, clamps.root != Clamp::free ? 2 : 0);
  for (const std::size_t h : strands.holds_of(strand)) {
    const Hold& hold = strands.holds()[h];
    for (int c = 0; c < 4; ++c)
      if (hold.components[std::size_t(c)])
        out.holds[std::size_t(hold.vertex)][c] = -net[4 * (rod.first + hold.vertex) + c];
  }

  Stream strains(std::size_t(rod.vertices) * MeasureLayout::components);
  kernels(Isa::reference).measure(rod.view(), rod.state.data(), strains.data());
  for (int i = 0; i < rod.user_vertices; ++i) {
    const int k = rod.first + i;
    if (i + 1 < rod.user_vertices)
      out.tension[std::size_t(i)] = rod.parameter(k, P::stretch) * precise_edge(rod, k).strain;
    if (k == 0 || k == last) continue;
    const PreciseEdge e = precise_edge(rod, k - 1), f = precise_edge(rod, k);
    const auto strain = [&](int c) { return strains[std::size_t(k * MeasureLayout::components + c)]; };
    const auto bent = [&](int c) {
      return strain(MeasureLayout::curvature + c) - rod.parameter(k, P::rest_curvature + c);
    };
    // dE/dphi with kappa = 2 tan(phi/2): every component contributes with dkappa/dphi = 2/chi.
    const double chi = 1.0 + e.tangent.dot(f.tangent), lever = 2.0 / chi;
    out.moment[std::size_t(i)] = {
        lever * rod.parameter(k, P::bend1) * (bent(0) + bent(2)),
        lever * rod.parameter(k, P::bend2) * (bent(1) + bent(3)),
        rod.parameter(k, P::twist) * (strain(MeasureLayout::twist) - rod.parameter(k, P::rest_twist))};
    if (i == 0 || i + 1 == rod.user_vertices) {  // a point clamp: the circle that leaves along the clamp's direction
      const double sine = e.tangent.cross(f.tangent).norm();
      if (sine > 0.0) out.bend_radius[std::size_t(i)] = (i == 0 ? f.length : e.length) / (2.0 * sine);
    } else {
      const double half_sine = e.tangent.cross(f.tangent).norm() / std::sqrt(2.0 * chi);  // of the turning angle
      if (half_sine > 0.0) out.bend_radius[std::size_t(i)] = 0.25 * (e.length + f.length) / half_sine;
    }
  }
  return out;
}

}  // namespace tendril::der
