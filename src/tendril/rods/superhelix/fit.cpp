#include "tendril/rods/superhelix/fit.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tendril/rods/superhelix/shape.hpp"

namespace tendril::superhelix {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

double turning_angle(std::span<const Vector3d> x, std::size_t i) {
  const Vector3d a = x[i] - x[i - 1], b = x[i + 1] - x[i];
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

// How much of the misses the turns of all pieces, in squared radians, are worth. Without it pieces wind up to turn by
// hundreds of radians between two drawn vertices, for misses that are a little less.
constexpr double share_of_turns = 0.02;

// Levenberg-Marquardt on log V + share R of the first `count` vertices, V the sum of squared misses and R that of the
// turns of all pieces. Unknowns: q, then two tilts of the root frame; a turn of it about
// its tangent would do the same as turning all curvatures.
class LeastSquares {
 public:
  LeastSquares(const Partition& partition, std::span<const Vector3d> points, std::span<const double> lengths,
               double share, Fit& fit)
      : partition_(partition),
        points_(points),
        lengths_(lengths),
        share_(share),
        fit_(fit),
        pieces_(partition.pieces()),
        reach_(partition.unknowns(), 0.0) {
    for (std::size_t u = 0; u < reach_.size(); ++u)
      reach_[u] = (partition.end_of(u) - partition.begin_of(u)) * lengths.back();
  }

  // With V as it is before a step, the step is one on V + share V R.
  void run(std::size_t count, int most_iterations) {
    constexpr double little = 1e-6, hopeless = 1e6;
    const double rounding = 1e-12 * lengths_.back(), enough = rounding * rounding * double(count);
    double misses = assemble(count), damping = 1e-4;
    for (int i = 0; i < most_iterations && damping < hopeless && misses > enough;) {
      const Fit before = fit_;
      const double weight = share_ * misses, value = misses + weight * squared_turns();
      move(step(damping, weight));
      const double moved = misses_of(count) + weight * squared_turns();
      if (!(moved < value)) {
        fit_ = before, damping *= 10.0;
        continue;
      }
      misses = assemble(count), damping *= 0.1, ++i;
      if (value - moved <= little * value) return;
    }
  }

  void measure() {
    lay_out(partition_, fit_.q, lengths_.back(), fit_.root, pieces_);
    double sum = 0.0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const double distance = miss(i).norm();
      fit_.largest = std::max(fit_.largest, distance), sum += distance * distance;
    }
    fit_.mean = std::sqrt(sum / double(points_.size()));
  }

  // What is minimised, whatever share this one has.
  double cost() const { return 2.0 * std::log(fit_.mean) + share_of_turns * squared_turns(); }

 private:
  Vector3d miss(std::size_t i) const {
    return position_at(partition_, pieces_, lengths_.back(), lengths_[i] / lengths_.back()) - (points_[i] - points_[0]);
  }

  // [rad2], of all unknowns over the pieces that they bend or twist.
  double squared_turns() const {
    double sum = 0.0;
    for (std::size_t u = 0; u < fit_.q.size(); ++u) sum += fit_.q[u] * fit_.q[u] * reach_[u] * reach_[u];
    return sum;
  }

  double misses_of(std::size_t count) {
    lay_out(partition_, fit_.q, lengths_.back(), fit_.root, pieces_);
    double sum = 0.0;
    for (std::size_t i = 1; i < count; ++i) sum += miss(i).squaredNorm();
    return sum;
  }

  double assemble(std::size_t count) {
    const std::size_t n = fit_.q.size();
    const double value = misses_of(count);
    rows_.setZero(Index(n + 2), Index(3 * count)), misses_.setZero(Index(3 * count));
    for (std::size_t i = 1; i < count; ++i) {
      const ShapePoint point = point_at(partition_, pieces_, lengths_.back(), lengths_[i] / lengths_.back());
      misses_.segment<3>(Index(3 * i)) = point.position - (points_[i] - points_[0]);
      for (int c = 0; c < 3; ++c) {
        const Index row = Index(3 * i) + c;
        add_force(partition_, pieces_, point, Vector3d::Unit(c), {rows_.col(row).data(), n});
        for (int tilt = 0; tilt < 2; ++tilt) rows_(Index(n) + tilt, row) = fit_.root.col(tilt).cross(point.position)[c];
      }
    }
    normal_.noalias() = rows_ * rows_.transpose();
    gradient_.noalias() = rows_ * misses_;
    return value;
  }

  // What no vertex depends on (the twist of a straight piece) stays where it is.
  VectorXd step(double damping, double weight) const {
    const double floor = 1e-12 * normal_.diagonal().maxCoeff();
    MatrixXd damped = normal_;
    VectorXd slope = gradient_;
    for (std::size_t u = 0; u < fit_.q.size(); ++u) {
      const double stiffness = weight * reach_[u] * reach_[u];
      damped(Index(u), Index(u)) += stiffness, slope[Index(u)] += stiffness * fit_.q[u];
    }
    damped.diagonal().array() += damping * damped.diagonal().array() + floor;
    return -damped.llt().solve(slope);
  }

  void move(const VectorXd& by) {
    const auto n = Index(fit_.q.size());
    for (Index i = 0; i < n; ++i) fit_.q[std::size_t(i)] += by[i];
    fit_.root = fit_.root * Helix({by[n], by[n + 1], 0.0}, 1.0).rotation();
  }

  const Partition& partition_;
  std::span<const Vector3d> points_;
  std::span<const double> lengths_;
  const double share_;
  Fit& fit_;
  std::vector<Piece> pieces_;
  std::vector<double> reach_;  // [m] of strand that each unknown bends or twists
  MatrixXd rows_, normal_;     // derivatives of the misses, one column each; their squares
  VectorXd misses_, gradient_;
};

// An unknown that comes into play begins as its neighbour towards the root ended.
void continue_into(const Partition& partition, std::size_t piece, std::vector<double>& q) {
  for (std::size_t c = 0; c < 3 && piece > 0; ++c) {
    const std::size_t now = partition.entry(piece, c).unknown, before = partition.entry(piece - 1, c).unknown;
    if (now != before) q[now] = q[before];
  }
}

// Root to tip: a curl of many turns has many local minima, and a start from nothing would end in one of them.
double grow(const Partition& partition, std::span<const double> lengths, LeastSquares& squares, Fit& fit) {
  std::size_t fitted = 1;
  for (std::size_t j = 0; j < partition.pieces(); ++j) {
    continue_into(partition, j, fit.q);
    const double end = partition.end(j) * lengths.back();
    const auto count = std::size_t(std::upper_bound(lengths.begin(), lengths.end(), end) - lengths.begin());
    if (count == fitted) continue;
    squares.run(count, 4);
    fitted = count;
  }
  squares.run(lengths.size(), 25);
  squares.measure();
  return squares.cost();
}

}  // namespace

