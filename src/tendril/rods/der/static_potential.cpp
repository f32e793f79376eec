#include "tendril/rods/der/static_potential.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/geometry/transport.hpp"

namespace tendril::der {
namespace {

using L = StateLayout;

Vec3<double> read3(const Rod& rod, int slot, int component) {
  const double* at = &rod.state[std::size_t(slot * L::components + component)];
  return {at[0], at[1], at[2]};
}

// What is zero but for rounding becomes positive.
void lift_neutral_modes(Band<double>& hessian) {
  constexpr double neutral = 64.0 * 0x1p-52;
  for (std::size_t u = 0; u < hessian.size; ++u) hessian.at(u, u) += neutral * std::abs(hessian.at(u, u));
}

}  // namespace

bool StaticPotential::place(const Eigen::VectorXd& displacement, Rod& out) const {
  out = rod_;
  for (int k = 0; k < base_.vertices; ++k) {
    for (int c = 0; c < 3; ++c) {  // (base + low) + displacement without loss: Knuth's two-sum
      const auto at = std::size_t(k * L::components + c);
      const double a = base_.state[at], b = displacement[4 * k + c], sum = a + b, part = sum - a;
      out.state[at] = sum;
      out.low[std::size_t(3 * k + c)] = base_.low[std::size_t(3 * k + c)] + ((a - (sum - part)) + (b - part));
    }
    const auto theta = std::size_t(k * L::components + L::theta);
    out.state[theta] = base_.state[theta] + displacement[4 * k + 3];
  }
  Vec3<double> tangent_behind{}, director_behind{};
  for (int k = 0; k + 1 < base_.vertices; ++k) {
    const Vec3<double> old_tangent = make_edge(read3(rod_, k + 1, L::position) - read3(rod_, k, L::position)).tangent;
    const Vec3<double> tangent = make_edge(read3(out, k + 1, L::position) - read3(out, k, L::position)).tangent;
    if (!(dot(old_tangent, tangent) > -0.9)) return false;
    if (k > 0 && !(1.0 + dot(tangent_behind, tangent) > 1e-6)) return false;
    const Vec3<double> director = transport_director(old_tangent, tangent, read3(rod_, k, L::director));
    store3(director, &out.state[std::size_t(k * L::components + L::director)]);
    double& twist = out.state[std::size_t(k * L::components + L::reference_twist)];
    if (k > 0) twist = reference_twist(tangent_behind, director_behind, tangent, director, twist);
    tangent_behind = tangent, director_behind = director;
  }
  return true;
}

double StaticPotential::value(const Eigen::VectorXd& displacement) {
  if (!displacement.allFinite() || !place(displacement, trial_)) return std::numeric_limits<double>::infinity();
  const Energies energy = energies(trial_, Eigen::Vector3d::Zero(), 0.0);
  // Work from the base, not from the origin: the difference between two poses must not drown in a large total.
  double work = 0.0;
  for (int k = 0; k < rod_.vertices; ++k) {
    const double mass = rod_.parameter(k, ParameterLayout::mass);
    for (int c = 0; c < 4; ++c) {
      const double load =
          (c < 3 ? mass * gravity_[c] : 0.0) + (rod_.loads.empty() ? 0.0 : rod_.loads[std::size_t(4 * k + c)]);
      work += load_factor_ * load * displacement[4 * k + c];
    }
  }
  const Eigen::Vector3d gravity = load_factor_ * gravity_;
  work += connector_potential(base_, gravity) - connector_potential(trial_, gravity);
  double proximal = 0.0;
  if (proximal_weight_.size() > 0) proximal = 0.5 * proximal_weight_.dot((displacement - proximal_centre_).cwiseAbs2());
  return energy.elastic() - work + proximal;
}

void StaticPotential::gradient(const Eigen::VectorXd& displacement, Eigen::VectorXd& out) {
  place(displacement, trial_);
  std::swap(rod_, trial_);
  out = -net_force(rod_, gravity_, load_factor_);
  if (proximal_weight_.size() > 0) out += proximal_weight_.cwiseProduct(displacement - proximal_centre_);
  for (std::size_t u = 0; u < rod_.unknowns(); ++u)
    if (!rod_.is_free(u)) out[Eigen::Index(u)] = 0.0;
}

bool StaticPotential::factorise(const Eigen::VectorXd&) {
  factor_ = exact_hessian(rod_, tension_);
  add_connector_weight(rod_, load_factor_ * gravity_, false, factor_);
  add_proximal(factor_);
  take_out_held(rod_, factor_);
  if (applied_load_ == 0.0) lift_neutral_modes(factor_);  // a strand that floats can go anywhere, and must not
  if (tendril::factorise(factor_, Pivots::as_they_come) == 0.0) return true;
  factor_ = positive_hessian(rod_, tension_);  // a way down, away from a saddle
  add_connector_weight(rod_, load_factor_ * gravity_, true, factor_);
  add_proximal(factor_);
  take_out_held(rod_, factor_);
  tendril::factorise(factor_, Pivots::clamp_to_positive);
  return true;
}

void StaticPotential::add_proximal(Band<double>& hessian) const {
  for (Eigen::Index u = 0; u < proximal_weight_.size(); ++u)
    hessian.at(std::size_t(u), std::size_t(u)) += proximal_weight_[u];
}

void StaticPotential::solve(const Eigen::VectorXd& rhs, Eigen::VectorXd& out) const {
  out = rhs;
  tendril::solve(factor_, std::span<double>(out.data(), std::size_t(out.size())));
}

std::vector<double> StaticPotential::predicted_tension(const Eigen::VectorXd& increment) const {
  std::vector<double> tension;
  for (int k = 0; k + 1 < rod_.vertices; ++k) {
    const PreciseEdge edge = precise_edge(rod_, k);
    const double longer = edge.tangent.dot(increment.segment<3>(4 * k + 4) - increment.segment<3>(4 * k));
    tension.push_back(rod_.parameter(k, ParameterLayout::stretch) *
                      (edge.strain + longer * rod_.parameter(k, ParameterLayout::inverse_rest_length)));
  }
  return tension;
}

double StaticPotential::largest_turn(const Eigen::VectorXd& increment) const {
  double largest = 0.0;
  for (int k = 0; k + 1 < rod_.vertices; ++k) {
    const PreciseEdge edge = precise_edge(rod_, k);
    const Eigen::Vector3d change = increment.segment<3>(4 * k + 4) - increment.segment<3>(4 * k);
    largest = std::max({largest, change.norm() / edge.length, std::abs(increment[4 * k + 3])});
  }
  return largest;
}

void StaticPotential::recentre(Eigen::VectorXd& displacement) {
  place(displacement, trial_);
  rod_ = base_ = trial_;
  if (proximal_centre_.size() > 0) proximal_centre_ -= displacement;
  displacement.setZero();
}

double StaticPotential::norm(const Eigen::VectorXd& forces) const {
  double sum = 0.0;
  for (int k = 0; k < rod_.vertices; ++k) {
    for (int c = 0; c < 3; ++c) sum += forces[4 * k + c] * forces[4 * k + c];
    const double torque = forces[4 * k + 3] / total_length_;
    if (k + 1 < rod_.vertices) sum += torque * torque;
  }
  return std::sqrt(sum);
}

double StaticPotential::find_applied_load() const {
  Eigen::VectorXd applied = Eigen::VectorXd::Zero(Eigen::Index(rod_.unknowns()));
  for (int k = 0; k < rod_.vertices; ++k)
    for (int c = 0; c < 4; ++c) {
      const auto u = Eigen::Index(4 * k + c);
      if (!rod_.is_free(std::size_t(u))) continue;
      applied[u] = (c < 3 ? rod_.parameter(k, ParameterLayout::mass) * gravity_[c] : 0.0) +
                   (rod_.loads.empty() ? 0.0 : rod_.loads[std::size_t(4 * k + c)]);
    }
  return norm(applied);
}

double StaticPotential::load() const {
  if (applied_load_ > 0.0) return applied_load_;
  Eigen::VectorXd reaction = net_force(rod_, gravity_, 1.0);
  for (std::size_t u = 0; u < rod_.unknowns(); ++u)
    if (rod_.is_free(u)) reaction[Eigen::Index(u)] = 0.0;
  return std::max(norm(reaction), 1e-6 * joint_force());
}

double StaticPotential::rounding() const {
  constexpr double fine = 0x1p-63, coarse = 0x1p-52;  // of net_force, and of the angles
  double sum = 0.0;
  for (int k = 1; k + 1 < rod_.vertices; ++k) {
    const double angle = std::abs(rod_.state[std::size_t(k * L::components + L::theta)]) +
                         std::abs(rod_.state[std::size_t(k * L::components + L::reference_twist)]);
    const double bend = fine * joint_stiffness(k) / user_length(k);
    const double twist = coarse * (1.0 + angle) * rod_.parameter(k, ParameterLayout::twist) / total_length_;
    sum += bend * bend + twist * twist;
  }
  return std::sqrt(sum);
}

double StaticPotential::user_length(int k) const {
  const int edge = std::clamp(k, rod_.first, rod_.first + rod_.user_vertices - 2);
  return 1.0 / rod_.parameter(edge, ParameterLayout::inverse_rest_length);
}

double StaticPotential::joint_stiffness(int k) const {
  return rod_.parameter(k, ParameterLayout::bend1) + rod_.parameter(k, ParameterLayout::bend2) +
         rod_.parameter(k, ParameterLayout::twist);
}

double StaticPotential::joint_force() const {
  double sum = 0.0;
  for (int k = 1; k + 1 < rod_.vertices; ++k) {
    const double force = joint_stiffness(k) / user_length(k);
    sum += force * force;
  }
  return std::sqrt(sum);
}

int StaticPotential::negative_modes() const {
  Band<double> hessian = exact_hessian(rod_);
  add_connector_weight(rod_, load_factor_ * gravity_, false, hessian);
  add_proximal(hessian);
  take_out_held(rod_, hessian);
  lift_neutral_modes(hessian);
  return int(tendril::factorise(hessian, Pivots::as_they_come));
}

}  // namespace tendril::der
