#include "tendril/rods/superhelix/one_step.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/geometry/rotation_vector.hpp"
#include "tendril/rods/superhelix/forces.hpp"

namespace tendril::superhelix {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// From w x d to the chord of a point that turns with w for dt (Eq. 22).
Matrix3d chord_of(const Vector3d& spin, double dt) { return Helix(spin * dt, 1.0).turning(); }

void solve(const Eigen::Map<MatrixXd>& factor, double* x) {
  Eigen::Map<VectorXd> v(x, factor.rows());
  factor.triangularView<Eigen::Lower>().solveInPlace(v);
  factor.triangularView<Eigen::Lower>().transpose().solveInPlace(v);
}

// x := L Lᵀ x, in place.
void multiply(const Eigen::Map<MatrixXd>& factor, double* x) {
  const Index n = factor.rows();
  for (Index u = 0; u < n; ++u) {
    double sum = 0.0;
    for (Index i = u; i < n; ++i) sum += factor(i, u) * x[i];
    x[u] = sum;
  }
  for (Index i = n; i-- > 0;) {
    double sum = 0.0;
    for (Index u = 0; u <= i; ++u) sum += factor(i, u) * x[u];
    x[i] = sum;
  }
}

StepReport summary(std::span<const char> failed) {
  StepReport report;
  for (std::size_t s = failed.size(); s-- > 0;)
    if (failed[s] != 0) report.strand = s, ++report.troubled, report.outcome = Outcome::failed;
  return report;
}

}  // namespace

OneStep::OneStep(const Strands& strands, std::span<const Pose> targets, const StepOptions& options, const State& state,
                 Workspace& work)
    : strands_(strands), targets_(targets), options_(options), state_(state), work_(work) {
  const std::size_t n = strands.unknowns(), size = strands.size();
  work.threads.resize(std::size_t(thread_count()));
  work.pieces.resize(size * strands.partition().pieces());
  work.vertices.resize(size > 0 ? strands.offset(size - 1) + strands.vertices(size - 1) : 0);
  work.factors.resize(size * n * n);
  work.free_velocities.resize(size * (n + driven));
  work.roots.resize(size), work.chords.resize(size), work.residuals.resize(size);
  work.failed.assign(size, 0);
  for (Workspace::Thread& thread : work.threads) {
    thread.pieces.resize(strands.partition().pieces());
    thread.quadrature.points.resize(thread.pieces.size() * gauss_points);
    thread.before.resize(n), thread.force.resize(n), thread.acceleration.resize(n);
    thread.carried.resize(thread.quadrature.points.size());
  }
  parallel_for(size, [&](std::size_t s) {
    const FlushDenormals flush;
    linearise(s);
  });
  work.velocities = work.free_velocities;
}

std::span<Piece> OneStep::pieces(std::size_t strand) const {
  const std::size_t count = strands_.partition().pieces();
  return {&work_.pieces[strand * count], count};
}

ShapePoint& OneStep::vertex(std::size_t strand, std::size_t index) const {
  return work_.vertices[strands_.offset(strand) + index];
}

Eigen::Map<MatrixXd> OneStep::factor(std::size_t strand) const {
  const std::size_t n = strands_.unknowns();
  return {&work_.factors[strand * n * n], Index(n), Index(n)};
}

// The chord of the step, and how it differs from that of the step before (Eq. 21).
RootMotion OneStep::root_motion(std::size_t s) const {
  const double dt = options_.dt;
  RootMotion root;
  root.velocity = (targets_[s].translation - state_.root[s].translation) / dt;
  root.spin = rotation_vector(targets_[s].rotation * state_.root[s].rotation.conjugate()) / dt;
  root.acceleration = (root.velocity - state_.root_velocity[s]) / dt;
  root.spin_acceleration = (root.spin - state_.root_spin[s]) / dt;
  return root;
}

