// Roots that go with a moving skin: each is bound to the triangle closest to it at time 0, and a pose carries it, with
// all that is fixed to it, as the triangle goes: x -> q(t) + R(t) (x - q(0)).
//
// q is the closest point of the triangle, by its barycentric coordinates. A root beside the skin thus keeps its offset
// in the frame of the triangle.
// R is the rotation of the triangle. In each frame G is its rotation (geometry/triangle_rotation.hpp) from the
// reference frame, the one nearest to time 0; between two frames G turns by the shorter way at a constant rate; and
// R(t) = G(t) G(0)^-1. So a turn of half a circle or more from one frame to the next is taken for another one.
//
// A triangle that is too narrow has no certain normal. One that is so in the reference frame binds no roots. In other
// frames it turns at a constant rate from the last frame before to the next one after in which it is sound, and not at
// all if there is none.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/geometry/triangle_rotation.hpp"
#include "tendril/scene/mesh_sequence.hpp"

namespace tendril {

class RootBinding {
 public:
  static Result<RootBinding> bind(std::shared_ptr<const MeshSequence> skin, std::span<const Eigen::Vector3d> roots);

  std::size_t size() const { return bonds_.size(); }
  // Carries what was drawn at time 0. The identity bit for bit at time 0, and as long as the triangle stays there. From
  // any number of threads; allocates nothing. Of the two quaternions of a rotation it may be either.
  Pose pose(std::size_t root, double time) const;
  double largest_turn_rate() const { return largest_turn_rate_; }  // [rad/s], no pose ever turns faster
  double largest_distance() const { return largest_distance_; }    // [m], of a root from the skin at time 0
  std::size_t largest_distance_root() const { return largest_distance_root_; }  // the first with that distance

 private:
  struct Bond {
    std::uint32_t triangle = 0;
    Eigen::Vector3d barycentric = Eigen::Vector3d::Zero();
    Eigen::Vector3d point = Eigen::Vector3d::Zero();                 // [m], q(0)
    Eigen::Quaterniond start_back = Eigen::Quaterniond::Identity();  // G(0)^-1
    PlacedTriangle reference;
    std::size_t bridges_begin = 0, bridges_end = 0;
  };
  // G in a frame in which the triangle is too narrow.
  struct Bridge {
    std::size_t frame = 0;
    Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  };
  struct Scan;

  RootBinding() = default;
  Scan scan_frames(const Bond& bond) const;
  void keep(std::size_t root, const Scan& scan, double distance);
  Eigen::Vector3d skin_point(const Bond& bond, const FrameTime& time) const;
  std::optional<Eigen::Quaterniond> sound_rotation(const Bond& bond, std::size_t frame) const;  // nothing: too narrow
  Eigen::Quaterniond frame_rotation(const Bond& bond, std::size_t frame) const;
  Eigen::Quaterniond rotation(const Bond& bond, const FrameTime& time) const;

  std::shared_ptr<const MeshSequence> skin_;
  FrameTime start_;              // time 0
  std::size_t reference_ = 0;    // the frame nearest to it
  std::vector<Bond> bonds_;      // one per root
  std::vector<Bridge> bridges_;  // of each bond one after the other, frames ascending
  double largest_turn_rate_ = 0.0, largest_distance_ = 0.0;
  std::size_t largest_distance_root_ = 0;
};

}  // namespace tendril
