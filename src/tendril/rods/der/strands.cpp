#include "tendril/rods/der/strands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <tuple>

#include "tendril/base/flush_denormals.hpp"
#include "tendril/base/parallel.hpp"
#include "tendril/geometry/transport.hpp"

namespace tendril::der {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using P = ParameterLayout;

std::size_t resolved_vertex(const Strands& strands, std::size_t strand, int vertex) {
  const auto n = std::ptrdiff_t(strands.vertices(strand));
  const std::ptrdiff_t v = vertex < 0 ? vertex + n : vertex;
  return v < 0 || v >= n ? std::size_t(-1) : std::size_t(v);
}

// Which of x, y, z, theta of a vertex the clamps of its strand hold.
std::array<bool, 4> held_by_clamps(const Clamps& clamps, std::size_t vertex, std::size_t vertices) {
  const auto from_end = vertices - 1 - vertex;
  const auto holds = [](Clamp clamp, std::size_t distance) {
    return (clamp == Clamp::edge && distance <= 1) || (clamp == Clamp::point && distance == 0);
  };
  const bool position = holds(clamps.root, vertex) || holds(clamps.tip, from_end);
  const bool angle = (clamps.root == Clamp::edge && vertex == 0) || (clamps.tip == Clamp::edge && from_end == 1);
  return {position, position, position, angle};
}

Status check_hold(const Strands& strands, const std::vector<Hold>& holds, std::size_t h) {
  const Hold& hold = holds[h];
  const std::array<bool, 4> clamped =
      held_by_clamps(strands.clamps(hold.strand), std::size_t(hold.vertex), strands.vertices(hold.strand));
  for (std::size_t c = 0; c < 4; ++c)
    if (hold.components[c] && clamped[c])
      return Error{fmt::format("hold {}", h), fmt::format("holds {} of vertex {} of strand {}, which a clamp holds",
                                                          "xyzt"[c], hold.vertex, hold.strand)};
  return ok();
}

}  // namespace

const Clamps& Strands::clamps(std::size_t strand) const { return of_strand(description_.clamps, strand); }

Result<Strands> Strands::create(Description description, std::vector<Hold> holds, Isa isa) {
  if (Status status = check(description); !status) return status.error();
  Strands strands;
  strands.description_ = std::move(description);
  strands.isa_ = isa;
  strands.kernels_ = &der::kernels(isa);
  for (std::size_t h = 0; h < holds.size(); ++h) {
    if (holds[h].strand >= strands.size())
      return Error{fmt::format("hold {}", h),
                   fmt::format("names strand {}; there are {}", holds[h].strand, strands.size())};
    const std::size_t vertex = resolved_vertex(strands, holds[h].strand, holds[h].vertex);
    if (vertex == std::size_t(-1))
      return Error{fmt::format("hold {}", h), fmt::format("names vertex {} of strand {}, which has {}", holds[h].vertex,
                                                          holds[h].strand, strands.vertices(holds[h].strand))};
    if (holds[h].components[3] && vertex + 1 == strands.vertices(holds[h].strand))
      return Error{fmt::format("hold {}", h), "holds the twist of the last vertex, where no edge starts"};
    holds[h].vertex = int(vertex);
    if (Status status = check_hold(strands, holds, h); !status) return status.error();
  }
  strands.holds_ = std::move(holds);
  strands.sort_holds();
  strands.pack();
  strands.measure_rest();
  strands.add_connectors();
  return strands;
}

void Strands::sort_holds() {
  hold_begin_.assign(size() + 1, 0);
  for (const Hold& hold : holds_) ++hold_begin_[hold.strand + 1];
  std::partial_sum(hold_begin_.begin(), hold_begin_.end(), hold_begin_.begin());
  hold_order_.resize(holds_.size());
  std::iota(hold_order_.begin(), hold_order_.end(), std::size_t(0));
  std::stable_sort(hold_order_.begin(), hold_order_.end(),
                   [&](std::size_t a, std::size_t b) { return holds_[a].strand < holds_[b].strand; });
}

State Strands::start() const { return start_; }
Targets Strands::make_targets() const { return targets_; }

GroupView Strands::view(std::size_t g, const Targets& targets) const {
  const Group& group = groups_[g];
  return {group.vertices,
          description_.curvature,
          group.round,
          parameters_[g].data(),
          group.hold_of.data(),
          targets.holds[g].data(),
          group.connectors.empty() ? nullptr : group.connectors.data()};
}

