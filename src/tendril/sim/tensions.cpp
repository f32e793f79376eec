#include "tendril/sim/tensions.hpp"

#include <algorithm>
#include <limits>
#include <numbers>

#include "tendril/sim/step.hpp"
#include "tendril/sim/strand_channels.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;

std::vector<double> from_strain(const World::Part& part, const PartState& state) {
  const der::Description& d = part.strands.description();
  const RestLengths rest{{{part.strands.reference_lengths(), part.strands.rest_strains()}}};
  std::vector<Vector3d> x(part.strands.vertex_count());
  der::gather_positions(part.strands, state, x);
  std::vector<double> out(x.size(), 0.0);
  for (std::size_t s = 0; s < part.strands.size(); ++s)
    for (std::size_t v = part.strands.offset(s); v + 1 < part.strands.offset(s) + part.strands.vertices(s); ++v)
      out[v] = d.stretch_modulus[v] * std::numbers::pi * d.semi_axis1[v] * d.semi_axis2[v] *
               rest.strain(0, v, (x[v + 1] - x[v]).norm());
  return out;
}

}  // namespace

bool tells_tensions(const World& world) {
  return std::ranges::any_of(world.parts, [](const World::Part& part) { return part.traits().tensions; });
}

std::vector<double> tensions(const World& world, std::size_t i, const LastStep& last, const WorldState& state) {
  const World::Part& part = world.parts[i];
  if (part.traits().stretches) return from_strain(part, state.parts[i]);
  const bool is_known = part.traits().tensions && last.before != nullptr && !part.attraction;
  if (!is_known) return std::vector<double>(part.strands.vertex_count(), std::numeric_limits<double>::quiet_NaN());
  std::span<const Vector3d> contact = state.contact.vertex_forces;
  if (!contact.empty()) contact = contact.subspan(world.first_vertex(i), part.strands.vertex_count());
  return part.model->tensions(part.strands, step_options(world.run, last.dt), last.before->parts[i], state.parts[i],
                              contact);
}

const std::vector<double>& FoundTensions::of_part(const World& world, std::size_t i, const LastStep& last,
                                                  const WorldState& state) {
  parts_.resize(world.parts.size());
  if (!parts_[i]) parts_[i] = tensions(world, i, last, state);
  return *parts_[i];
}

void gather_tensions(const World& world, const LastStep& last, const WorldState& state, FoundTensions& found,
                     std::span<float> out) {
  std::size_t edge = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    const std::vector<double>& values = found.of_part(world, i, last, state);
    for (std::size_t s = 0; s < part.groom().strands(); ++s) {
      const std::optional<std::size_t> simulated = part.simulated(s);
      for (std::size_t e = 0; e + 1 < part.groom().vertices(s); ++e)
        out[edge++] =
            simulated ? float(values[part.strands.offset(*simulated) + e]) : std::numeric_limits<float>::quiet_NaN();
    }
  }
}

}  // namespace tendril
