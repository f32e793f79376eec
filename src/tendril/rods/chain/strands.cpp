#include "tendril/rods/chain/strands.hpp"

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/eigen_vec3.hpp"
#include "tendril/geometry/transport.hpp"

namespace tendril::chain {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

std::optional<Error> unfit(const der::Strands& strands) {
  const der::Description& d = strands.description();
  for (const der::Hold& hold : strands.holds())
    if (hold.components != std::array{true, true, true, false})
      return Error{fmt::format("holds of strand {}", hold.strand),
                   "hold some components only; points of a chain are held as a whole, components = \"xyz\""};
  for (const der::Connector& c : d.connectors)
    if (c.offset != 0.0 || c.transverse_inertia != 0.0)
      return Error{fmt::format("connector of strand {}", c.strand),
                   "has a size; at the end of a chain it is a point, connector = { mass = ... } alone"};
  return std::nullopt;
}

// Of the slot of a vertex in the rods' streams.
double parameter(const der::Strands& strands, std::size_t strand, std::size_t i, int component) {
  const der::Strands::Place at = strands.place(strand);
  return strands.parameters(at.group)[der::stream_at(at.first + int(i), der::ParameterLayout::components, component,
                                                     strands.lanes(), std::size_t(at.lane))];
}

Vector3d tangent_of(const Vector3d& edge) { return edge.normalized(); }

Vector3d carried(const Vector3d& from, const Vector3d& to, const Vector3d& director) {
  return to_eigen(transport_director_anywhere(to_vec3(from), to_vec3(to), to_vec3(director)));
}

// What is held of a tree hangs together at its root, and no root that is a vertex of another strand is held by itself.
std::optional<Error> unfit_tree(const Strands& made, std::size_t tree) {
  const auto strand_of = [&](std::uint32_t vertex) {
    return std::size_t(std::ranges::upper_bound(made.offsets(), vertex) - made.offsets().begin()) - 1;
  };
  for (const auto& [vertex, node] : made.trees().twins(tree))
    if (made.is_held(vertex))
      return Error{fmt::format("strand {}", strand_of(vertex)),
                   "vertex 0 is held, but it is a vertex of another strand; hold that"};
  const auto vertices = made.trees().vertices(tree), parents = made.trees().parents(tree);
  for (std::size_t i = 1; i < vertices.size(); ++i) {
    if (!made.is_held(vertices[i]) || made.is_held(vertices[parents[i]])) continue;
    const std::size_t strand = strand_of(vertices[i]);
    return Error{fmt::format("strand {}", strand),
                 fmt::format("vertex {} is held, but of strands that hang on each other only the root of the first one "
                             "can be, and what follows it at once",
                             vertices[i] - made.offset(strand))};
  }
  return std::nullopt;
}

}  // namespace

Result<Strands> Strands::create(const der::Strands& strands, const Settings& settings, std::span<const Tie> ties) {
  if (auto wrong = unfit(strands)) return *wrong;
  if (auto why = unfit_method(settings, !ties.empty())) return Error{"chain", *why};
  Strands made;
  made.settings_ = settings;
  const std::size_t n = strands.vertex_count();
  made.masses_ = strands.masses();
  made.stiffness_.assign(n, 0.0), made.widths_.assign(n, 0.0), made.held_.assign(n, 0);
  made.rest_.assign(n, Vector3d::Zero()), made.forces_.assign(n, Vector3d::Zero());
  made.offsets_.push_back(0);
  const std::vector<double> lengths = strands.reference_lengths();
  for (std::size_t s = 0; s < strands.size(); ++s) {
    made.offsets_.push_back(std::uint32_t(strands.offset(s) + strands.vertices(s)));
    made.clamps_.push_back(strands.clamps(s));
    made.dampings_.push_back(der::of_strand(strands.description().damping, s));
    for (std::size_t i = 0; i + 1 < strands.vertices(s); ++i) {
      made.lengths_.push_back(lengths[strands.offset(s) + i]);
      made.shares_.push_back(1.0 / made.lengths_.back());
      if (settings.keeps_lengths()) continue;
      const double of_material = made.lengths_.back() / parameter(strands, s, i, der::ParameterLayout::stretch);
      made.compliances_.push_back(settings.compliance.value_or(of_material));
    }
  }
  for (std::size_t s = 0; s < strands.size(); ++s) made.set_joints(strands, s), made.measure_rest(strands, s);
  Result<Trees> trees = Trees::create(made.offsets_, ties);
  if (!trees) return trees.error();
  made.trees_ = std::move(trees.value());
  for (std::size_t t = 0; t < made.trees_.size(); ++t)
    if (auto wrong = unfit_tree(made, t)) return *wrong;
  return made;
}

