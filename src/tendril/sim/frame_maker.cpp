#include "tendril/sim/frame_maker.hpp"

#include <algorithm>

namespace tendril {
namespace {

std::vector<float> in_floats(const std::vector<Eigen::Vector3d>& values) {
  std::vector<float> out;
  out.reserve(3 * values.size());
  for (const Eigen::Vector3d& value : values)
    for (const double component : value) out.push_back(float(component));
  return out;
}

// Guides of the groom, whose strands they can be named by.
bool carried_by_its_own(const World::Part& part) {
  return part.followers && !part.followers->binding().strands.empty();
}

// Which strands are guides, and which of them carry each strand, by index among all strands. A set without guides of
// its own follows itself.
void add_guide_channels(const World& world, Frame& frame) {
  constexpr std::size_t most = GuideBinding::most;
  std::vector<std::uint32_t> guide, closest;
  std::vector<float> weights;
  std::uint32_t base = 0;
  for (const World::Part& part : world.parts) {
    const auto strands = std::uint32_t(part.groom().strands());
    for (std::uint32_t s = 0; s < strands; ++s) {
      guide.push_back(part.simulated(s).has_value());
      for (std::size_t c = 0; c < most; ++c) {
        if (!carried_by_its_own(part)) {
          closest.push_back(base + s), weights.push_back(c == 0 ? 1.0f : 0.0f);
          continue;
        }
        const GuideBinding& binding = part.followers->binding();
        const std::uint32_t place = binding.closest[s][c];
        closest.push_back(base + std::uint32_t(binding.strands[place]));
        weights.push_back(float(binding.weights[s][c]));
      }
    }
    base += strands;
  }
  frame.channels.push_back({"guide", PerElement::strand, 1, std::move(guide)});
  frame.channels.push_back({"closest_guides", PerElement::strand, std::uint32_t(most), std::move(closest)});
  frame.channels.push_back({"guide_weights", PerElement::strand, std::uint32_t(most), std::move(weights)});
}

}  // namespace

FrameMaker::FrameMaker(const World& world, const std::vector<std::string>& channels)
    : channels_(channels), bodies_(tendril::bodies(world)), rest_(rest_lengths(world)) {
  std::vector<float> radius;
  for (const World::Part& part : world.parts) {
    const std::uint32_t base = shared_.offsets.back();
    for (std::size_t s = 0; s < part.groom().strands(); ++s)
      shared_.offsets.push_back(base + std::uint32_t(part.groom().offsets[s + 1]));
    for (const double r : part.radius) radius.push_back(float(r));
  }
  shared_.channels.push_back({"radius", PerElement::vertex, 1, std::move(radius)});
  if (std::ranges::any_of(world.parts, carried_by_its_own)) add_guide_channels(world, shared_);
}

bool FrameMaker::has(const char* channel) const { return std::ranges::find(channels_, channel) != channels_.end(); }

Frame FrameMaker::frame(int number, bool usable, const World& world, const LastStep& last, const WorldState& state,
                        GroomScratch& scratch, FoundTensions tensions) const {
  Frame frame{number, state.clock.time(world.run.dt()), usable ? frame_flag_usable : 0, shared_.offsets, {}};
  const std::size_t vertices = world.groom_vertex_count(), edges = vertices - world.groom_strand_count();
  std::vector<Eigen::Vector3d> positions(vertices), velocities(vertices);
  std::size_t at = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const std::size_t count = world.parts[i].groom().points.size();
    const std::span<Eigen::Vector3d> here(positions.data() + at, count);
    gather_groom(world, i, state, scratch, here);
    gather_groom_velocities(world, i, last, state, here, scratch, {velocities.data() + at, count});
    at += count;
  }
  frame.channels.push_back({"position", PerElement::vertex, 3, in_floats(positions)});
  if (has("velocity")) frame.channels.push_back({"velocity", PerElement::vertex, 3, in_floats(velocities)});
  std::ranges::copy(shared_.channels, std::back_inserter(frame.channels));
  if (has("strain")) {
    std::vector<float> strain(edges);
    gather_strains(world, rest_, state, strain);
    frame.channels.push_back({"strain", PerElement::edge, 1, std::move(strain)});
  }
  if (has("director")) {
    std::vector<float> director(3 * edges);
    gather_edge_directors(world, state, director);
    frame.channels.push_back({"director", PerElement::edge, 3, std::move(director)});
  }
  if (has("contact") && world.has_contact()) {
    std::vector<float> force(3 * vertices);
    gather_contact_forces(world, state, force);
    frame.channels.push_back({"contact_force", PerElement::vertex, 3, std::move(force)});
  }
  if (has("tension") && tells_tensions(world)) {
    std::vector<float> tension(edges);
    gather_tensions(world, last, state, tensions, tension);
    frame.channels.push_back({"tension", PerElement::edge, 1, std::move(tension)});
  }
  add_body_channels(world, bodies_, state, frame);
  return frame;
}

Frame FrameMaker::rest(const World& world) const { return {0, 0.0, 0, shared_.offsets, constant_channels(world)}; }

}  // namespace tendril
