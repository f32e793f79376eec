// Where the strands of a world are and go in a step: places, velocities without contact, ways and ends of all vertices,
// and which of them the scene drives.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/sim/contact/geometry.hpp"
#include "tendril/sim/contact/rows.hpp"
#include "tendril/sim/contact/step_system.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

class StepMotion {
 public:
  explicit StepMotion(const World& world) : geometry_(world) {}

  // Strands go by their velocities without contact.
  void begin(const World& world, std::span<StepSystem* const> systems, const WorldState& state);
  // Some strands go by others.
  void move(const BlockVectors& velocity, std::span<const std::uint32_t> strands);

  const StrandGeometry& geometry() const { return geometry_; }
  std::span<const BlockPlace> blocks() const { return blocks_; }  // strand by strand
  double step() const { return step_; }                           // [s], of the integrator
  const BlockVectors& free_velocity() const { return free_velocity_; }
  std::span<const Eigen::Vector3d> ways() const { return ways_; }  // [m], of every vertex
  std::span<const Eigen::Vector3d> ends() const { return ends_; }
  double longest_way() const;  // [m], no vertex ends farther from its start; infinite if a number is not finite
  // In the frame that goes with the mean of all. Whether strands meet does not depend on what they do together: without
  // that their boxes are smaller.
  std::span<const Eigen::Vector3d> common_ends() const { return common_ends_; }

  Eigen::Vector3d velocity_at(const BlockVectors& velocity, const collide::StrandPoint& at) const;
  Eigen::Vector3d start_velocity_at(const collide::StrandPoint& at) const;
  Eigen::Vector3d place_of(const collide::StrandPoint& at) const;

  // By the scene. Nobody is, too.
  bool is_driven(const collide::StrandPoint& at) const;
  std::span<const char> driven_edges() const { return is_driven_; }  // by their first vertices
  // Bodies are, and so are points within an edge of which one end is driven. What moves such a point moves the rest of
  // its strand many times as far.
  bool is_held(const collide::StrandPoint& at) const;
  // Whether it is near the driven end of an edge that grows out of a driven one.
  bool has_just_grown(const collide::StrandPoint& at) const;

 private:
  void set_driven(std::uint32_t strand);
  void set_ways(const BlockVectors& velocity, std::uint32_t strand);
  void set_ends(const BlockVectors& velocity, std::uint32_t strand);

  StrandGeometry geometry_;
  std::vector<BlockPlace> blocks_;
  double step_ = 0.0;
  BlockVectors start_velocity_, free_velocity_;
  std::vector<char> has_start_velocity_;  // of every block; the others' is zero
  std::vector<Eigen::Vector3d> ways_, ends_, common_ends_;
  std::vector<double> squared_way_;                       // [m2], the longest of each strand, from its start to its end
  Eigen::Vector3d common_way_ = Eigen::Vector3d::Zero();  // mean of all
  std::vector<char> is_driven_, is_driven_vertex_;        // edges by their first vertices, and vertices
};

}  // namespace tendril
