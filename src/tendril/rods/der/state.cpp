// Reading and writing a State in the user's order.
#include <fmt/format.h>

#include <cmath>

#include "tendril/base/hash.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/rods/der/frames.hpp"
#include "tendril/rods/der/one_strand.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::der {
namespace {

using Eigen::Vector3d;
using Group = Strands::Group;

// Calls f(vertex in the user's order, values of that slot) for every vertex; values[c * lanes] is component c.
template <class F>
void for_each_vertex(const Strands& strands, const GroupStreams& streams, F&& f) {
  parallel_for(strands.size(), [&](std::size_t s) {
    const Strands::Place place = strands.place(s);
    const std::span<const double> stream = streams[place.group];
    for (std::size_t i = 0; i < strands.vertices(s); ++i)
      f(strands.offset(s) + i, &stream[state_at(place.first + int(i), 0, strands.lanes(), std::size_t(place.lane))]);
  });
}

void gather3(const Strands& strands, const GroupStreams& streams, int component, std::span<Vector3d> out) {
  const int w = strands.lanes();
  for_each_vertex(strands, streams, [&](std::size_t v, const double* values) {
    const double* at = values + component * w;
    out[v] = {at[0], at[w], at[2 * w]};
  });
}

void gather1(const Strands& strands, const State& state, int component, std::span<double> out) {
  const int w = strands.lanes();
  for_each_vertex(strands, state.current, [&](std::size_t v, const double* values) { out[v] = values[component * w]; });
}

// Writes value(vertex) to a component of every lane, repeated ones too; not at the last vertex if it is an edge's, for
// none starts there (and a point clamp may have its own at that place).
template <class F>
void scatter(const Strands& strands, int component, State& state, F&& value) {
  const bool of_vertices =
      component < StateLayout::director && component != StateLayout::theta && component != StateLayout::theta_velocity;
  const int w = strands.lanes();
  for (std::size_t g = 0; g < strands.groups().size(); ++g) {
    const Group& group = strands.groups()[g];
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane) {
      const std::size_t s = group.strands[lane];
      const std::size_t owners = of_vertices ? strands.vertices(s) : strands.vertices(s) - 1;
      for (std::size_t i = 0; i < owners; ++i)
        state.current[g][state_at(group.first[lane] + int(i), component, w, lane)] = value(strands.offset(s) + i);
    }
  }
  state.previous_dt = 0.0;
  state.low.clear();
}

Status check_size(std::size_t given, std::size_t needed, const char* name) {
  if (given == needed) return ok();
  return Error{name, fmt::format("{} were given; {} vertices need one each", given, needed)};
}

// `values` has one entry for each vertex, or one vector.
Status check_numbers(const Strands& strands, std::span<const double> values, const char* name) {
  const std::size_t per_vertex = values.size() / strands.vertex_count();
  for (std::size_t s = 0; s < strands.size(); ++s)
    for (std::size_t i = per_vertex * strands.offset(s); i < per_vertex * strands.offset(s + 1); ++i)
      if (!std::isfinite(values[i]))
        return Error{fmt::format("strand {}, vertex {}", s, i / per_vertex - strands.offset(s)),
                     fmt::format("{} is not a finite number", name)};
  return ok();
}

std::span<const double> flat(std::span<const Vector3d> values) {
  return {values.empty() ? nullptr : values[0].data(), 3 * values.size()};
}

void carry_all_frames(const Strands& strands, const State& before, State& state) {
  for (std::size_t g = 0; g < strands.groups().size(); ++g)
    for (std::size_t lane = 0; lane < std::size_t(strands.lanes()); ++lane)
      carry_frames(before.current[g], state.current[g], strands.groups()[g].real_begin[lane],
                   strands.groups()[g].vertices, strands.lanes(), lane);
}

}  // namespace

void gather_positions(const Strands& strands, const State& state, std::span<Vector3d> out) {
  gather3(strands, state.current, StateLayout::position, out);
}
void gather_velocities(const Strands& strands, const State& state, std::span<Vector3d> out) {
  gather3(strands, state.current, StateLayout::velocity, out);
}
void gather_directors(const Strands& strands, const State& state, std::span<Vector3d> out) {
  gather3(strands, state.current, StateLayout::director, out);
}
void gather_previous(const Strands& strands, const State& state, std::span<Vector3d> positions,
                     std::span<Vector3d> velocities) {
  gather3(strands, state.previous, StateLayout::position, positions);
  gather3(strands, state.previous, StateLayout::velocity, velocities);
}
void gather_thetas(const Strands& strands, const State& state, std::span<double> out) {
  gather1(strands, state, StateLayout::theta, out);
}
void gather_theta_velocities(const Strands& strands, const State& state, std::span<double> out) {
  gather1(strands, state, StateLayout::theta_velocity, out);
}
void gather_reference_twists(const Strands& strands, const State& state, std::span<double> out) {
  gather1(strands, state, StateLayout::reference_twist, out);
}