std::vector<double> smooth_arc_lengths(std::span<const Vector3d> points) {
  constexpr double sharpest = std::numbers::pi / 2.0;  // beyond, a corner is a corner
  const std::size_t n = points.size();
  std::vector<double> lengths(n, 0.0);
  for (std::size_t i = 0; i + 1 < n; ++i) {
    const double before = i > 0 ? turning_angle(points, i) : -1.0;
    const double after = i + 2 < n ? turning_angle(points, i + 1) : -1.0;
    const double angle = before < 0.0 ? std::max(after, 0.0) : after < 0.0 ? before : 0.5 * (before + after);
    const double half = 0.5 * std::min(angle, sharpest);
    lengths[i + 1] = lengths[i] + (points[i + 1] - points[i]).norm() * (half > 0.0 ? half / std::sin(half) : 1.0);
  }
  return lengths;
}

// What a super-helix can meet is met without regard to turns on the way, else pieces are held back from many of them.
Fit fit_polyline(const Partition& partition, std::span<const Vector3d> points, std::span<const double> lengths,
                 const Matrix3d& frame) {
  Fit best;
  double least = std::numeric_limits<double>::infinity();
  for (const double share : {share_of_turns, 0.0}) {
    Fit fit;
    fit.q.assign(partition.unknowns(), 0.0);
    fit.root = frame;
    LeastSquares squares(partition, points, lengths, share, fit);
    const double cost = grow(partition, lengths, squares, fit);
    if (best.q.empty() || cost < least) least = cost, best = std::move(fit);
  }
  return best;
}

}  // namespace tendril::superhelix