// Inertia as accelerations of the points: from the velocities that they come with to those of the root's new motion.
// The former are what the step before has solved for, at the shape from which it started; what of them the new tangents
// cannot take up is lost, so that inertia never adds energy however long the step (Eq. 19).
void OneStep::carry_momentum(std::size_t s, Workspace::Thread& thread) const {
  const Partition& partition = strands_.partition();
  const std::size_t n = strands_.unknowns();
  const double dt = options_.dt, back = options_.velocity_terms ? dt : 0.0;
  const std::span<const double> rate{&state_.rate[s * n], n};
  const Vector3d &velocity = state_.root_velocity[s], &spin = state_.root_spin[s];
  const Matrix3d chord = chord_of(spin, back), turned_back = Helix(spin * -back, 1.0).rotation();
  for (std::size_t u = 0; u < n; ++u) thread.before[u] = state_.q[s * n + u] - back * rate[u];
  lay_out(partition, thread.before, strands_.length(s), turned_back * state_.root[s].rotation.toRotationMatrix(),
          thread.pieces);
  point_motions(partition, thread.pieces, strands_.length(s), rate, thread.carried);

  const RootMotion& root = work_.roots[s];
  lay_quadrature(partition, pieces(s), strands_.length(s), strands_.masses(s), thread.quadrature);
  for (std::size_t i = 0; i < thread.carried.size(); ++i) {
    Quadrature::Point& p = thread.quadrature.points[i];
    const PointMotion& carried = thread.carried[i];
    const Vector3d arriving = velocity + chord * spin.cross(carried.position) + carried.velocity;
    p.acceleration = (root.velocity + work_.chords[s] * root.spin.cross(p.position) - arriving) / dt;
  }
}

// What loads and contacts pull a strand with keeps it straight between them, the stiffer the finer its pieces are:
// taken from the start of the step alone it would not be stable (Eq. 24).
void OneStep::add_tension(std::size_t s, Workspace::Thread& thread) const {
  const std::size_t first = strands_.offset(s), count = strands_.vertices(s), points = thread.quadrature.points.size();
  thread.pulls.assign(count, Vector3d::Zero());
  for (const der::Load& load : strands_.loads(s)) thread.pulls[std::size_t(load.vertex)] += load.force;
  for (std::size_t v = 0; v < count && !options_.expected_contact.empty(); ++v)
    thread.pulls[v] += options_.expected_contact[first + v];
  if (std::ranges::all_of(thread.pulls, [](const Vector3d& pull) { return pull.isZero(0.0); })) return;
  const Partition& partition = strands_.partition();
  const double length = strands_.length(s);
  thread.tension.resize(points);
  Vector3d beyond = Vector3d::Zero();
  std::size_t vertex = count;
  for (std::size_t p = points; p-- > 0;) {
    const std::size_t j = p / gauss_points;
    const double span = partition.end(j) - partition.begin(j),
                 share = partition.begin(j) + gauss_place[p % gauss_points] * span;
    while (vertex > 0 && strands_.share(first + vertex - 1) > share) beyond += thread.pulls[--vertex];
    const Piece& piece = pieces(s)[j];
    thread.tension[p] =
        beyond.dot(piece.frame * Helix(piece.darboux, (share - partition.begin(j)) * length).rotation().col(2));
  }
  const std::size_t n = strands_.unknowns();
  add_tension_stiffness(partition, pieces(s), length, thread.tension, options_.dt * options_.dt,
                        {factor(s).data(), n * n});
}

