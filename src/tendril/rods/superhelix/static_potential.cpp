#include "tendril/rods/superhelix/static_potential.hpp"

#include <algorithm>

#include "tendril/rods/superhelix/dynamics.hpp"
#include "tendril/rods/superhelix/forces.hpp"

namespace tendril::superhelix {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

StaticPotential::StaticPotential(const Strands& strands, State& state, std::size_t strand, const Vector3d& gravity)
    : strands_(strands), strand_(strand), state_(state), gravity_(gravity) {
  const Partition& partition = strands.partition();
  for (std::size_t j = 0; j < partition.pieces(); ++j)
    for (std::size_t i = 0; i < gauss_points; ++i) {
      const double share = partition.begin(j) + gauss_place[i] * (partition.end(j) - partition.begin(j));
      forces_.push_back({share, strands.masses(strand)[j * gauss_points + i] * gravity});
    }
  for (const der::Load& load : strands.loads(strand))
    forces_.push_back({strands.share(strands.offset(strand) + std::size_t(load.vertex)), load.force});
}

VectorXd StaticPotential::unknowns() const {
  return Eigen::Map<const VectorXd>(&state_.q[strand_ * strands_.unknowns()], Index(strands_.unknowns()));
}

void StaticPotential::place(const VectorXd& q) {
  std::copy(q.begin(), q.end(), &state_.q[strand_ * strands_.unknowns()]);
}

double StaticPotential::value(const VectorXd& q) {
  place(q);
  const der::Energies e = strand_energies(strands_, state_, strand_, gravity_);
  return e.elastic() + e.external;
}

void StaticPotential::gradient(const VectorXd& q, VectorXd& out) {
  place(q);
  const std::vector<double> force = static_force(strands_, state_, strand_, gravity_);
  out = -Eigen::Map<const VectorXd>(force.data(), Index(force.size()));
}

MatrixXd StaticPotential::hessian(const VectorXd& q) {
  place(q);
  const Partition& partition = strands_.partition();
  std::vector<Piece> pieces(partition.pieces());
  lay_out(partition, {q.data(), std::size_t(q.size())}, strands_.length(strand_),
          state_.root[strand_].rotation.toRotationMatrix(), pieces);
  MatrixXd matrix = Eigen::Map<const VectorXd>(strands_.stiffness(strand_).data(), q.size()).asDiagonal();
  add_load_stiffness(partition, pieces, strands_.length(strand_), forces_, matrix);
  return matrix;
}

bool StaticPotential::factorise(const VectorXd& q) {
  factor_.compute(hessian(q));
  if (factor_.info() == Eigen::Success) return true;
  const VectorXd stiffness = Eigen::Map<const VectorXd>(strands_.stiffness(strand_).data(), q.size());
  factor_.compute(MatrixXd(stiffness.asDiagonal()));
  return factor_.info() == Eigen::Success;
}

double StaticPotential::force_scale() const {
  double load = 0.0;
  for (const PointForce& f : forces_) load += f.force.norm();
  return load * strands_.length(strand_) * strands_.length(strand_);
}

}  // namespace tendril::superhelix
