// How far strands were from bodies when last asked, and where: from then on they are no nearer than that less their way
// since (docs/theory/collide.md, Bodies). It saves most searches and changes no result, so it may be thrown away at any
// time. For the same strands and bodies only.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <limits>
#include <vector>

namespace tendril::collide {

class Clearances {
 public:
  struct Seen {
    Eigen::Vector3d place = Eigen::Vector3d::Zero();             // in the body's frame
    double distance = -std::numeric_limits<double>::infinity();  // [m]
  };
  static_assert(sizeof(Seen) == 4 * sizeof(double));  // as the kernels read it

  // Of the many strands that never come near a body there is the root alone.
  struct OfStrand {
    Seen root;
    std::vector<Seen> vertices;
    std::vector<double> gap;  // [m], of each segment: all of it was beyond that with its ends where they were last seen
    std::vector<std::uint32_t> feature;  // of the surface, at each vertex

    void fit(std::size_t count) {
      if (vertices.size() == count) return;
      vertices.assign(count, {});
      gap.assign(count, -std::numeric_limits<double>::infinity());
      feature.assign(count, std::numeric_limits<std::uint32_t>::max());
    }
  };

  void fit(std::size_t bodies, std::size_t strands) {
    if (bodies_ == bodies && strands_.size() == bodies * strands) return;
    bodies_ = bodies;
    strands_.assign(bodies * strands, {});
  }
  OfStrand& of(std::size_t body, std::size_t strand) { return strands_[strand * bodies_ + body]; }

 private:
  std::size_t bodies_ = 0;
  std::vector<OfStrand> strands_;  // those of one strand side by side
};

}  // namespace tendril::collide
