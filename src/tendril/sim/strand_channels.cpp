#include "tendril/sim/strand_channels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tendril/base/parallel.hpp"

namespace tendril {
namespace {

using Eigen::Vector3d;
constexpr float none = std::numeric_limits<float>::quiet_NaN();

// Calls f(part index, strand of the groom, simulated strand or nothing, first vertex and first edge of it among all).
template <class F>
void for_each_strand(const World& world, F&& f) {
  std::size_t vertex = 0, edge = 0;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const World::Part& part = world.parts[i];
    const Curves& groom = part.groom();
    for (std::size_t s = 0; s < groom.strands(); ++s) {
      f(i, s, part.simulated(s), vertex, edge);
      vertex += groom.vertices(s), edge += groom.vertices(s) - 1;
    }
  }
}

std::vector<float> no_values(std::size_t count) { return std::vector<float>(count, none); }

}  // namespace

RestLengths rest_lengths(const World& world) {
  RestLengths rest;
  for (const World::Part& part : world.parts)
    rest.parts.push_back({part.strands.reference_lengths(), part.strands.rest_strains(),
                          part.settings.model == StrandModelKind::superhelix});
  return rest;
}

void gather_strains(const World& world, const RestLengths& rest, const WorldState& state, std::span<float> out) {
  std::vector<std::vector<Vector3d>> positions(world.parts.size());
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    positions[i].resize(world.parts[i].strands.vertex_count());
    der::gather_positions(world.parts[i].strands, state.parts[i], positions[i]);
  }
  for_each_strand(
      world, [&](std::size_t i, std::size_t s, std::optional<std::size_t> simulated, std::size_t, std::size_t edge) {
        const std::size_t edges = world.parts[i].groom().vertices(s) - 1;
        for (std::size_t e = 0; e < edges; ++e) {
          if (!simulated) {
            out[edge + e] = none;
            continue;
          }
          const std::size_t v = world.parts[i].strands.offset(*simulated) + e;
          out[edge + e] = float(rest.strain(i, v, (positions[i][v + 1] - positions[i][v]).norm()));
        }
      });
}

void gather_material_directors(const der::Strands& strands, const der::State& state,
                               std::span<const Vector3d> positions, std::vector<double>& thetas,
                               std::span<Vector3d> out) {
  thetas.resize(strands.vertex_count());
  der::gather_directors(strands, state, out);
  der::gather_thetas(strands, state, thetas);
  parallel_for(strands.size(), [&](std::size_t s) {
    for (std::size_t v = strands.offset(s); v + 1 < strands.offset(s) + strands.vertices(s); ++v) {
      const Vector3d tangent = (positions[v + 1] - positions[v]).normalized(), &reference = out[v];
      out[v] = std::cos(thetas[v]) * reference + std::sin(thetas[v]) * tangent.cross(reference);
    }
  });
}

void gather_edge_directors(const World& world, const WorldState& state, std::span<float> out) {
  std::vector<std::vector<Vector3d>> directors(world.parts.size());
  std::vector<Vector3d> positions;
  std::vector<double> thetas;
  for (std::size_t i = 0; i < world.parts.size(); ++i) {
    const der::Strands& strands = world.parts[i].strands;
    positions.resize(strands.vertex_count()), directors[i].resize(strands.vertex_count());
    der::gather_positions(strands, state.parts[i], positions);
    gather_material_directors(strands, state.parts[i], positions, thetas, directors[i]);
  }
  for_each_strand(
      world, [&](std::size_t i, std::size_t s, std::optional<std::size_t> simulated, std::size_t, std::size_t edge) {
        const std::size_t edges = world.parts[i].groom().vertices(s) - 1;
        for (std::size_t e = 0; e < edges; ++e)
          for (std::size_t c = 0; c < 3; ++c)
            out[3 * (edge + e) + c] =
                simulated ? float(directors[i][world.parts[i].strands.offset(*simulated) + e][Eigen::Index(c)]) : none;
      });
}

void gather_contact_forces(const World& world, const WorldState& state, std::span<float> out) {
  const std::vector<Vector3d>& forces = state.contact.vertex_forces;
  std::vector<std::size_t> first(1, 0);  // simulated vertex of each part
  for (const World::Part& part : world.parts) first.push_back(first.back() + part.strands.vertex_count());
  for_each_strand(world, [&](std::size_t i, std::size_t s, std::optional<std::size_t> simulated, std::size_t vertex,
                             std::size_t) {
    const std::size_t count = world.parts[i].groom().vertices(s);
    const std::size_t v = simulated ? first[i] + world.parts[i].strands.offset(*simulated) : 0;
    for (std::size_t k = 0; k < count; ++k)
      for (std::size_t c = 0; c < 3; ++c)
        out[3 * (vertex + k) + c] = !simulated ? none : forces.empty() ? 0.0f : float(forces[v + k][Eigen::Index(c)]);
  });
}

namespace {

// What a sag-free start has changed: only in worlds that have one; NaN where there is none.
void add_sag_free_channels(const World& world, std::vector<Channel>& channels) {
  if (!std::ranges::any_of(world.parts, [](const World::Part& part) { return part.sag_free.has_value(); })) return;
  std::vector<float> factor = no_values(world.groom_vertex_count()), mu = no_values(world.groom_strand_count());
  std::size_t strand = 0;
  for_each_strand(
      world, [&](std::size_t i, std::size_t s, std::optional<std::size_t> simulated, std::size_t vertex, std::size_t) {
        const World::Part& part = world.parts[i];
        const std::size_t here = strand++;
        if (!simulated || !part.sag_free) return;
        mu[here] = float(part.sag_free->strands[*simulated].mu);
        for (std::size_t k = 0; k < part.groom().vertices(s); ++k)
          factor[vertex + k] = float(part.sag_free->stiffness_factor[part.strands.offset(*simulated) + k]);
      });
  channels.push_back({"stiffness_factor", PerElement::vertex, 1, std::move(factor)});
  channels.push_back({"mu", PerElement::strand, 1, std::move(mu)});
}

}  // namespace

std::vector<Channel> constant_channels(const World& world) {
  const std::size_t vertices = world.groom_vertex_count(), edges = vertices - world.groom_strand_count();
  const RestLengths rest = rest_lengths(world);
  std::vector<float> length = no_values(edges), stretch = no_values(edges), bend = no_values(vertices);
  for_each_strand(world, [&](std::size_t i, std::size_t, std::optional<std::size_t> simulated, std::size_t vertex,
                             std::size_t edge) {
    if (!simulated) return;
    const der::Description& d = world.parts[i].strands.description();
    const std::size_t begin = d.curves.offsets[*simulated], count = d.curves.vertices(*simulated);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t v = begin + k, e = begin + std::min(k, count - 2);  // the tip has no edge of its own
      const double a = d.semi_axis1[e], b = d.semi_axis2[e];
      bend[vertex + k] = float(d.bend_modulus[v] * std::numbers::pi / 8.0 * a * b * (a * a + b * b));
      if (k + 1 == count) break;
      length[edge + k] = float(rest.parts[i].reference[v] / (1.0 + rest.parts[i].strain[v]));
      if (world.parts[i].traits().stretches) stretch[edge + k] = float(d.stretch_modulus[v] * std::numbers::pi * a * b);
    }
  });
  std::vector<Channel> channels = {{"rest_length", PerElement::edge, 1, std::move(length)},
                                   {"stretch_stiffness", PerElement::edge, 1, std::move(stretch)},
                                   {"bend_stiffness", PerElement::vertex, 1, std::move(bend)}};
  add_sag_free_channels(world, channels);
  return channels;
}

}  // namespace tendril
