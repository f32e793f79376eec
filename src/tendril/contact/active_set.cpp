#include "tendril/contact/active_set.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

#include "tendril/contact/dense_delassus.hpp"
#include "tendril/contact/iteration.hpp"
#include "tendril/contact/node_response.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int usual_pivots = 1000;
constexpr int free_rounds = 3;             // of exchanging everything, before the fallback that always ends
constexpr int most_rounds_of_pushes = 20;  // each takes them as the impulses before have left them
constexpr double regularisation = 1e-11;   // of the largest entry of the diagonal: W may be singular

// One row per normal of a contact, three per joint; what cannot be moved has none.
struct Row {
  std::size_t contact;
  int axis;
  bool is_joint;
};

std::vector<Row> rows_of(const NodeSpace& space) {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < space.size(); ++i) {
    const NodeContact& contact = space.contacts[i];
    if (contact.scale == 0.0) continue;
    const bool joint = contact.law == Law::bilateral;
    for (int axis = 0; axis < (joint ? 3 : 1); ++axis) rows.push_back({i, axis, joint});
  }
  return rows;
}

// 0 <= x ⊥ W x + b >= 0 on the rows of contacts, W x + b = 0 on those of joints.
class Complementarity {
 public:
  Complementarity(const NodeSpace& space, std::vector<Row> rows) : rows_(std::move(rows)), active_(rows_.size()) {
    const MatrixXd w = dense_delassus(space);
    const VectorXd b = dense_free_velocity(space);
    const auto place = [&](std::size_t k) { return Index(3 * rows_[k].contact) + rows_[k].axis; };
    w_.resize(Index(rows_.size()), Index(rows_.size())), b_.resize(Index(rows_.size()));
    for (const Row& row : rows_) pushes_.push_back(row.is_joint ? SoftPush{} : space.contacts[row.contact].push);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      b_[Index(i)] = b[place(i)];
      active_[i] = rows_[i].is_joint || b[place(i)] - pushes_[i].at(0.0) < 0.0;
      for (std::size_t j = 0; j < rows_.size(); ++j) w_(Index(i), Index(j)) = w(place(i), place(j));
    }
    x_ = u_ = VectorXd::Zero(b_.size());
  }

  void solve_active() {
    std::vector<Index> chosen;
    for (std::size_t i = 0; i < active_.size(); ++i)
      if (active_[i]) chosen.push_back(Index(i));
    MatrixXd part = w_(chosen, chosen);
    if (part.size() > 0) part.diagonal().array() += regularisation * part.diagonal().maxCoeff();
    VectorXd b = b_;  // pushes as the impulses of the last round leave them
    for (std::size_t i = 0; i < pushes_.size(); ++i) b[Index(i)] -= pushes_[i].at(x_[Index(i)]);
    x_.setZero();
    const VectorXd right = -b(chosen), solved = part.llt().solve(right);
    x_(chosen) = solved;
    u_ = w_ * x_ + b;
  }

  // Exchanges rows that are on the wrong side: all of them, or the last one alone. How many there were.
  std::size_t exchange(bool all) {
    std::size_t wrong = 0, last = 0;
    const double least_u = 1e-12 * b_.lpNorm<Eigen::Infinity>(), least_x = 1e-12 * x_.lpNorm<Eigen::Infinity>();
    std::vector<char> next = active_;
    for (std::size_t i = 0; i < active_.size(); ++i) {
      if (rows_[i].is_joint) continue;
      const bool is_wrong = active_[i] ? x_[Index(i)] < -least_x : u_[Index(i)] < -least_u;
      if (!is_wrong) continue;
      ++wrong, last = i;
      next[i] = !active_[i];
    }
    if (wrong > 0 && !all) next = active_, next[last] = !active_[last];
    active_ = std::move(next);
    return wrong;
  }

  void read(Impulses& r) const {
    for (Eigen::Vector3d& impulse : r) impulse.setZero();
    for (std::size_t i = 0; i < rows_.size(); ++i)
      r[rows_[i].contact][rows_[i].axis] = rows_[i].is_joint ? x_[Index(i)] : std::max(0.0, x_[Index(i)]);
  }

 private:
  const std::vector<Row> rows_;
  std::vector<SoftPush> pushes_;  // of each row
  std::vector<char> active_;
  MatrixXd w_;
  VectorXd b_, x_, u_;
};

bool has_friction(const NodeSpace& space) {
  return std::ranges::any_of(space.contacts,
                             [](const NodeContact& c) { return c.law == Law::coulomb && c.mu > 0.0 && c.scale > 0.0; });
}

}  // namespace

Report active_set(const NodeSpace& space, const Options& options, double speed, Impulses& r) {
  Progress progress(Solver::active_set, options, speed);
  NodeResponse response(space);
  if (has_friction(space) || space.size() > most_dense_contacts) {
    progress.note(response.error(r));
    return progress.report.outcome = Outcome::unsuitable, progress.report;
  }
  Complementarity problem(space, rows_of(space));
  const int most = options.max_sweeps > 0 ? options.max_sweeps : usual_pivots;
  std::size_t fewest_wrong = space.size() + 1;
  int rounds = free_rounds, rounds_of_pushes = space.has_pushes() ? most_rounds_of_pushes : 0;
  Impulses best = r, now = r;
  for (;;) {
    problem.solve_active(), ++progress.report.sweeps;
    problem.read(now);
    if (progress.note(response.error(now))) best = now;
    if (progress.ends(most)) break;
    const std::size_t wrong = problem.exchange(rounds > 0);
    if (wrong == 0 && rounds_of_pushes-- <= 0) {
      progress.report.outcome = Outcome::stalled;  // round-off is all that is left
      break;
    }
    if (wrong < fewest_wrong)
      fewest_wrong = wrong, rounds = free_rounds;
    else
      --rounds;
  }
  r = best;
  return progress.report;
}

}  // namespace tendril::contact
