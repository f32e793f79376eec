#include "experiments/sagfree/flipped_strand.hpp"

#include <numbers>
#include <stdexcept>

namespace tendril::experiments::sagfree {

Motion motion_of(const FlippedStrand& strand) {
  der::Description d = straight_strand(Eigen::Vector3d::UnitX(), 1e9);
  d.bend_modulus.assign(vertices, strand.modulus), d.twist_modulus.assign(vertices, strand.modulus);
  d.curvature = strand.curvature;
  d.rest_curvature.assign(vertices, {}), d.rest_twist.assign(vertices, 0.0);
  std::vector<double> theta(vertices, 0.0);
  for (std::size_t i = 1; strand.flipped && i + 1 < vertices; ++i) {
    theta[i] = i % 2 == 1 ? std::numbers::pi : 0.0;
    d.rest_twist[i] = theta[i] - theta[i - 1];
  }
  Motion motion(der::Strands::create(std::move(d)).value(), down);
  if (!der::set_thetas(motion.strands, theta, motion.state)) throw std::runtime_error("the angles are refused");
  return motion;
}

}  // namespace tendril::experiments::sagfree