// (mass + (dt damping + dt^2) K) rate = dt (K (rest - q) + loads + gravity - inertia) (Eq. 19)
void OneStep::linearise(std::size_t s) {
  const Partition& partition = strands_.partition();
  const std::size_t n = strands_.unknowns();
  const std::span<const double> q{&state_.q[s * n], n};
  Workspace::Thread& thread = work_.threads[std::size_t(worker_index())];
  const RootMotion& root = work_.roots[s] = root_motion(s);
  work_.chords[s] = chord_of(root.spin, options_.dt);
  lay_out(partition, q, strands_.length(s), state_.root[s].rotation.toRotationMatrix(), pieces(s));
  for (std::size_t v = 0; v < strands_.vertices(s); ++v)
    vertex(s, v) = point_at(partition, pieces(s), strands_.length(s), strands_.share(strands_.offset(s) + v));
  carry_momentum(s, thread);
  std::fill(thread.force.begin(), thread.force.end(), 0.0);
  add_body_force(partition, pieces(s), thread.quadrature, options_.gravity, thread.force);
  add_loads(strands_, s, pieces(s), thread.force);

  Eigen::Map<MatrixXd> matrix = factor(s);
  mass_matrix(partition, pieces(s), thread.quadrature, {matrix.data(), n * n});
  add_tension(s, thread);
  double* const v = &work_.free_velocities[s * (n + driven)];
  const double stiffening = options_.dt * (strands_.damping(s) + options_.dt);
  for (std::size_t u = 0; u < n; ++u) {
    const double k = strands_.stiffness(s)[u];
    v[u] = options_.dt * (k * (strands_.rest(s)[u] - q[u]) + thread.force[u]);
    matrix(Index(u), Index(u)) += stiffening * k;
  }
  const Eigen::LLT<Eigen::Ref<MatrixXd>> decomposed(matrix);  // in place
  if (decomposed.info() != Eigen::Success) work_.failed[s] = 1;
  solve(matrix, v);
  Eigen::Map<Vector3d>(v + n) = root.velocity;
  Eigen::Map<Vector3d>(v + n + 3) = root.spin;
}

void OneStep::free_velocity(std::size_t block, std::span<double> out) const {
  std::copy_n(&work_.free_velocities[block * block_size(block)], block_size(block), out.begin());
}

void OneStep::apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const {
  const std::size_t size = block_size(block), n = strands_.unknowns();
  for (std::size_t c = 0; c < columns; ++c) {
    solve(factor(block), &out[c * size]);
    std::fill_n(&out[c * size + n], driven, 0.0);
  }
}

Vector3d OneStep::vertex_velocity(std::size_t s, std::size_t v, std::span<const double> velocity) const {
  const std::size_t n = strands_.unknowns();
  const ShapePoint& point = vertex(s, v);
  const Eigen::Map<const Vector3d> shift(&velocity[n]), spin(&velocity[n + 3]);
  return shift + work_.chords[s] * spin.cross(point.position) +
         velocity_of(strands_.partition(), pieces(s), point, velocity.first(n));
}

void OneStep::add_vertex_impulse(std::size_t s, std::size_t v, const Vector3d& impulse, std::span<double> out) const {
  const std::size_t n = strands_.unknowns();
  const ShapePoint& point = vertex(s, v);
  Eigen::Map<Vector3d>(&out[n]) += impulse;
  Eigen::Map<Vector3d>(&out[n + 3]) += point.position.cross(work_.chords[s].transpose() * impulse);
  add_force(strands_.partition(), pieces(s), point, impulse, out.first(n));
}

Vector3d OneStep::point_velocity(const MaterialPoint& point, std::span<const double> velocity) const {
  return (1.0 - point.along) * vertex_velocity(point.block, point.element, velocity) +
         point.along * vertex_velocity(point.block, point.element + 1, velocity);
}

void OneStep::vertex_velocities(std::size_t block, std::span<const double> velocity, std::span<Vector3d> out) const {
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = vertex_velocity(block, v, velocity);
}

void OneStep::add_point_impulse(const MaterialPoint& point, const Vector3d& impulse, std::span<double> out) const {
  add_vertex_impulse(point.block, point.element, (1.0 - point.along) * impulse, out);
  add_vertex_impulse(point.block, point.element + 1, point.along * impulse, out);
}

void OneStep::set_velocity(std::size_t block, std::span<const double> velocity) {
  std::copy(velocity.begin(), velocity.end(), &work_.velocities[block * block_size(block)]);
}

void OneStep::end_positions(std::size_t s, std::span<const double> velocity, std::span<Vector3d> out) const {
  thread_local std::vector<double> q;
  thread_local std::vector<Piece> bent;
  const std::size_t n = strands_.unknowns();
  q.resize(n), bent.resize(strands_.partition().pieces());
  for (std::size_t u = 0; u < n; ++u) q[u] = state_.q[s * n + u] + options_.dt * velocity[u];
  lay_out(strands_.partition(), q, strands_.length(s), targets_[s].rotation.toRotationMatrix(), bent);
  for (std::size_t v = 0; v < out.size(); ++v)
    out[v] = targets_[s].translation +
             position_at(strands_.partition(), bent, strands_.length(s), strands_.share(strands_.offset(s) + v));
}

