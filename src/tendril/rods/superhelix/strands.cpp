#include "tendril/rods/superhelix/strands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/superhelix/dynamics.hpp"

namespace tendril::superhelix {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using std::numbers::pi;

// Values at given places along a strand, linear in between and constant beyond the ends.
class Profile {
 public:
  void add(double place, double value) { places_.push_back(place), values_.push_back(value); }
  double at(double place) const {
    const auto after = std::size_t(std::upper_bound(places_.begin(), places_.end(), place) - places_.begin());
    if (after == 0) return values_.front();
    if (after == places_.size()) return values_.back();
    const double a = places_[after - 1], b = places_[after], along = (place - a) / (b - a);
    return values_[after - 1] + along * (values_[after] - values_[after - 1]);
  }

 private:
  std::vector<double> places_, values_;
};

// Edges own sections and density, joints own moduli.
struct Profiles {
  Profile axis1, axis2, density, young, shear;

  Profiles(const der::Description& d, std::size_t strand, std::span<const double> shares) {
    const std::size_t first = d.curves.offsets[strand], n = shares.size();
    for (std::size_t i = 0; i + 1 < n; ++i) {
      const double middle = 0.5 * (shares[i] + shares[i + 1]);
      axis1.add(middle, d.semi_axis1[first + i]), axis2.add(middle, d.semi_axis2[first + i]);
      density.add(middle, d.density[first + i]);
    }
    for (std::size_t i = 0; i < n; ++i)
      if (n == 2 || der::has_joint(d, strand, i))
        young.add(shares[i], d.bend_modulus[first + i]), shear.add(shares[i], d.twist_modulus[first + i]);
  }
};

Matrix3d drawn_frame(const der::Description& d, std::size_t strand) {
  const auto x = d.curves.strand(strand);
  Matrix3d frame;
  frame.col(2) = (x[1] - x[0]).normalized();
  frame.col(0) = der::first_director(d, strand, frame.col(2));
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

std::optional<Error> unfit_for_helices(const der::Description& d, const Counts& counts) {
  if (counts.bend1 < 1 || counts.bend2 < 1 || counts.twist < 1)
    return Error{"super-helix", "needs one piece or more for each curvature and for the twist"};
  for (std::size_t s = 0; s < d.clamps.size(); ++s) {
    if (d.clamps[s].root == der::Clamp::free)
      return Error{fmt::format("strand {}", s), "has a free root; a super-helix has its root clamped"};
    if (d.clamps[s].tip != der::Clamp::free)
      return Error{fmt::format("strand {}", s), "has a clamped tip; the tip of a super-helix is free"};
  }
  if (!d.connectors.empty()) return Error{"connectors", "are not for super-helices"};
  if (!d.rest_curvature.empty() || !d.rest_twist.empty() || !d.rest_strain.empty())
    return Error{"rest shape", "of rods cannot be given to super-helices; they are at rest as drawn"};
  return std::nullopt;
}

template <class F>
void for_each_vertex(const Strands& strands, const State& state, F&& f) {
  const Partition& partition = strands.partition();
  const std::size_t n = strands.unknowns();
  parallel_for(strands.size(), [&](std::size_t s) {
    thread_local std::vector<Piece> pieces;
    pieces.resize(partition.pieces());
    lay_out(partition, {&state.q[s * n], n}, strands.length(s), state.root[s].rotation.toRotationMatrix(), pieces);
    for (std::size_t v = strands.offset(s); v < strands.offset(s) + strands.vertices(s); ++v)
      f(s, v, std::span<const Piece>(pieces));
  });
}

}  // namespace

Result<Strands> Strands::create(der::Description description, const Counts& counts) {
  if (Status status = der::check(description); !status) return status.error();
  if (auto wrong = unfit_for_helices(description, counts)) return *wrong;
  return Strands(std::move(description), counts);
}

Strands::Strands(der::Description description, const Counts& counts)
    : description_(std::move(description)), partition_(counts) {
  const std::size_t strands = description_.curves.strands(), n = partition_.unknowns();
  fits_.resize(strands), roots_.resize(strands), lengths_.resize(strands), loads_.resize(strands);
  shares_.resize(description_.curves.points.size()), radii_.resize(shares_.size());
  stiffness_.resize(strands * n), rest_.resize(strands * n);
  masses_.resize(strands * partition_.pieces() * gauss_points);
  parallel_for(strands, [&](std::size_t s) { fit_drawn(s), set_sections(s); });
}

void Strands::fit_drawn(std::size_t s) {
  const auto points = description_.curves.strand(s);
  const std::vector<double> lengths = smooth_arc_lengths(points);
  fits_[s] = fit_polyline(partition_, points, lengths, drawn_frame(description_, s));
  roots_[s] = {Eigen::Quaterniond(fits_[s].root).normalized(), points.front()};
  lengths_[s] = lengths.back();
  for (std::size_t i = 0; i < points.size(); ++i) shares_[offset(s) + i] = lengths[i] / lengths.back();
  std::copy(fits_[s].q.begin(), fits_[s].q.end(), rest_.begin() + std::ptrdiff_t(s * unknowns()));
}

// Stiffness and mass by the quadrature of the pieces (docs/theory/superhelix.md, Eq. 12 and "Inertia").
void Strands::set_sections(std::size_t s) {
  const std::span<const double> shares{&shares_[offset(s)], vertices(s)};
  const Profiles along(description_, s, shares);
  for (std::size_t i = 0; i < shares.size(); ++i)
    radii_[offset(s) + i] = 0.5 * (along.axis1.at(shares[i]) + along.axis2.at(shares[i]));
  for (std::size_t j = 0; j < partition_.pieces(); ++j)
    for (std::size_t g = 0; g < gauss_points; ++g) {
      const double span = partition_.end(j) - partition_.begin(j), at = partition_.begin(j) + gauss_place[g] * span;
      const double length = gauss_weight[g] * span * lengths_[s];
      const double a = along.axis1.at(at), b = along.axis2.at(at), area = pi * a * b;
      masses_[(s * partition_.pieces() + j) * gauss_points + g] = along.density.at(at) * area * length;
      const auto add = [&](std::size_t c, double stiffness) {
        stiffness_[s * unknowns() + partition_.entry(j, c).unknown] += stiffness * length;
      };
      add(1, along.young.at(at) * area * a * a / 4.0);  // about m2: towards m1
      add(0, along.young.at(at) * area * b * b / 4.0);
      add(2, along.shear.at(at) * area * a * a * b * b / (a * a + b * b));
    }
}

void Strands::scale_stiffness(double factor) {
  for (double& k : stiffness_) k *= factor / stiffness_factor_;
  stiffness_factor_ = factor;
}

State Strands::start() const {
  State state;
  for (const Fit& fit : fits_) state.q.insert(state.q.end(), fit.q.begin(), fit.q.end());
  state.rate.assign(state.q.size(), 0.0);
  state.root = roots_;
  state.root_velocity.assign(size(), Vector3d::Zero());
  state.root_spin = state.root_velocity;
  return state;
}

void Strands::drive(std::span<const Pose> poses, std::vector<Pose>& targets) const {
  targets.resize(size());
  for (std::size_t s = 0; s < size(); ++s)
    targets[s] = compose(poses.size() == 1 ? poses.front() : poses[s], roots_[s]);
}

Status Strands::add_load(const der::Load& load) {
  if (load.strand >= size()) return Error{"load", fmt::format("names strand {}; there are {}", load.strand, size())};
  const int n = int(vertices(load.strand)), vertex = load.vertex < 0 ? n + load.vertex : load.vertex;
  if (vertex < 0 || vertex >= n)
    return Error{"load", fmt::format("names vertex {} of strand {}, which has {}", load.vertex, load.strand, n)};
  if (!load.force.allFinite() || !std::isfinite(load.torque)) return Error{"load", "is not a finite number"};
  loads_[load.strand].push_back({load.strand, vertex, load.force, load.torque});
  return ok();
}

void Strands::clear_loads() {
  for (auto& loads : loads_) loads.clear();
}

void gather_positions(const Strands& strands, const State& state, std::span<Vector3d> out) {
  for_each_vertex(strands, state, [&](std::size_t s, std::size_t v, std::span<const Piece> pieces) {
    out[v] = state.root[s].translation + position_at(strands.partition(), pieces, strands.length(s), strands.share(v));
  });
}

void gather_velocities(const Strands& strands, const State& state, std::span<Vector3d> out) {
  const std::size_t n = strands.unknowns();
  for_each_vertex(strands, state, [&](std::size_t s, std::size_t v, std::span<const Piece> pieces) {
    const ShapePoint point = point_at(strands.partition(), pieces, strands.length(s), strands.share(v));
    out[v] = state.root_velocity[s] + state.root_spin[s].cross(point.position) +
             velocity_of(strands.partition(), pieces, point, {&state.rate[s * n], n});
  });
}

void gather_directors(const Strands& strands, const State& state, std::span<Vector3d> out) {
  for_each_vertex(strands, state, [&](std::size_t s, std::size_t v, std::span<const Piece> pieces) {
    out[v] = frame_at(strands.partition(), pieces, strands.length(s), strands.share(v)).col(0);
  });
}

std::uint64_t hash(const State& state) {
  Hash hash;
  hash.numbers(state.q).numbers(state.rate);
  for (std::size_t s = 0; s < state.root.size(); ++s) {
    const Eigen::Vector4d& turn = state.root[s].rotation.coeffs();
    for (const Vector3d& v : {state.root[s].translation, state.root_velocity[s], state.root_spin[s]})
      hash.numbers({v.data(), 3});
    hash.numbers({turn.data(), 4});
  }
  return hash.value();
}

}  // namespace tendril::superhelix
