// A set of discrete elastic rods, packed in lane groups: the constants of the model. What moves is a State; what is
// prescribed in a step are Targets; both are made by this class and know its packing.
#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/rods/der/description.hpp"
#include "tendril/rods/der/layout.hpp"
#include "tendril/rods/der/streams.hpp"

namespace tendril::der {

// Positions, velocities, frames and reference twists of all groups, and those of the step before for BDF2.
struct State {
  GroupStreams current, previous;  // StateLayout
  double previous_dt = 0.0;        // [s] the step from `previous` to `current`; 0: there is none
  // What rounding takes from the positions, [vertex][3][lane]: statics needs it (docs/theory/der.md, "Precision"), and
  // forces and reactions count it in; a step in time drops it. Empty: nothing.
  GroupStreams low;

  void swap(State& other) noexcept {
    current.swap(other.current);
    previous.swap(other.previous);
    std::swap(previous_dt, other.previous_dt);
    low.swap(other.low);
  }
};

// End-of-step values of everything held.
struct Targets {
  GroupStreams holds;    // HoldLayout
  GroupStreams anchors;  // AnchorLayout; empty: none
  GroupStreams contact;  // [vertex][4][lane], forces [N] that contact has found for this step; empty: none
};

// Something held beside the clamps: components x, y, z of a vertex, or the twist angle of the edge that starts there.
struct Hold {
  std::size_t strand = 0;
  int vertex = 0;  // negative: counted from the tip
  std::array<bool, 4> components = {true, true, true, false};
};

// Where the clamps and holds of a step end, relative to where they started out. One pose for all strands or one each.
struct Drive {
  std::vector<Pose> root = {Pose{}}, tip = {Pose{}};
  std::vector<Pose> holds;          // per Hold; empty: none moves
  std::vector<double> hold_angles;  // per Hold [rad], turns its edge; empty: none turns
};

// A force on a vertex and a torque about the edge that starts there.
struct Load {
  std::size_t strand = 0;
  int vertex = -1;                                  // negative: counted from the tip
  Eigen::Vector3d force = Eigen::Vector3d::Zero();  // [N]
  double torque = 0.0;                              // [N m]
};

// What a strand is like when nothing acts on it, and how stiff it is; in the user's order, as in Description.
struct RestState {
  std::vector<double> strain;                       // per edge
  std::vector<std::array<double, 4>> curvature;     // per joint
  std::vector<double> twist;                        // per joint [rad]
  std::vector<double> stretch_modulus;              // per edge [Pa]
  std::vector<double> bend_modulus, twist_modulus;  // per joint [Pa]
};

class Strands {
 public:
  static Result<Strands> create(Description description, std::vector<Hold> holds = {}, Isa isa = active_isa());

  // Sizes and places, in the user's order.
  std::size_t size() const { return description_.curves.strands(); }
  std::size_t vertex_count() const { return description_.curves.points.size(); }
  std::size_t offset(std::size_t strand) const { return description_.curves.offsets[strand]; }
  std::size_t vertices(std::size_t strand) const { return description_.curves.vertices(strand); }
  const Description& description() const { return description_; }
  const std::vector<Hold>& holds() const { return holds_; }
  std::span<const std::size_t> holds_of(std::size_t strand) const {  // indices into holds()
    return {hold_order_.data() + hold_begin_[strand], hold_begin_[strand + 1] - hold_begin_[strand]};
  }
  const Clamps& clamps(std::size_t strand) const;

  State start() const;  // the drawn pose at rest
  Targets make_targets() const;
  // Clamped edges take the turn nearest to where they are in `state`, or with `onwards` to where `targets` has them: a
  // drive in several pieces may so turn a clamp by any angle in one step.
  void drive(const Drive& drive, const State& state, Targets& targets, bool onwards = false) const;

  // Places that draw the vertices, and how strongly [N/m]; in the user's order.
  void set_anchors(std::span<const Eigen::Vector3d> places, std::span<const double> stiffness, Targets& targets) const;

  void gather_anchors(const Targets& targets, std::span<Eigen::Vector3d> places, std::span<double> stiffness) const;

  Status add_load(const Load& load);
  void clear_loads();

  // As it is in use. Lengths that the rest strains are about stay the same.
  RestState rest_state() const;
  Status set_rest(RestState rest);
  // Stretching, bending and twisting become `factor` times as stiff as the description has them, until set_rest().
  void scale_stiffness(double factor);
  void set_damping(std::optional<double> seconds);  // of all strands; nothing: as described

  // One strand's place among the lanes. Vertex i of the user is slot first + i of the group.
  struct Place {
    std::size_t group;
    int lane, first;
  };
  Place place(std::size_t strand) const { return places_[strand]; }

