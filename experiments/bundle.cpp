#include "experiments/bundle.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>
#include <vector>

#include "tendril/base/random.hpp"
#include "tendril/collide/segment_pair.hpp"

namespace tendril::experiments {
namespace {

using Eigen::Index;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// A point of a strand: between a node and the next.
struct Place {
  int strand, node;
  double share;
};

Matrix3d frame_of(const Vector3d& n) {
  const double sign = std::copysign(1.0, n[2]), a = -1.0 / (sign + n[2]), b = n[0] * n[1] * a;
  Matrix3d frame;
  frame << n[0], n[1], n[2], 1.0 + sign * n[0] * n[0] * a, sign * b, -sign * n[0], b, sign + n[1] * n[1] * a, -n[1];
  return frame;
}

class Bundle {
 public:
  explicit Bundle(const BundleOptions& options) : o_(options), random_(options.seed) {
    place_nodes();
    const double angle = random_.uniform(0.0, 2.0 * std::numbers::pi);
    root_velocity_ = o_.root_speed * Vector3d(std::cos(angle), std::sin(angle), 0.0);
    for (int s = 0; s < o_.strands; ++s) add_strand(s);
    add_strand_contacts();
    add_plane_contacts();
  }

  tendril::contact::Problem problem;

 private:
  const Vector3d& node(int strand, int k) const { return nodes_[std::size_t(strand * o_.nodes + k)]; }
  Vector3d point(const Place& p) const {
    return (1.0 - p.share) * node(p.strand, p.node) + p.share * node(p.strand, p.node + 1);
  }

  // The points of a hexagonal lattice that are nearest to the axis.
  std::vector<Eigen::Vector2d> lattice() const {
    const int reach = int(std::sqrt(double(o_.strands))) + 4;
    std::vector<Eigen::Vector2d> points;
    for (int i = -reach; i <= reach; ++i)
      for (int j = -reach; j <= reach; ++j)
        points.push_back(2.0 * o_.radius * o_.packing * Eigen::Vector2d(i + 0.5 * j, std::sqrt(0.75) * j));
    std::ranges::stable_sort(points, {}, [](const Eigen::Vector2d& p) { return std::round(p.squaredNorm() * 1e16); });
    points.resize(std::size_t(o_.strands));
    return points;
  }

  // Outer strands turn more than inner ones, so that neighbours cross.
  void place_nodes() {
    const std::vector<Eigen::Vector2d> roots = lattice();
    outer_ = std::max(roots.back().norm(), o_.radius);
    for (const Eigen::Vector2d& root : roots)
      for (int k = 0; k < o_.nodes; ++k) {
        const double along = double(k) / (o_.nodes - 1);
        const Eigen::Vector2d turned = Eigen::Rotation2Dd(o_.twist * along * root.norm() / outer_) * root;
        Vector3d x(turned[0], turned[1], -o_.length * along);
        if (k > 0) x[0] += o_.jitter * o_.radius * random_.normal(), x[1] += o_.jitter * o_.radius * random_.normal();
        nodes_.push_back(x);
      }
  }

  // Stretching along the edges as they stand, and bending of a straight strand.
  MatrixXd stiffness(int strand) const {
    MatrixXd k = MatrixXd::Zero(3 * o_.nodes, 3 * o_.nodes);
    for (int q = 0; q + 1 < o_.nodes; ++q) {
      const Vector3d edge = node(strand, q + 1) - node(strand, q);
      const Matrix3d pull = edge * edge.transpose() * (o_.stretching / (edge.norm() * edge.squaredNorm()));
      const std::array<double, 2> weight = {1.0, -1.0};
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j)
          k.block<3, 3>(3 * (q + i), 3 * (q + j)) += weight[std::size_t(i)] * weight[std::size_t(j)] * pull;
    }
    const double h = o_.length / (o_.nodes - 1), bend = o_.bending / (h * h * h);
    const std::array<double, 3> weight = {1.0, -2.0, 1.0};
    for (int q = 0; q + 2 < o_.nodes; ++q)
      for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
          k.block<3, 3>(3 * (q + i), 3 * (q + j)).diagonal().array() +=
              bend * weight[std::size_t(i)] * weight[std::size_t(j)];
    return k;
  }

  // Squeezed towards the axis, swung by the root, shaken; then one implicit step without contact.
  void add_strand(int strand) {
    const int unknowns = 3 * (o_.nodes - 1);
    const double h = o_.length / (o_.nodes - 1);
    const MatrixXd k = stiffness(strand);
    MatrixXd matrix = o_.dt * o_.dt * k.bottomRightCorner(unknowns, unknowns);
    VectorXd right(unknowns);
    for (int q = 1; q < o_.nodes; ++q) {
      const double mass = o_.line_density * h * (q + 1 == o_.nodes ? 0.5 : 1.0), along = double(q) / (o_.nodes - 1);
      const Vector3d& x = node(strand, q);
      Vector3d v = (1.0 - along) * root_velocity_ - o_.squeeze * along / outer_ * Vector3d(x[0], x[1], 0.0);
      for (int axis = 0; axis < 3; ++axis) v[axis] += o_.noise * random_.normal();
      right.segment<3>(3 * (q - 1)) = mass * (v + o_.dt * Vector3d(0.0, 0.0, -9.81));
      matrix.diagonal().segment<3>(3 * (q - 1)).array() += mass;
    }
    right -= o_.dt * o_.dt * k.bottomLeftCorner(unknowns, 3) * root_velocity_;
    problem.add_block(matrix, right);
  }

