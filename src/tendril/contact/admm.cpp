#include "tendril/contact/admm.hpp"

#include "tendril/contact/iteration.hpp"
#include "tendril/contact/law.hpp"
#include "tendril/contact/node_matrix.hpp"
#include "tendril/contact/node_response.hpp"

namespace tendril::contact {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr int usual_iterations = 3000;
constexpr int iterations_between_measures = 10;
constexpr int stall_iterations = 1000;
constexpr double stall_share = 0.9;
constexpr double penalty = 1.0;  // c: larger ones are faster on some problems, and diverge on others
constexpr double relaxation = 1.6;

// z, the copy of ũ that is kept in the dual cone, and the impulse that holds the two together.
struct Split {
  Vector3d z = Vector3d::Zero();
  double lift = 0.0;  // mu |u_T|
};

Vector3d lifted(const Vector3d& u, double lift) { return {u[0] + lift, u[1], u[2]}; }

// Eq. 39: impulse and copy after the velocities have become u.
void split(const NodeContact& contact, const Vector3d& u, Split& copy, Vector3d& r) {
  if (contact.scale == 0.0) return;
  const double weight = penalty * contact.scale;
  copy.lift = contact.law == Law::bilateral ? 0.0 : contact.mu * u.tail<2>().norm();
  const Vector3d relaxed = relaxation * lifted(u, copy.lift) + (1.0 - relaxation) * copy.z;
  const Vector3d wanted = r - weight * relaxed;
  r = contact.law == Law::bilateral ? wanted : project_on_cone(wanted, contact.mu);
  copy.z = (r - wanted) / weight;
}

}  // namespace

Report alternating_directions(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  Progress progress(Solver::admm, options, speed);
  const int most = options.max_sweeps > 0 ? options.max_sweeps : usual_iterations;
  NodeMatrix matrix(space);
  std::vector<Matrix3d> stiffness;
  for (const NodeContact& contact : space.contacts) stiffness.push_back(penalty * contact.scale * Matrix3d::Identity());
  if (!matrix.is_definite() || !matrix.factorise(stiffness))
    return progress.report.outcome = Outcome::not_definite, progress.report;
  NodeResponse response(space);
  std::vector<Split> copies(space.size());
  Impulses best = r, push(space.size());
  AlignedVector<double> v(space.free_velocity.size(), 0.0);
  for (int& iteration = progress.report.sweeps;; ++iteration) {
    if (iteration % iterations_between_measures == 0 || iteration >= most) {
      if (progress.note(response.error(r))) best = r;
      if (progress.ends(most)) break;
    }
    if (iteration % stall_iterations == 0 && progress.stalls(stall_share)) break;
    for (std::size_t i = 0; i < space.size(); ++i) {
      const NodeContact& contact = space.contacts[i];
      const Vector3d offset = lifted(contact.drift, copies[i].lift - contact.push.at(r[i][0]));
      push[i] = penalty * contact.scale * (copies[i].z - offset) + r[i];
    }
    matrix.solve(response.velocities(push).data(), v.data());
    for (std::size_t i = 0; i < space.size(); ++i)
      split(space.contacts[i], space.law_velocity(space.contacts[i], r[i], v.data()), copies[i], r[i]);
  }
  r = best;
  return progress.report;
}

}  // namespace tendril::contact
