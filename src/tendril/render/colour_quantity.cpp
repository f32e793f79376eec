#include "tendril/render/colour_quantity.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tendril/base/text.hpp"
#include "tendril/geometry/joint_curvature.hpp"

namespace tendril::render {
namespace {

using Eigen::Vector3f;
constexpr float none = std::numeric_limits<float>::quiet_NaN();

const std::vector<float>* floats(const Frame* frame, std::string_view name, PerElement per, std::uint32_t components) {
  const Channel* channel = frame == nullptr ? nullptr : frame->channel(name);
  if (channel == nullptr || channel->per != per || channel->components != components) return nullptr;
  return std::get_if<std::vector<float>>(&channel->values);
}

// Channels with a name, unit or place of their own in the menu; all others are offered as they are.
struct Known {
  const char *channel, *id, *label, *unit;
  bool signed_values;
};
constexpr Known known[] = {{"strain", "strain", "strain", "", true},
                           {"tension", "tension", "tension", "N", true},
                           {"bend_stiffness", "stiffness", "bending stiffness", "N m2", false},
                           {"stretch_stiffness", "stretch-stiffness", "stretching stiffness", "N", false},
                           {"stiffness_factor", "stiffness-factor", "stiffness by the sag-free start", "times", false},
                           {"mu", "mu", "bound on the change of rest curvature", "", false},
                           {"rest_length", "rest-length", "rest length of edges", "m", false},
                           {"radius", "radius", "radius", "m", false}};

const Known* known_channel(std::string_view channel) {
  const auto found = std::ranges::find(known, channel, [](const Known& k) { return std::string_view(k.channel); });
  return found == std::end(known) ? nullptr : found;
}

bool is_scalar(const Channel& channel) {
  return channel.components == 1 && std::holds_alternative<std::vector<float>>(channel.values) &&
         (channel.per == PerElement::strand || channel.per == PerElement::vertex || channel.per == PerElement::edge);
}

// Calls f(strand, first vertex, first edge, number of vertices).
template <class F>
void for_each_strand(const Frame& frame, F&& f) {
  for (std::size_t s = 0; s + 1 < frame.offsets.size(); ++s)
    f(s, std::size_t(frame.offsets[s]), std::size_t(frame.offsets[s]) - s,
      std::size_t(frame.offsets[s + 1] - frame.offsets[s]));
}

std::vector<float> per_vertex(const Frame& frame, const std::vector<float>& values, PerElement per) {
  if (per == PerElement::vertex) return values;
  std::vector<float> out(frame.offsets.back());
  for_each_strand(frame, [&](std::size_t s, std::size_t vertex, std::size_t edge, std::size_t count) {
    for (std::size_t v = 0; v < count; ++v) {
      if (per == PerElement::strand) {
        out[vertex + v] = values[s];
        continue;
      }
      const float before = values[edge + std::max<std::size_t>(v, 1) - 1],
                  after = values[edge + std::min(v, count - 2)];
      out[vertex + v] = 0.5f * (before + after);
    }
  });
  return out;
}

Vector3f at(const std::vector<float>& numbers, std::size_t i) {
  return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

// Ends take their neighbour's.
std::vector<float> curvature(const Frame& frame, const std::vector<float>& positions) {
  std::vector<float> out(frame.offsets.back(), 0.0f);
  for_each_strand(frame, [&](std::size_t, std::size_t vertex, std::size_t, std::size_t count) {
    for (std::size_t v = vertex + 1; v + 1 < vertex + count; ++v)
      out[v] = joint_curvature(at(positions, v - 1), at(positions, v), at(positions, v + 1));
    if (count > 2) out[vertex] = out[vertex + 1], out[vertex + count - 1] = out[vertex + count - 2];
  });
  return out;
}

std::vector<float> norms(const std::vector<float>& vectors) {
  std::vector<float> out(vectors.size() / 3);
  for (std::size_t v = 0; v < out.size(); ++v) out[v] = at(vectors, v).norm();
  return out;
}

}  // namespace

std::vector<ColourQuantity> colour_quantities(const Frame& frame, const Frame* rest) {
  using Source = ColourQuantity::Source;
  std::vector<ColourQuantity> out = {
      {"curvature", "curvature", "1/m", false, Source::derived, "position", PerElement::vertex}};
  if (floats(&frame, "velocity", PerElement::vertex, 3) != nullptr)
    out.push_back({"speed", "speed", "m/s", false, Source::derived, "velocity", PerElement::vertex});
  if (floats(&frame, "contact_force", PerElement::vertex, 3) != nullptr)
    out.push_back({"contact-force", "contact force", "N", false, Source::derived, "contact_force", PerElement::vertex});
  if (!frame.channel("tension") && floats(&frame, "strain", PerElement::edge, 1) &&
      floats(rest, "stretch_stiffness", PerElement::edge, 1))
    out.push_back({"tension", "tension", "N", true, Source::derived, "strain", PerElement::edge});
  for (const Frame* from : {&frame, rest}) {
    if (from == nullptr) continue;
    for (const Channel& channel : from->channels) {
      if (!is_scalar(channel)) continue;
      const Known* k = known_channel(channel.name);
      ColourQuantity quantity{channel.name, channel.name, "", false, from == rest ? Source::rest : Source::frame,
                              channel.name, channel.per};
      if (k)
        quantity.id = k->id, quantity.label = k->label, quantity.unit = k->unit,
        quantity.signed_values = k->signed_values;
      out.push_back(std::move(quantity));
    }
  }
  return out;
}

Result<std::vector<float>> quantity_values(const std::string& id, const Frame& frame, const Frame* rest) {
  if (id == "curvature")
    if (const auto* positions = floats(&frame, "position", PerElement::vertex, 3)) return curvature(frame, *positions);
  if (id == "speed")
    if (const auto* velocities = floats(&frame, "velocity", PerElement::vertex, 3)) return norms(*velocities);
  if (id == "contact-force")
    if (const auto* forces = floats(&frame, "contact_force", PerElement::vertex, 3)) return norms(*forces);
  if (id == "tension" && !frame.channel("tension")) {
    const auto* strain = floats(&frame, "strain", PerElement::edge, 1);
    const auto* stiffness = floats(rest, "stretch_stiffness", PerElement::edge, 1);
    if (strain != nullptr && stiffness != nullptr && strain->size() == stiffness->size()) {
      std::vector<float> tension(strain->size());
      std::ranges::transform(*strain, *stiffness, tension.begin(), std::multiplies<float>());
      return per_vertex(frame, tension, PerElement::edge);
    }
  }
  for (const Frame* source : {&frame, rest}) {
    if (source == nullptr) continue;
    for (const Channel& channel : source->channels) {
      const Known* k = known_channel(channel.name);
      if (is_scalar(channel) && id == (k ? k->id : channel.name.c_str()))
        return per_vertex(frame, std::get<std::vector<float>>(channel.values), channel.per);
    }
  }
  std::vector<std::string> names = {"strand"};
  for (const ColourQuantity& quantity : colour_quantities(frame, rest)) names.push_back(quantity.id);
  return Error{fmt::format("colour '{}'", id),
               fmt::format("is not in this run{}; there are {}", did_you_mean(id, names), fmt::join(names, ", "))};
}

}  // namespace tendril::render
