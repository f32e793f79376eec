// A set of super-helices: the constants of the model, made from the same description as discrete elastic rods. What
// moves is a State. The root of every strand is clamped at its first vertex and driven; the rest is free.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/rods/der/description.hpp"
#include "tendril/rods/der/strands.hpp"
#include "tendril/rods/superhelix/fit.hpp"
#include "tendril/rods/superhelix/partition.hpp"

namespace tendril::superhelix {

// All that a restart needs.
struct State {
  std::vector<double> q, rate;                            // [strand][unknown]: [1/m] and [1/(m s)]
  std::vector<Pose> root;                                 // where the roots are: frame (m1, m2, t) and place
  std::vector<Eigen::Vector3d> root_velocity, root_spin;  // of the step before [m/s], [rad/s]

  void swap(State& other) noexcept {
    q.swap(other.q), rate.swap(other.rate), root.swap(other.root);
    root_velocity.swap(other.root_velocity), root_spin.swap(other.root_spin);
  }
};

class Strands {
 public:
  // Either clamp of the root means the first vertex with its frame. Free roots, held tips, connectors and drawn rest
  // curvatures are not for this model: it says so.
  static Result<Strands> create(der::Description description, const Counts& counts = {});

  std::size_t size() const { return lengths_.size(); }
  std::size_t vertex_count() const { return shares_.size(); }
  std::size_t offset(std::size_t strand) const { return description_.curves.offsets[strand]; }
  std::size_t vertices(std::size_t strand) const { return description_.curves.vertices(strand); }
  std::size_t unknowns() const { return partition_.unknowns(); }  // per strand
  const der::Description& description() const { return description_; }
  const Partition& partition() const { return partition_; }

  State start() const;  // the helices that were fitted to the drawn strands, at rest

  // Where the roots end, for poses relative to the drawn strands: one for all, or one each.
  void drive(std::span<const Pose> poses, std::vector<Pose>& targets) const;

  void set_rest(std::span<const double> rest) { rest_.assign(rest.begin(), rest.end()); }  // [strand][unknown]

  void set_rest_of(std::size_t strand, std::span<const double> rest) {
    std::copy(rest.begin(), rest.end(), rest_.begin() + std::ptrdiff_t(strand * unknowns()));
  }
  // One strand becomes stiffer, for good.
  void scale_stiffness_of(std::size_t strand, double factor) {
    for (std::size_t u = 0; u < unknowns(); ++u) stiffness_[strand * unknowns() + u] *= factor;
  }

  // As a multiple of what the description has.
  void scale_stiffness(double factor);
  void set_damping(std::optional<double> seconds) { damping_ = seconds; }  // of all strands; nothing: as described

  // Dead loads; a torque acts about the tangent at its vertex.
  Status add_load(const der::Load& load);
  void clear_loads();

  // Of one strand.
  double length(std::size_t strand) const { return lengths_[strand]; }
  double damping(std::size_t strand) const { return damping_.value_or(der::of_strand(description_.damping, strand)); }
  const Pose& drawn_root(std::size_t strand) const { return roots_[strand]; }
  std::span<const double> stiffness(std::size_t strand) const { return row(stiffness_, strand); }  // [N m^3]
  std::span<const double> rest(std::size_t strand) const { return row(rest_, strand); }
  std::span<const double> masses(std::size_t strand) const { return row(masses_, strand); }  // per quadrature point
  std::span<const der::Load> loads(std::size_t strand) const { return loads_[strand]; }
  const Fit& fit(std::size_t strand) const { return fits_[strand]; }

  // Of a vertex of the user: where it is on its strand, as a share of the length; and how thick [m].
  double share(std::size_t vertex) const { return shares_[vertex]; }
  double radius(std::size_t vertex) const { return radii_[vertex]; }

 private:
  Strands(der::Description description, const Counts& counts);
  void fit_drawn(std::size_t strand);
  void set_sections(std::size_t strand);
  std::span<const double> row(const std::vector<double>& values, std::size_t strand) const {
    const std::size_t width = values.size() / size();
    return {&values[strand * width], width};
  }

  der::Description description_;
  Partition partition_;
  std::vector<Fit> fits_;
  std::vector<Pose> roots_;
  std::vector<double> lengths_, shares_, radii_;
  std::vector<double> stiffness_, rest_, masses_;  // [strand][...]
  double stiffness_factor_ = 1.0;                  // that is in stiffness_
  std::optional<double> damping_;                  // [s]
  std::vector<std::vector<der::Load>> loads_;
};

// The state in the user's order: positions [m] and velocities [m/s] of the vertices, m1 of each of them.
void gather_positions(const Strands& strands, const State& state, std::span<Eigen::Vector3d> out);
void gather_velocities(const Strands& strands, const State& state, std::span<Eigen::Vector3d> out);
void gather_directors(const Strands& strands, const State& state, std::span<Eigen::Vector3d> out);

// 64 bits over all that a restart needs.
std::uint64_t hash(const State& state);

}  // namespace tendril::superhelix