void Strands::set_joints(const der::Strands& strands, std::size_t s) {
  const std::size_t first = offset(s), n = vertices(s);
  const auto held_by = [](der::Clamp clamp) -> std::size_t {
    return clamp == der::Clamp::free ? 0 : clamp == der::Clamp::edge ? 2 : 1;
  };
  for (std::size_t i = 0; i < held_by(clamps_[s].root); ++i) held_[first + i] = 1;
  for (std::size_t i = 0; i < held_by(clamps_[s].tip); ++i) held_[first + n - 1 - i] = 1;
  for (const std::size_t h : strands.holds_of(s)) {
    const int vertex = strands.holds()[h].vertex;
    held_[first + std::size_t(vertex < 0 ? vertex + int(n) : vertex)] = 1;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const bool has_joint = i == 0       ? clamps_[s].root == der::Clamp::point
                           : i + 1 == n ? clamps_[s].tip == der::Clamp::point
                                        : true;
    if (i + 1 < n) widths_[first + i] = parameter(strands, s, i, der::ParameterLayout::width);
    if (!has_joint) continue;
    // The rods count a joint in the frames of both its edges, with half of EI over its length each.
    stiffness_[first + i] = settings_.bending * (parameter(strands, s, i, der::ParameterLayout::bend1) +
                                                 parameter(strands, s, i, der::ParameterLayout::bend2));
  }
}

void Strands::measure_rest(const der::Strands& strands, std::size_t s) {
  const auto x = strands.description().curves.strand(s);
  tangents_.push_back(tangent_of(x[1] - x[0]));
  directors_.push_back(der::first_director(strands.description(), s, tangents_.back()));
  for (std::size_t i = 1; i + 1 < x.size(); ++i)
    rest_[offset(s) + i] = tangent_of(x[i + 1] - x[i]) - tangent_of(x[i] - x[i - 1]);
}

double Strands::mean_length(std::size_t s) const {
  const auto own = std::span(lengths_).subspan(link(s, 0), vertices(s) - 1);
  return std::accumulate(own.begin(), own.end(), 0.0) / double(own.size());
}

void Strands::straighten() { rest_.assign(rest_.size(), Vector3d::Zero()); }

void Strands::scale_joints(std::size_t s, double factor) {
  for (std::size_t i = 0; i < vertices(s); ++i) stiffness_[offset(s) + i] *= factor;
}

tendril::Status Strands::add_load(const der::Load& load) {
  if (load.strand >= size()) return Error{"load", fmt::format("names strand {}; there are {}", load.strand, size())};
  const int n = int(vertices(load.strand)), vertex = load.vertex < 0 ? n + load.vertex : load.vertex;
  if (vertex < 0 || vertex >= n)
    return Error{"load", fmt::format("names vertex {} of strand {}, which has {}", load.vertex, load.strand, n)};
  if (load.torque != 0.0) return Error{"load", "is a torque; points of a chain have no twist"};
  if (!load.force.allFinite()) return Error{"load", "is not a finite number"};
  forces_[offset(load.strand) + std::size_t(vertex)] += load.force;
  return ok();
}

void Strands::clear_loads() { forces_.assign(forces_.size(), Vector3d::Zero()); }

void Strands::transport(std::size_t s, std::span<const Vector3d> x, const Clamped& from,
                        std::span<Vector3d> directors) const {
  Vector3d last = root_tangent(s, from), carried_on = from.turn[s] * directors_[s];
  for (std::size_t i = 0; i + 1 < vertices(s); ++i) {
    const Vector3d next = tangent_of(x[i + 1] - x[i]);
    carried_on = carried(last, next, carried_on), last = next;
    directors[i] = carried_on;
  }
}

Vector3d Strands::bend(std::size_t s, std::size_t i, std::span<const Vector3d> x, const Clamped& to) const {
  const auto direction = [&](std::size_t k) { return Vector3d(shares_[link(s, k)] * (x[k + 1] - x[k])); };
  const Vector3d before = i == 0 ? root_tangent(s, to) : direction(i - 1);
  const Vector3d after = i + 1 == vertices(s) ? to.tip[s] : direction(i);
  return after - before;
}

Eigen::Quaterniond Strands::best_turn(std::size_t s, std::span<const Vector3d> x,
                                      const Eigen::Quaterniond& otherwise) const {
  constexpr double at_all = 1e-9;  // of the largest, that the second direction of bending must have
  const auto direction = [&](std::size_t k) { return Vector3d(shares_[link(s, k)] * (x[k + 1] - x[k])); };
  Matrix3d sum = Matrix3d::Zero();
  for (std::size_t i = 1; i + 1 < vertices(s); ++i)
    sum += stiffness_[offset(s) + i] * (direction(i) - direction(i - 1)) * rest_[offset(s) + i].transpose();
  const Eigen::JacobiSVD<Matrix3d> svd(sum, Eigen::ComputeFullU | Eigen::ComputeFullV);
  if (!(svd.singularValues()[1] > at_all * svd.singularValues()[0])) return otherwise;
  const double handed = (svd.matrixU() * svd.matrixV().transpose()).determinant() < 0.0 ? -1.0 : 1.0;
  const Matrix3d turn = svd.matrixU() * Vector3d(1.0, 1.0, handed).asDiagonal() * svd.matrixV().transpose();
  return Eigen::Quaterniond(turn).normalized();
}

