#include "tendril/sim/probes.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "tendril/io/atomic_file.hpp"
#include "tendril/rods/der/reactions.hpp"

namespace tendril {
namespace {

namespace fs = std::filesystem;
using Eigen::Vector3d;

void add(const Vector3d& v, std::vector<double>& row) { row.insert(row.end(), {v.x(), v.y(), v.z()}); }

std::size_t resolved(int vertex, std::size_t vertices) {
  return vertex < 0 ? std::size_t(std::ptrdiff_t(vertices) + vertex) : std::size_t(vertex);
}

// The vertex that the probe names, or the one of [first, end) where `badness` is largest.
template <class F>
std::size_t chosen_vertex(const ProbeSettings& probe, std::size_t vertices, std::size_t first, std::size_t end,
                          F&& badness) {
  if (probe.vertex) return resolved(*probe.vertex, vertices);
  std::size_t worst = first;
  for (std::size_t v = first; v < end; ++v)
    if (badness(v) > badness(worst)) worst = v;
  return worst;
}

void add_reactions(const World& world, const ProbeSettings& probe, std::size_t part, std::size_t strand,
                   const WorldState& state, std::vector<double>& row) {
  const der::Strands& strands = world.parts[part].strands;
  const std::size_t n = strands.vertices(strand);
  const der::Reactions r =
      der::reactions(strands, strands.make_targets(), state.parts[part], strand, world.run.gravity);
  if (probe.kind == ProbeKind::clamp) {
    const der::Wrench& wrench = probe.at_tip ? r.tip : r.root;
    add(wrench.force, row), add(wrench.moment, row);
  } else if (probe.kind == ProbeKind::tension) {
    const std::size_t v = chosen_vertex(probe, n, 0, n - 1, [&](std::size_t k) { return std::abs(r.tension[k]); });
    row.insert(row.end(), {r.tension[v], double(v)});
  } else if (probe.kind == ProbeKind::moment) {
    const std::size_t v = chosen_vertex(probe, n, 0, n, [&](std::size_t k) { return r.moment[k].squaredNorm(); });
    add(r.moment[v], row), row.push_back(double(v));
  } else {
    const std::size_t v = chosen_vertex(probe, n, 0, n, [&](std::size_t k) { return -r.bend_radius[k]; });
    row.insert(row.end(), {r.bend_radius[v], double(v)});
  }
}

void add_tension(const World& world, const ProbeSettings& probe, std::size_t part, std::size_t strand,
                 const LastStep& last, const WorldState& state, FoundTensions& found, std::vector<double>& row) {
  const der::Strands& strands = world.parts[part].strands;
  const std::vector<double>& all = found.of_part(world, part, last, state);
  const auto here = std::span(all).subspan(strands.offset(strand), strands.vertices(strand));
  const std::size_t v = chosen_vertex(probe, here.size(), 0, here.size() - 1, [&](std::size_t k) {
    return std::isnan(here[k]) ? std::numeric_limits<double>::infinity() : std::abs(here[k]);
  });
  row.insert(row.end(), {here[v], double(v)});
}

void add_path(const World& world, const ProbeSettings& probe, std::size_t part, const LastStep& last,
              const WorldState& state, GroomScratch& scratch, std::vector<double>& row) {
  const Curves& groom = world.parts[part].groom();
  const auto strand = std::size_t(probe.strand);
  const std::size_t v = groom.offsets[strand] + resolved(*probe.vertex, groom.vertices(strand));
  std::vector<Vector3d> positions(groom.points.size()), velocities(groom.points.size());
  gather_groom(world, part, state, scratch, positions);
  gather_groom_velocities(world, part, last, state, positions, scratch, velocities);
  add(positions[v], row), add(velocities[v], row);
}

// What contacts and joints push a vertex with, or the whole strand.
void add_contact_force(const World& world, const ProbeSettings& probe, std::size_t part, std::size_t strand,
                       const WorldState& state, std::vector<double>& row) {
  const der::Strands& strands = world.parts[part].strands;
  const std::size_t n = strands.vertices(strand);
  const std::size_t first = world.first_vertex(part) + strands.offset(strand);
  Vector3d sum = Vector3d::Zero();
  const std::vector<Vector3d>& forces = state.contact.vertex_forces;
  for (std::size_t v = 0; v < n && !forces.empty(); ++v)
    if (!probe.vertex || resolved(*probe.vertex, n) == v) sum += forces[first + v];
  add(sum, row);
}

}  // namespace

std::vector<std::string> probe_columns(const ProbeSettings& probe) {
  switch (probe.kind) {
    case ProbeKind::clamp: return {"time [s]", "fx [N]", "fy [N]", "fz [N]", "mx [N m]", "my [N m]", "mz [N m]"};
    case ProbeKind::tension: return {"time [s]", "tension [N]", "vertex"};
    case ProbeKind::moment: return {"time [s]", "bend1 [N m]", "bend2 [N m]", "twist [N m]", "vertex"};
    case ProbeKind::bend_radius: return {"time [s]", "radius [m]", "vertex"};
    case ProbeKind::contact_force: return {"time [s]", "fx [N]", "fy [N]", "fz [N]"};
    case ProbeKind::path: break;
  }
  return {"time [s]", "x [m]", "y [m]", "z [m]", "vx [m/s]", "vy [m/s]", "vz [m/s]"};
}

std::vector<double> measure(const World& world, const ProbeSettings& probe, const LastStep& last,
                            const WorldState& state, GroomScratch& scratch, FoundTensions& tensions) {
  const std::size_t part = *world.part_named(probe.set);
  std::vector<double> row = {state.clock.time(world.run.dt())};
  if (probe.kind == ProbeKind::path)
    add_path(world, probe, part, last, state, scratch, row);
  else if (probe.kind == ProbeKind::contact_force)
    add_contact_force(world, probe, part, *world.parts[part].simulated(std::size_t(probe.strand)), state, row);
  else if (probe.kind == ProbeKind::tension && world.parts[part].traits().tensions)
    add_tension(world, probe, part, *world.parts[part].simulated(std::size_t(probe.strand)), last, state, tensions,
                row);
  else
    add_reactions(world, probe, part, *world.parts[part].simulated(std::size_t(probe.strand)), state, row);
  return row;
}

fs::path probe_path(const fs::path& run, const ProbeSettings& probe) { return run / "probes" / (probe.name + ".csv"); }

}  // namespace tendril