Status Strands::add_load(const Load& load) {
  if (load.strand >= size()) return Error{"load", fmt::format("names strand {}; there are {}", load.strand, size())};
  const std::size_t vertex = resolved_vertex(*this, load.strand, load.vertex);
  if (vertex == std::size_t(-1))
    return Error{"load", fmt::format("names vertex {} of strand {}, which has {}", load.vertex, load.strand,
                                     vertices(load.strand))};
  if (!load.force.allFinite() || !std::isfinite(load.torque)) return Error{"load", "is not a finite number"};
  const auto w = std::size_t(lanes());
  Group& group = groups_[places_[load.strand].group];
  if (group.loads.empty()) group.loads.assign(std::size_t(group.vertices) * 4 * w, 0.0);
  for (std::size_t lane = 0; lane < w; ++lane) {
    if (group.strands[lane] != load.strand) continue;
    const int slot = group.first[lane] + int(vertex);
    for (int c = 0; c < 3; ++c) group.loads[stream_at(slot, 4, c, int(w), lane)] += load.force[c];
    // No edge starts at the last vertex: a torque there turns the last edge.
    const int edge = vertex + 1 == vertices(load.strand) ? slot - 1 : slot;
    group.loads[stream_at(edge, 4, 3, int(w), lane)] += load.torque;
  }
  return ok();
}

void Strands::set_anchors(std::span<const Vector3d> places, std::span<const double> stiffness, Targets& targets) const {
  using A = AnchorLayout;
  if (targets.anchors.empty())
    for (const Group& group : groups_)
      targets.anchors.append(std::size_t(group.vertices * A::components * lanes()), 0.0);
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    const std::span<double> anchors = targets.anchors[g];
    for (std::size_t lane = 0; lane < std::size_t(lanes()); ++lane)
      for (std::size_t i = 0; i < vertices(group.strands[lane]); ++i) {
        const std::size_t v = offset(group.strands[lane]) + i;
        const int slot = group.first[lane] + int(i);
        for (int c = 0; c < 3; ++c) anchors[stream_at(slot, A::components, A::place + c, lanes(), lane)] = places[v][c];
        anchors[stream_at(slot, A::components, A::stiffness, lanes(), lane)] = stiffness[v];
      }
  });
}

void Strands::gather_anchors(const Targets& targets, std::span<Vector3d> places, std::span<double> stiffness) const {
  using A = AnchorLayout;
  parallel_for(size(), [&](std::size_t s) {
    const Place at = places_[s];
    const auto value = [&](std::size_t i, int component) {
      return targets
          .anchors[at.group][stream_at(at.first + int(i), A::components, component, lanes(), std::size_t(at.lane))];
    };
    for (std::size_t i = 0; i < vertices(s); ++i) {
      for (int c = 0; c < 3; ++c) places[offset(s) + i][c] = value(i, A::place + c);
      stiffness[offset(s) + i] = value(i, A::stiffness);
    }
  });
}

void Strands::clear_loads() {
  for (Group& group : groups_) group.loads.clear();
}

RestState Strands::rest_state() const {
  RestState rest{std::vector<double>(vertex_count()), std::vector<std::array<double, 4>>(vertex_count()),
                 std::vector<double>(vertex_count()), description_.stretch_modulus,
                 description_.bend_modulus,           description_.twist_modulus};
  parallel_for(size(), [&](std::size_t s) {
    const Place p = places_[s];
    for (std::size_t i = 0; i < vertices(s); ++i) {
      const std::size_t v = offset(s) + i;
      const auto parameter = [&](int c) {
        return parameters_[p.group][stream_at(p.first + int(i), P::components, c, lanes(), std::size_t(p.lane))];
      };
      rest.strain[v] = parameter(P::rest_strain), rest.twist[v] = parameter(P::rest_twist);
      for (int c = 0; c < 4; ++c) rest.curvature[v][std::size_t(c)] = parameter(P::rest_curvature + c);
    }
  });
  return rest;
}

