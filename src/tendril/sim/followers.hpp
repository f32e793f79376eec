// Strands that are not simulated but carried by guides (docs/theory/guides.md).
//
// Every point of a follower belongs to the places on its guides that lie at the same share of the length. There each
// guide has a frame; how that frame has moved and turned since the start carries the point rigidly, and the follower
// takes the weighted mean of what its guides say. Its edges then get their drawn length back, times the stretch of the
// guides: a mean of turned shapes would be too short. At the start pose a follower is where it was drawn.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tendril/rods/curves.hpp"
#include "tendril/scene/guides.hpp"

namespace tendril {

// Guides at some time: positions, and per edge (at its first vertex) a unit director across it.
struct GuidePose {
  std::vector<Eigen::Vector3d> positions, directors;
};

// Thrown away and made again at any time.
struct FollowerScratch {
  std::vector<Eigen::Matrix3d> turns;                // of the vertices of the guides, since the start
  std::vector<double> lengths;                       // [m] along each guide up to its vertices
  std::vector<std::vector<Eigen::Vector3d>> blends;  // per worker
};

class Followers {
 public:
  // `groom` and `guides` at the start pose.
  Followers(Curves groom, Curves guides, std::vector<Eigen::Vector3d> directors, GuideBinding binding);

  const Curves& groom() const { return groom_; }
  const GuideBinding& binding() const { return binding_; }
  bool is_guide(std::size_t strand) const { return guide_of_[strand] != none; }
  // Place of a strand among the guides; none: it is a follower.
  static constexpr std::uint32_t none = std::uint32_t(-1);
  std::uint32_t guide_of(std::size_t strand) const { return guide_of_[strand]; }

  // The whole groom. `roots` are where the roots of all strands are held, or empty: then the guides carry them, too.
  void carry(const GuidePose& guides, std::span<const Eigen::Vector3d> roots, FollowerScratch& scratch,
             std::span<Eigen::Vector3d> out) const;

 private:
  struct Place {         // on a guide
    std::uint32_t edge;  // its first vertex, among all guides
    double along;        // share of the edge
  };
  void find_places();
  void measure_guide(std::size_t guide, const GuidePose& now, FollowerScratch& scratch) const;
  void carry_strand(std::size_t strand, const GuidePose& guides, std::span<const Eigen::Vector3d> roots,
                    FollowerScratch& scratch, std::span<Eigen::Vector3d> out) const;

  Curves groom_, guides_;
  std::vector<Eigen::Vector3d> directors_;
  std::vector<double> lengths_;  // [m] along each guide up to its vertices, at the start
  GuideBinding binding_;
  std::vector<std::uint32_t> guide_of_;
  std::vector<Place> places_;  // three per vertex of the groom
};

}  // namespace tendril
