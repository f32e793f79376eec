#include "tendril/sim/attraction.hpp"

#include <cmath>
#include <numbers>

#include "tendril/base/parallel.hpp"

namespace tendril {

Attraction::Attraction(const AttractionSettings& settings, const der::Strands& strands)
    : stiffness_(strands.vertex_count()), damper_(strands.vertex_count()) {
  const std::vector<double> masses = strands.masses(), lengths = strands.reference_lengths();
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const std::size_t begin = strands.offset(s), end = begin + strands.vertices(s);
    double total = 0.0, along = 0.0;
    for (std::size_t v = begin; v + 1 < end; ++v) total += lengths[v];
    for (std::size_t v = begin; v < end; ++v) {
      const double share = 1.0 + along / total * (settings.tip - 1.0);
      const double rate = 2.0 * std::numbers::pi * settings.frequency * share;  // [rad/s]
      const double mass = masses[v];
      stiffness_[v] = mass * rate * rate;
      damper_[v] = 2.0 * settings.damping * mass * rate;
      if (v + 1 < end) along += lengths[v];
    }
  }
}

void Attraction::aim(const der::Strands& strands, const der::State& state, const std::vector<Pose>& before,
                     const std::vector<Pose>& after, double dt, Scratch& scratch, der::Targets& targets) const {
  const std::size_t vertices = strands.vertex_count();
  scratch.positions.resize(vertices), scratch.places.resize(vertices), scratch.stiffness.resize(vertices);
  der::gather_positions(strands, state, scratch.positions);
  const std::vector<Eigen::Vector3d>& drawn = strands.description().curves.points;
  parallel_for(strands.size(), [&](std::size_t s) {
    for (std::size_t v = strands.offset(s); v < strands.offset(s) + strands.vertices(s); ++v) {
      const Eigen::Vector3d p0 = apply(der::of_strand(before, s), drawn[v]),
                            p1 = apply(der::of_strand(after, s), drawn[v]);
      const double k = stiffness_[v] + damper_[v] / dt;
      scratch.stiffness[v] = k;
      scratch.places[v] = p1;
      if (damper_[v] > 0.0) scratch.places[v] += damper_[v] / (dt * k) * (scratch.positions[v] - p0);
    }
  });
  strands.set_anchors(scratch.places, scratch.stiffness, targets);
}

}  // namespace tendril