StepReport OneStep::advance(State& trial) {
  const std::size_t n = strands_.unknowns();
  trial.q.resize(state_.q.size()), trial.rate.resize(state_.q.size());
  trial.root.assign(targets_.begin(), targets_.end());
  trial.root_velocity.resize(strands_.size()), trial.root_spin.resize(strands_.size());
  parallel_for(strands_.size(), [&](std::size_t s) {
    const FlushDenormals flush;
    double sum = 0.0;  // a NaN or an infinity anywhere stays in it
    for (std::size_t u = 0; u < n; ++u) {
      const double v = work_.velocities[s * (n + driven) + u];
      trial.rate[s * n + u] = v;
      trial.q[s * n + u] = state_.q[s * n + u] + options_.dt * v;
      sum += std::abs(trial.q[s * n + u]);
    }
    trial.root_velocity[s] = work_.roots[s].velocity, trial.root_spin[s] = work_.roots[s].spin;
    if (!std::isfinite(sum)) work_.failed[s] = 1;
    work_.residuals[s] = work_.failed[s] != 0 ? 0.0 : residual_of(s, trial);
  });
  residual_ = 0.0;
  for (const double r : work_.residuals) residual_ = std::max(residual_, r);
  return summary(work_.failed);
}

// Of the implicit Euler equations at the advanced state, contact impulses counted in; a force on an unknown is one of
// the strand's weight and inertia at the lever of its length, over the piece that it rules.
double OneStep::residual_of(std::size_t s, const State& trial) {
  const Partition& partition = strands_.partition();
  const std::size_t n = strands_.unknowns();
  const double dt = options_.dt, length = strands_.length(s);
  Workspace::Thread& thread = work_.threads[std::size_t(worker_index())];
  const std::span<const double> q{&trial.q[s * n], n}, rate{&trial.rate[s * n], n};
  std::vector<double>& force = thread.force;
  for (std::size_t u = 0; u < n; ++u) force[u] = rate[u] - work_.free_velocities[s * (n + driven) + u];
  multiply(factor(s), force.data());  // the impulse behind the change of velocity
  for (std::size_t u = 0; u < n; ++u) {
    thread.acceleration[u] = (rate[u] - state_.rate[s * n + u]) / dt;
    const double strain = q[u] - strands_.rest(s)[u] + strands_.damping(s) * rate[u];
    force[u] = force[u] / dt - strands_.stiffness(s)[u] * strain;
  }
  lay_out(partition, q, length, trial.root[s].rotation.toRotationMatrix(), thread.pieces);
  lay_quadrature(partition, thread.pieces, length, strands_.masses(s), thread.quadrature);
  std::fill(thread.before.begin(), thread.before.end(), 0.0);
  accelerate(partition, thread.pieces, length, options_.velocity_terms ? rate : thread.before, thread.acceleration,
             work_.roots[s], thread.quadrature);
  add_body_force(partition, thread.pieces, thread.quadrature, options_.gravity, force);
  add_loads(strands_, s, thread.pieces, force);

  double load = 0.0, largest = 0.0;
  for (const Quadrature::Point& p : thread.quadrature.points)
    load += p.mass * (options_.gravity.norm() + p.acceleration.norm());
  for (const der::Load& l : strands_.loads(s)) load += l.force.norm() + std::abs(l.torque) / length;
  for (std::size_t u = 0; u < n; ++u) {
    const double span = (partition.end_of(u) - partition.begin_of(u)) * length;
    largest = std::max(largest, std::abs(force[u]) / span);
  }
  return load > 0.0 ? largest / (load * length) : 0.0;
}

StepReport step(const Strands& strands, std::span<const Pose> targets, const StepOptions& options, const State& state,
                Workspace& work, State& trial) {
  return OneStep(strands, targets, options, state, work).advance(trial);
}

}  // namespace tendril::superhelix
