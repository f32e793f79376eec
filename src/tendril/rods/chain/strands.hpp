// A set of strands as chains of points: masses, links that keep their lengths, joints that resist bending about a rest
// that turns along with the root, and no twist (docs/theory/chain.md, "Strands"). Constants of the model, made from
// the same description as discrete elastic rods.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/rods/chain/settings.hpp"
#include "tendril/rods/chain/trees.hpp"
#include "tendril/rods/der/energies.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::chain {

// What strands are clamped to, per strand: how the root has turned since it was drawn, which of a free strand is how
// all of it has, and the unit tangent of a tip that is clamped at its point.
struct Clamped {
  std::vector<Eigen::Quaterniond> turn;
  std::vector<Eigen::Vector3d> tip;
};

// Where what is held is at the end of a step.
struct Ends : Clamped {
  std::vector<Eigen::Vector3d> place;  // [m], per vertex; of held ones
};

class Strands {
 public:
  // Points are held as a whole, and connectors are points: it says so where they are not. Roots of strands that hang on
  // others must be free, and drawn where they hang.
  static Result<Strands> create(const der::Strands& strands, const Settings& settings, std::span<const Tie> ties = {});

  std::size_t size() const { return offsets_.size() - 1; }
  std::size_t vertex_count() const { return masses_.size(); }
  std::size_t offset(std::size_t strand) const { return offsets_[strand]; }
  std::size_t vertices(std::size_t strand) const { return offsets_[strand + 1] - offsets_[strand]; }
  std::span<const std::uint32_t> offsets() const { return offsets_; }
  const Settings& settings() const { return settings_; }
  const Trees& trees() const { return trees_; }
  bool is_bent() const { return settings_.bending > 0.0; }
  bool has_free_root(std::size_t strand) const { return clamps_[strand].root == der::Clamp::free; }

  // Per vertex: of the point, of the link that starts there (as a row without gaps, `link`), of the joint there.
  double mass(std::size_t v) const { return masses_[v]; }  // [kg]
  bool is_held(std::size_t v) const { return held_[v] != 0; }
  std::span<const double> lengths() const { return lengths_; }  // [m], of links
  std::size_t link(std::size_t strand, std::size_t i) const { return offsets_[strand] + i - strand; }
  double mean_length(std::size_t strand) const;  // [m], of its links
  bool gives_way() const { return !compliances_.empty(); }
  double compliance(std::size_t link) const { return compliances_[link] / compliance_divisor(); }  // [m/N], if it does
  std::span<const double> shares() const { return shares_; }                                       // [1/m], of links
  double stiffness(std::size_t v) const { return stiffness_factor_ * stiffness_[v]; }              // [N m]
  const Eigen::Vector3d& rest(std::size_t v) const { return rest_[v]; }                            // as drawn
  const Eigen::Vector3d& force(std::size_t v) const { return forces_[v]; }                         // [N], dead load
  double width(std::size_t v) const { return widths_[v]; }                                         // [m], of the edge
  double damping(std::size_t strand) const { return damping_.value_or(dampings_[strand]); }        // [s]

  void set_rest(std::size_t v, const Eigen::Vector3d& rest) { rest_[v] = rest; }
  void set_length(std::size_t link, double length) { lengths_[link] = length; }  // joints bend as they did
  void straighten();
  void scale_joints(std::size_t strand, double factor);                // for good
  void scale_stiffness(double factor) { stiffness_factor_ = factor; }  // of what it then is
  void set_damping(std::optional<double> seconds) { damping_ = seconds; }
  tendril::Status add_load(const der::Load& load);
  void clear_loads();

  // First directors of frames along the strand with the points x, each turned from the one before as little as can be.
  void transport(std::size_t strand, std::span<const Eigen::Vector3d> x, const Clamped& from,
                 std::span<Eigen::Vector3d> directors) const;
  // How the joint at vertex i of a strand is bent: its change of direction; at a clamp from or to its tangent.
  Eigen::Vector3d bend(std::size_t strand, std::size_t i, std::span<const Eigen::Vector3d> x, const Clamped& to) const;
  Eigen::Vector3d root_tangent(std::size_t strand, const Clamped& to) const {
    return to.turn[strand] * tangents_[strand];
  }
  // Of the frame at the root, across its tangent.
  Eigen::Vector3d root_director(std::size_t strand, const Clamped& to) const {
    return to.turn[strand] * directors_[strand];
  }
  // The turn under which the rests of a free strand fit its joints best: no energy is lower, so that a strand that
  // turns as a whole is neither held back nor driven (Eq. 31). `otherwise` where its joints do not tell.
  Eigen::Quaterniond best_turn(std::size_t strand, std::span<const Eigen::Vector3d> x,
                               const Eigen::Quaterniond& otherwise) const;

 private:
  void set_joints(const der::Strands& strands, std::size_t strand);
  void measure_rest(const der::Strands& strands, std::size_t strand);
  // Links that give way as their material does become stiffer along with joints.
  double compliance_divisor() const { return settings_.compliance ? 1.0 : stiffness_factor_; }

  Settings settings_;
  Trees trees_;
  std::vector<std::uint32_t> offsets_;
  std::vector<double> masses_, lengths_, shares_, stiffness_, widths_, dampings_;
  std::vector<double> compliances_;  // of links; empty: they keep their lengths
  std::vector<char> held_;
  std::vector<der::Clamps> clamps_;
  std::vector<Eigen::Vector3d> rest_, forces_;
  std::vector<Eigen::Vector3d> tangents_, directors_;  // of the first edges, as drawn
  double stiffness_factor_ = 1.0;
  std::optional<double> damping_;
};

// As drawn.
Clamped drawn_clamps(const der::Strands& strands);

// Reads where clamps end: `targets` has been driven, roots are drawn with these poses. Free strands at x turn as fits
// them best, from how they had turned before.
void read_clamps(const der::Strands& strands, const Strands& chains, const der::Targets& targets,
                 std::span<const Pose> roots, std::span<const Eigen::Vector3d> x, const Clamped& before, Clamped& ends);
// And where the held points of a strand end.
void read_places(const der::Strands& strands, const Strands& chains, const der::Targets& targets, std::size_t strand,
                 std::span<Eigen::Vector3d> place);
// Both, of all strands.
void read_ends(const der::Strands& strands, const Strands& chains, const der::Targets& targets,
               std::span<const Pose> roots, std::span<const Eigen::Vector3d> x, const Clamped& before, Ends& ends);

der::Energies total_energies(const Strands& strands, const Clamped& to, const Eigen::Vector3d& gravity,
                             std::span<const Eigen::Vector3d> x, std::span<const Eigen::Vector3d> v);

// Largest |length / link - 1|; of slack ones by how much they are too long.
double largest_stretch(const Strands& strands, std::span<const Eigen::Vector3d> x);

}  // namespace tendril::chain