Clamped drawn_clamps(const der::Strands& strands) {
  Clamped drawn;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const auto x = strands.description().curves.strand(s);
    drawn.turn.push_back(Eigen::Quaterniond::Identity());
    drawn.tip.push_back(tangent_of(x[x.size() - 1] - x[x.size() - 2]));
  }
  return drawn;
}

namespace {

// Of a held slot of the rods.
Vector3d target_of(const der::Strands& strands, const der::Targets& targets, const der::Strands::Place& at, int slot) {
  using Layout = der::HoldLayout;
  const int hold = strands.groups()[at.group].hold_of[std::size_t(slot)];
  Vector3d out;
  for (int c = 0; c < 3; ++c)
    out[c] = targets.holds[at.group][der::stream_at(hold, Layout::components, Layout::target + c, strands.lanes(),
                                                    std::size_t(at.lane))];
  return out;
}

}  // namespace

void read_clamps(const der::Strands& strands, const Strands& chains, const der::Targets& targets,
                 std::span<const Pose> roots, std::span<const Vector3d> x, const Clamped& before, Clamped& ends) {
  ends.turn = before.turn, ends.tip = before.tip;
  parallel_for(strands.size(), [&](std::size_t s) {
    const std::size_t first = strands.offset(s), n = strands.vertices(s);
    // A clamp at a point has a ghost beyond it, which shows its direction.
    if (strands.clamps(s).tip == der::Clamp::point) {
      const der::Strands::Place at = strands.place(s);
      const int tip = at.first + int(n) - 1;
      ends.tip[s] = tangent_of(target_of(strands, targets, at, tip + 1) - target_of(strands, targets, at, tip));
    }
    ends.turn[s] = chains.has_free_root(s) ? chains.best_turn(s, x.subspan(first, n), before.turn[s])
                   : roots.size() == 1     ? roots.front().rotation
                                           : roots[s].rotation;
  });
}

void read_places(const der::Strands& strands, const Strands& chains, const der::Targets& targets, std::size_t s,
                 std::span<Vector3d> place) {
  const der::Strands::Place at = strands.place(s);
  for (std::size_t i = 0; i < strands.vertices(s); ++i)
    if (const std::size_t v = strands.offset(s) + i; chains.is_held(v))
      place[v] = target_of(strands, targets, at, at.first + int(i));
}

void read_ends(const der::Strands& strands, const Strands& chains, const der::Targets& targets,
               std::span<const Pose> roots, std::span<const Vector3d> x, const Clamped& before, Ends& ends) {
  read_clamps(strands, chains, targets, roots, x, before, ends);
  ends.place.resize(strands.vertex_count());
  parallel_for(strands.size(), [&](std::size_t s) { read_places(strands, chains, targets, s, ends.place); });
}

der::Energies total_energies(const Strands& strands, const Clamped& to, const Vector3d& gravity,
                             std::span<const Vector3d> x, std::span<const Vector3d> v) {
  der::Energies e;
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const std::size_t first = strands.offset(s), n = strands.vertices(s);
    const auto points = x.subspan(first, n);
    for (std::size_t i = 0; i < n; ++i) {
      e.kinetic += 0.5 * strands.mass(first + i) * v[first + i].squaredNorm();
      e.external -= points[i].dot(strands.mass(first + i) * gravity + strands.force(first + i));
      if (i + 1 < n && strands.gives_way()) {
        const double l = strands.lengths()[strands.link(s, i)], softness = strands.compliance(strands.link(s, i));
        const double gap = 0.5 * ((points[i + 1] - points[i]).squaredNorm() - l * l) / l;
        if (gap > 0.0 || !strands.settings().slack) e.stretch += 0.5 * gap * gap / softness;
      }
      if (strands.stiffness(first + i) == 0.0) continue;
      const Vector3d off = strands.bend(s, i, points, to) - to.turn[s] * strands.rest(first + i);
      e.bend += 0.5 * strands.stiffness(first + i) * off.squaredNorm();
    }
  }
  return e;
}

double largest_stretch(const Strands& strands, std::span<const Vector3d> x) {
  double largest = 0.0;
  for (std::size_t s = 0; s < strands.size(); ++s)
    for (std::size_t i = 0; i + 1 < strands.vertices(s); ++i) {
      const std::size_t v = strands.offset(s) + i;
      const double off = (x[v + 1] - x[v]).norm() / strands.lengths()[strands.link(s, i)] - 1.0;
      largest = std::max(largest, strands.settings().slack ? off : std::abs(off));
    }
  return largest;
}

}  // namespace tendril::chain