Status Strands::set_rest(RestState rest) {
  const auto exchange = [&] {
    Description& d = description_;
    d.rest_strain.swap(rest.strain), d.rest_curvature.swap(rest.curvature), d.rest_twist.swap(rest.twist);
    d.stretch_modulus.swap(rest.stretch_modulus);
    d.bend_modulus.swap(rest.bend_modulus), d.twist_modulus.swap(rest.twist_modulus);
  };
  exchange();
  if (Status status = check_rest(description_); !status) {
    exchange();
    return status;
  }
  if (description_.reference_length.empty()) description_.reference_length = reference_lengths();
  if (!unscaled_.empty()) parameters_.swap(unscaled_), unscaled_.clear();
  parallel_for(groups_.size(), [&](std::size_t g) {
    for (std::size_t lane = 0; lane < std::size_t(lanes()); ++lane) set_lane_rest(g, lane);
  });
  return ok();
}

void Strands::set_lane_rest(std::size_t g, std::size_t lane) {
  const Group& group = groups_[g];
  const Description& d = description_;
  const std::size_t s = group.strands[lane];
  const int edges = int(vertices(s)) - 1;
  for (int i = 0; i <= edges; ++i) {
    const std::size_t v = offset(s) + std::size_t(i);
    const auto parameter = [&](int c) -> double& {
      return parameters_[g][stream_at(group.first[lane] + i, P::components, c, lanes(), lane)];
    };
    if (i < edges) {
      parameter(P::rest_strain) = d.rest_strain[v];
      parameter(P::inverse_rest_length) = (1.0 + d.rest_strain[v]) / parameter(P::reference_length);
      parameter(P::stretch) = d.stretch_modulus[v] * pi * d.semi_axis1[v] * d.semi_axis2[v];
    }
    if (!has_joint(d, s, std::size_t(i))) continue;
    for (int c = 0; c < 4; ++c) parameter(P::rest_curvature + c) = d.rest_curvature[v][std::size_t(c)];
    parameter(P::rest_twist) = d.rest_twist[v];
  }
  set_joint_stiffness(g, lane);
}

void Strands::scale_stiffness(double factor) {
  if (unscaled_.empty()) unscaled_ = parameters_;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (int k = 0; k < groups_[g].vertices; ++k)
      for (const int c : {P::stretch, P::bend1, P::bend2, P::twist})
        for (std::size_t lane = 0; lane < std::size_t(lanes()); ++lane) {
          const std::size_t at = stream_at(k, P::components, c, lanes(), lane);
          parameters_[g][at] = factor * unscaled_[g][at];
        }
}

void Strands::set_damping(std::optional<double> seconds) {
  for (Group& group : groups_) {
    for (std::size_t lane = 0; lane < group.damping.size(); ++lane)
      group.damping[lane] = seconds.value_or(of_strand(description_.damping, group.strands[lane]));
    group.damped = std::ranges::any_of(group.damping, [](double damping) { return damping > 0.0; });
  }
}

std::vector<double> Strands::parameter_of(int component) const {
  std::vector<double> out(vertex_count());
  for (std::size_t s = 0; s < size(); ++s) {
    const Place p = places_[s];
    for (std::size_t i = 0; i < vertices(s); ++i)
      out[offset(s) + i] =
          parameters_[p.group][stream_at(p.first + int(i), P::components, component, lanes(), std::size_t(p.lane))];
  }
  return out;
}

std::vector<double> Strands::reference_lengths() const { return parameter_of(P::reference_length); }
std::vector<double> Strands::rest_strains() const { return parameter_of(P::rest_strain); }
std::vector<double> Strands::rest_twists() const { return parameter_of(P::rest_twist); }
std::vector<double> Strands::masses() const { return parameter_of(P::mass); }
std::vector<std::array<double, 4>> Strands::rest_curvatures() const {
  std::vector<std::array<double, 4>> out(vertex_count());
  for (int c = 0; c < 4; ++c) {
    const std::vector<double> component = parameter_of(P::rest_curvature + c);
    for (std::size_t v = 0; v < out.size(); ++v) out[v][std::size_t(c)] = component[v];
  }
  return out;
}

std::size_t Strands::bytes() const {
  std::size_t values = parameters_.all().size() + start_.current.all().size() + targets_.holds.all().size();
  for (const Group& group : groups_) values += group.loads.size() + group.damping.size();
  return values * sizeof(double);
}

}  // namespace tendril::der