void scatter_forces(const Strands& strands, std::span<const Vector3d> forces, GroupStreams& out) {
  const auto w = std::size_t(strands.lanes());
  if (out.size() != strands.groups().size()) {
    out.clear();
    for (const Group& group : strands.groups()) out.append(std::size_t(group.vertices) * 4 * w, 0.0);
  }
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    const Group& group = strands.groups()[g];
    for (std::size_t lane = 0; lane < w; ++lane)
      for (std::size_t i = 0; i < strands.vertices(group.strands[lane]); ++i)
        for (int c = 0; c < 3; ++c)
          out[g][stream_at(group.first[lane] + int(i), 4, c, int(w), lane)] =
              forces[strands.offset(group.strands[lane]) + i][c];
  });
}

void show(const Strands& strands, std::span<const Vector3d> positions, std::span<const Vector3d> velocities,
          std::span<const Vector3d> directors, State& state) {
  parallel_for(strands.groups().size(), [&](std::size_t g) {
    for (std::size_t lane = 0; lane < std::size_t(strands.lanes()); ++lane)
      show_lane(strands, g, lane, positions, velocities, directors, state);
  });
  state.previous_dt = 0.0;
  state.low.clear();
}

Status set_positions(const Strands& strands, std::span<const Vector3d> positions, State& state) {
  Curves moved{{positions.begin(), positions.end()}, strands.description().curves.offsets};
  if (Status size = check_size(positions.size(), strands.vertex_count(), "positions"); !size) return size;
  if (Status sound = check_geometry(moved); !sound) return sound;
  const State before = state;
  for (int c = 0; c < 3; ++c)
    scatter(strands, StateLayout::position + c, state, [&](std::size_t v) { return positions[v][c]; });
  carry_all_frames(strands, before, state);
  return ok();
}

Status set_velocities(const Strands& strands, std::span<const Vector3d> velocities, State& state) {
  if (Status size = check_size(velocities.size(), strands.vertex_count(), "velocities"); !size) return size;
  if (Status sound = check_numbers(strands, flat(velocities), "velocity"); !sound) return sound;
  for (int c = 0; c < 3; ++c)
    scatter(strands, StateLayout::velocity + c, state, [&](std::size_t v) { return velocities[v][c]; });
  return ok();
}

Status set_thetas(const Strands& strands, std::span<const double> thetas, State& state) {
  if (Status size = check_size(thetas.size(), strands.vertex_count(), "thetas"); !size) return size;
  if (Status sound = check_numbers(strands, thetas, "theta"); !sound) return sound;
  scatter(strands, StateLayout::theta, state, [&](std::size_t v) { return thetas[v]; });
  return ok();
}

Status set_theta_velocities(const Strands& strands, std::span<const double> velocities, State& state) {
  if (Status size = check_size(velocities.size(), strands.vertex_count(), "theta velocities"); !size) return size;
  if (Status sound = check_numbers(strands, velocities, "theta velocity"); !sound) return sound;
  scatter(strands, StateLayout::theta_velocity, state, [&](std::size_t v) { return velocities[v]; });
  return ok();
}

Status set_directors(const Strands& strands, std::span<const Vector3d> directors, std::span<const double> nearest,
                     State& state) {
  if (Status size = check_size(directors.size(), strands.vertex_count(), "directors"); !size) return size;
  if (Status size = check_size(nearest.size(), strands.vertex_count(), "reference twists"); !size) return size;
  std::vector<Vector3d> positions(strands.vertex_count());
  gather_positions(strands, state, positions);
  for (std::size_t s = 0; s < strands.size(); ++s)
    for (std::size_t v = strands.offset(s); v + 1 < strands.offset(s + 1); ++v) {
      const Vector3d tangent = (positions[v + 1] - positions[v]).normalized();
      if (!(std::abs(directors[v].norm() - 1.0) < 1e-6) || !(std::abs(directors[v].dot(tangent)) < 1e-6))
        return Error{fmt::format("strand {}, vertex {}", s, v - strands.offset(s)),
                     "the director must be a unit vector across its edge"};
    }
  const State before = state;
  for (int c = 0; c < 3; ++c)
    scatter(strands, StateLayout::director + c, state, [&](std::size_t v) { return directors[v][c]; });
  scatter(strands, StateLayout::reference_twist, state, [&](std::size_t v) { return nearest[v]; });
  carry_all_frames(strands, before, state);
  return ok();
}

void commit(State& trial, double dt, bool keep_history, State& state) {
  if (keep_history) {
    state.previous.swap(state.current);  // state.current now holds the oldest streams, or none
    state.previous_dt = dt;
  } else {
    state.previous_dt = 0.0;
  }
  state.current.swap(trial.current);
  state.low.clear();
}

std::uint64_t hash(const Strands& strands, const State& state) {
  Hash digest;
  const int w = strands.lanes();
  for (std::size_t s = 0; s < strands.size(); ++s) {
    const Strands::Place place = strands.place(s);
    const std::span<const double> stream = state.current[place.group];
    for (std::size_t i = 0; i < strands.vertices(s); ++i)
      for (int c = 0; c < StateLayout::components; ++c)
        digest.number(stream[state_at(place.first + int(i), c, w, std::size_t(place.lane))]);
  }
  return digest.value();
}

}  // namespace tendril::der