  // A node that is clamped has no unknowns: its part of the velocity goes to the drift.
  tendril::contact::Side side(const Place& p, const Matrix3d& frame, double sign, Vector3d& drift) {
    tendril::contact::Side out{std::int32_t(p.strand), std::uint32_t(problem.entries.size()), 0};
    for (int k = 0; k < 2; ++k) {
      const double weight = sign * (k == 0 ? 1.0 - p.share : p.share);
      const int at = p.node + k;
      if (at == 0) drift += weight * frame * root_velocity_;
      if (at == 0 || weight == 0.0) continue;
      for (int axis = 0; axis < 3; ++axis)
        problem.entries.push_back({std::uint32_t(3 * (at - 1) + axis), weight * frame.col(axis)}), ++out.count;
    }
    return out;
  }

  Place place(int strand, double along_pieces) const {
    const double segments = along_pieces / o_.pieces;
    const int node = std::min(int(segments), o_.nodes - 2);
    return {strand, node, segments - node};
  }

  // Pieces of different strands that are near each other, by cells of the size of a piece.
  std::vector<std::array<int, 2>> near_pieces(const std::vector<collide::Segment>& pieces, double reach) const {
    const auto cell = [&](const Vector3d& x, int axis) { return int(std::floor(x[axis] / reach)); };
    std::map<std::array<int, 3>, std::vector<int>> grid;
    std::vector<std::array<int, 2>> out;
    const int per_strand = o_.pieces * (o_.nodes - 1);
    for (int i = 0; i < int(pieces.size()); ++i) {
      const Vector3d middle = pieces[std::size_t(i)].at(0.5);
      const std::array<int, 3> own = {cell(middle, 0), cell(middle, 1), cell(middle, 2)};
      for (int dx = -1; dx <= 1; ++dx)
        for (int dy = -1; dy <= 1; ++dy)
          for (int dz = -1; dz <= 1; ++dz) {
            const auto found = grid.find({own[0] + dx, own[1] + dy, own[2] + dz});
            if (found == grid.end()) continue;
            for (const int j : found->second)
              if (j / per_strand != i / per_strand && (pieces[std::size_t(j)].at(0.5) - middle).norm() <= reach)
                out.push_back({j, i});
          }
      grid[own].push_back(i);
    }
    std::ranges::sort(out);
    return out;
  }

  void add_strand_contacts() {
    const int per_strand = o_.pieces * (o_.nodes - 1);
    std::vector<collide::Segment> pieces;
    double longest = 0.0;
    for (int s = 0; s < o_.strands; ++s)
      for (int k = 0; k < per_strand; ++k) {
        pieces.push_back({point(place(s, k)), point(place(s, k + 1))});
        longest = std::max(longest, pieces.back().direction().norm());
      }
    const double distance = 2.0 * o_.radius * (1.0 + o_.margin);
    std::set<std::array<long long, 4>> seen;  // the end of a piece and the start of the next are one contact
    for (const auto& [i, j] : near_pieces(pieces, distance + 0.5 * longest)) {
      const collide::SegmentPoints near = collide::closest_points(pieces[std::size_t(i)], pieces[std::size_t(j)]);
      if (near.apart.norm() >= distance) continue;
      const double along_a = i % per_strand + near.s, along_b = j % per_strand + near.t;
      const auto rounded = [](double x) { return std::llround(x * 1e6); };
      if (!seen.insert({i / per_strand, j / per_strand, rounded(along_a), rounded(along_b)}).second) continue;
      add_strand_contact(place(i / per_strand, along_a), place(j / per_strand, along_b));
    }
  }

  void add_strand_contact(const Place& a, const Place& b) {
    const Vector3d apart = point(a) - point(b);
    const bool at_both_roots = a.node + a.share <= 0.2 && b.node + b.share <= 0.2;
    if (apart.norm() <= 1e-9 || at_both_roots) return;
    const Matrix3d frame = frame_of(apart.normalized());
    tendril::contact::Contact contact{{}, {}, Vector3d::Zero(), o_.mu, tendril::contact::Law::coulomb};
    contact.a = side(a, frame, 1.0, contact.drift), contact.b = side(b, frame, -1.0, contact.drift);
    problem.contacts.push_back(contact);
  }

  // A plane below the bundle that moves with the roots and slides along itself.
  void add_plane_contacts() {
    double lowest = nodes_[0][1];
    for (const Vector3d& x : nodes_) lowest = std::min(lowest, x[1]);
    const Matrix3d frame = frame_of(Vector3d::UnitY());
    const Vector3d velocity = root_velocity_ + Vector3d(0.1, 0.0, 0.05);
    for (int s = 0; s < o_.strands; ++s)
      for (int k = 1; k <= o_.pieces * (o_.nodes - 1); k += 2) {
        const Place at = place(s, k);
        if (point(at)[1] - (lowest + 1.2 * o_.radius) >= o_.radius * o_.margin) continue;
        tendril::contact::Contact contact{{}, {}, -frame * velocity, o_.mu_body, tendril::contact::Law::coulomb};
        contact.a = side(at, frame, 1.0, contact.drift);
        problem.contacts.push_back(contact);
      }
  }

  const BundleOptions o_;
  Random random_;
  double outer_ = 0.0;
  Vector3d root_velocity_;
  std::vector<Vector3d> nodes_;
};

}  // namespace

tendril::contact::Problem bundle(const BundleOptions& options) { return Bundle(options).problem; }

tendril::contact::Problem thinned(tendril::contact::Problem problem, double share) {
  std::vector<tendril::contact::Contact> kept;
  for (std::size_t i = 0; i < problem.size(); ++i)
    if (std::size_t(double(i + 1) * share) > std::size_t(double(i) * share)) kept.push_back(problem.contacts[i]);
  problem.contacts = std::move(kept);
  return problem;
}

}  // namespace tendril::experiments
