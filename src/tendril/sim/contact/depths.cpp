#include "tendril/sim/contact/depths.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tendril {
namespace {

using collide::Contact;

constexpr double has_come_out = 1e-15;  // [m], the depth of what was inside once: it is not to go back

}  // namespace

void note_depths(const StepMotion& motion, std::span<const Contact> with_bodies, const ContactMemory& last,
                 ContactMemory& next, StepContacts& report) {
  const StrandGeometry& geometry = motion.geometry();
  const std::size_t vertices = geometry.positions.size();
  next.depth.assign(vertices, 0.0), next.edge_depth.assign(vertices, 0.0);
  std::vector<char> driven(vertices, 0);
  for (const Contact& contact : with_bodies) {
    const std::size_t edge = geometry.offsets[contact.a.strand] + contact.a.edge;
    const bool inside_edge = contact.a.along != 0.0 && contact.a.along != 1.0;
    const std::size_t v = contact.a.along == 1.0 ? edge + 1 : edge;
    double& depth = inside_edge ? next.edge_depth[v] : next.depth[v];
    depth = std::max(depth, -contact.gap);
    if (!inside_edge) driven[v] = motion.is_driven(contact.a);
  }
  for (std::size_t v = 0; v < vertices; ++v) {
    const double now = next.depth[v], allowed = last.depth.empty() ? now : last.depth[v];
    if (now == 0.0 && allowed == 0.0 && next.edge_depth[v] == 0.0) continue;  // as most
    next.depth[v] = allowed > 0.0 ? std::max(std::min(allowed, now), has_come_out) : 0.0;
    if (!last.edge_depth.empty()) next.edge_depth[v] = std::min(next.edge_depth[v], last.edge_depth[v]);
    if (driven[v] != 0) continue;
    double& beyond = allowed > 0.0 ? report.regrowth : report.penetration;
    beyond = std::max(beyond, now - allowed);
    report.inside += next.depth[v] > has_come_out;
    report.deepest_inside = std::max(report.deepest_inside, next.depth[v]);
  }
}

double allowed_depth(const ContactMemory& depths, std::size_t v, double along) {
  if (along == 0.0) return depths.depth[v];
  if (along == 1.0) return depths.depth[v + 1];
  return std::max(std::lerp(depths.depth[v], depths.depth[v + 1], along), depths.edge_depth[v]);
}

}  // namespace tendril