  struct Group {
    int vertices = 0;
    bool round = true, damped = false;
    Stream loads;                 // [vertex][4][lane]; empty: none
    Stream connectors;            // [vertex][ConnectorLayout][lane]; empty: none
    std::vector<double> damping;  // per lane [s]
    std::vector<int> hold_of;
    std::vector<std::size_t> strands;  // per lane; a lane without a strand of its own repeats an earlier one
    std::vector<int> first;            // per lane: slot of the user's vertex 0
    std::vector<int> real_begin;  // per lane: first slot that is not a ghost (a point clamp adds one to the strand)
    int owned = 0;                // lanes with a strand of their own
  };
  const std::vector<Group>& groups() const { return groups_; }
  std::span<const double> parameters(std::size_t group) const { return parameters_[group]; }  // ParameterLayout
  const Kernels& kernels() const { return *kernels_; }
  Isa isa() const { return isa_; }
  int lanes() const { return kernels_->lanes; }
  GroupView view(std::size_t group, const Targets& targets) const;

  // Rest state as it is in use, in the user's order (see Description).
  std::vector<double> reference_lengths() const, rest_strains() const, rest_twists() const, masses() const;
  std::vector<std::array<double, 4>> rest_curvatures() const;

  std::size_t bytes() const;  // of the model's own streams, for the report

 private:
  void sort_holds();
  void pack();
  void allocate(std::size_t g);
  void fill_lane(std::size_t g, std::size_t lane);
  void set_lane_rest(std::size_t g, std::size_t lane);
  void set_joint_stiffness(std::size_t g, std::size_t lane);
  void add_connectors();
  void measure_rest();
  std::vector<double> parameter_of(int component) const;

  Description description_;
  std::vector<Hold> holds_;
  std::vector<std::size_t> hold_order_, hold_begin_;
  Isa isa_ = Isa::reference;
  const Kernels* kernels_ = nullptr;
  std::vector<Group> groups_;
  std::vector<Place> places_;
  GroupStreams parameters_;
  GroupStreams unscaled_;  // parameters as they were before their stiffness was scaled; empty: it was not
  State start_;
  Targets targets_;  // with the targets of the drawn pose
};

// The state in the user's order.
void gather_positions(const Strands& strands, const State& state, std::span<Eigen::Vector3d> out);
void gather_velocities(const Strands& strands, const State& state, std::span<Eigen::Vector3d> out);
// Those of the step before, for integrators of several steps.
void gather_previous(const Strands& strands, const State& state, std::span<Eigen::Vector3d> positions,
                     std::span<Eigen::Vector3d> velocities);
// Per edge, at its first vertex: twist angle, reference director; per joint: reference twist.
void gather_thetas(const Strands& strands, const State& state, std::span<double> out);
void gather_theta_velocities(const Strands& strands, const State& state, std::span<double> out);
void gather_directors(const Strands& strands, const State& state, std::span<Eigen::Vector3d> out);
void gather_reference_twists(const Strands& strands, const State& state, std::span<double> out);

// Forces on vertices in the user's order, as Targets::contact holds them.
void scatter_forces(const Strands& strands, std::span<const Eigen::Vector3d> forces, GroupStreams& out);

// Writes what another model has for the vertices: material directors, made to stand across their edges, with no twist
// angle beside them. Nothing is checked: models look at their own numbers.
void show(const Strands& strands, std::span<const Eigen::Vector3d> positions,
          std::span<const Eigen::Vector3d> velocities, std::span<const Eigen::Vector3d> directors, State& state);

// Writes the state. New positions carry the frames along by parallel transport; BDF2 starts afresh.
Status set_positions(const Strands& strands, std::span<const Eigen::Vector3d> positions, State& state);
Status set_velocities(const Strands& strands, std::span<const Eigen::Vector3d> velocities, State& state);
Status set_thetas(const Strands& strands, std::span<const double> thetas, State& state);
Status set_theta_velocities(const Strands& strands, std::span<const double> velocities, State& state);
// Directors must be unit vectors across their edges; the reference twists follow from them and `nearest`.
Status set_directors(const Strands& strands, std::span<const Eigen::Vector3d> directors,
                     std::span<const double> nearest, State& state);

// The step is accepted: `trial` becomes the state, what it replaces is kept as history or as the next trial's memory.
void commit(State& trial, double dt, bool keep_history, State& state);

// 64 bits over positions, velocities and frames in the user's order: the same for any packing and thread count.
std::uint64_t hash(const Strands& strands, const State& state);

}  // namespace tendril::der
