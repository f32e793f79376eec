// A set of CoRdE rods: positions at the vertices, a quaternion on every edge, tied together by a stiff energy.
// Constants of the model, made from the same description as discrete elastic rods; what moves is a State.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/rods/der/description.hpp"
#include "tendril/rods/der/energies.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::corde {

// All that a restart needs; indexed by vertex, what is about an edge at its first vertex.
struct State {
  std::vector<Eigen::Vector3d> position, velocity;  // [m], [m/s]
  std::vector<Eigen::Quaterniond> frame;            // unit; columns m1, m2, d3
  std::vector<Eigen::Vector3d> spin;                // [rad/s] about (m1, m2, d3)

  void swap(State& other) noexcept {
    position.swap(other.position), velocity.swap(other.velocity);
    frame.swap(other.frame), spin.swap(other.spin);
  }
};

// Where the roots end, per strand: the first vertex, the second one, and the clamp's frame.
struct Target {
  Eigen::Vector3d first, second;
  Eigen::Quaterniond frame;
};

class Strands {
 public:
  // Tips are free; holds, connectors and rest shapes other than the drawn one are not for this model: it says so.
  static Result<Strands> create(der::Description description);

  std::size_t size() const { return description_.curves.strands(); }
  std::size_t vertex_count() const { return masses_.size(); }
  std::size_t offset(std::size_t strand) const { return description_.curves.offsets[strand]; }
  std::size_t vertices(std::size_t strand) const { return description_.curves.vertices(strand); }
  const der::Description& description() const { return description_; }
  der::Clamp clamp(std::size_t strand) const { return der::of_strand(description_.clamps, strand).root; }
  double damping(std::size_t strand) const { return damping_.value_or(der::of_strand(description_.damping, strand)); }

  State start() const;  // the drawn pose at rest
  // For poses relative to the drawn strands: one for all, or one each.
  void drive(std::span<const Pose> poses, std::vector<Target>& targets) const;
  // Rest states other than the drawn one (balance.hpp): of the edge and of the joint at a vertex. A frame is the one
  // that strands start with.
  void set_rest_edge(std::size_t v, double length, const Eigen::Quaterniond& frame) {
    lengths_[v] = length, frames_[v] = frame;
  }
  void set_rest_turn(std::size_t v, const Eigen::Vector3d& turn) { rest_turns_[v] = turn; }
  void straighten() { rest_turns_.assign(rest_turns_.size(), Eigen::Vector3d::Zero()); }  // at rest, not at the start

  // As a multiple of what the description has.
  void scale_stiffness(double factor) { stiffness_factor_ = factor; }
  void set_damping(std::optional<double> seconds) { damping_ = seconds; }  // of all strands; nothing: as described
  Status add_load(const der::Load& load);  // a dead force on a vertex, a torque about its edge
  void clear_loads();

  // Per vertex: of the vertex, of the edge that starts there, of the joint there.
  double mass(std::size_t v) const { return masses_[v]; }                       // [kg]
  const Eigen::Vector3d& inertia(std::size_t v) const { return inertias_[v]; }  // [kg m^2] about m1, m2, d3
  double length(std::size_t v) const { return lengths_[v]; }                    // [m] at rest
  double stretch_stiffness(std::size_t v) const { return stiffness_factor_ * stretch_[v]; }    // [N]
  double parallel_stiffness(std::size_t v) const { return stiffness_factor_ * parallel_[v]; }  // [N]
  Eigen::Vector3d joint_stiffness(std::size_t v) const {
    return stiffness_factor_ * joints_[v];
  }                                                                                 // [N m] about m1, m2, d3
  const Eigen::Vector3d& rest_turn(std::size_t v) const { return rest_turns_[v]; }  // [rad]
  const Eigen::Vector3d& force(std::size_t v) const { return forces_[v]; }          // [N] dead load
  double torque(std::size_t v) const { return torques_[v]; }                        // [N m] about d3
  double radius(std::size_t v) const { return radii_[v]; }                          // [m]

 private:
  explicit Strands(der::Description description);
  void set_frames(std::size_t strand);
  void set_sections(std::size_t strand);

  der::Description description_;
  std::vector<Eigen::Quaterniond> frames_;  // drawn
  std::vector<double> masses_, lengths_, stretch_, parallel_, torques_, radii_;
  std::vector<Eigen::Vector3d> inertias_, joints_, rest_turns_, forces_;
  double stiffness_factor_ = 1.0;
  std::optional<double> damping_;  // [s]
};

// Energies of all strands together; the parallel energy counts as stretching.
der::Energies total_energies(const Strands& strands, std::span<const Target> targets, const Eigen::Vector3d& gravity,
                             const State& state);

double largest_stretch(const Strands& strands, const State& state);  // |length / rest - 1|

std::uint64_t hash(const State& state);

}  // namespace tendril::corde
