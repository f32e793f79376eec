// Packing: which strands share a lane group, and what each lane holds at the start.
#include <algorithm>
#include <numbers>
#include <numeric>
#include <tuple>

#include "tendril/base/parallel.hpp"
#include "tendril/geometry/eigen_vec3.hpp"
#include "tendril/geometry/transport.hpp"
#include "tendril/rods/der/strands.hpp"

namespace tendril::der {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;
using P = ParameterLayout;

constexpr double largest_padding = 0.12;  // of a group's slots; beyond that a smaller group is cheaper

// A strand as the kernels see it: point clamps add a ghost edge that is held and carries the clamp's frame.
struct Chain {
  std::vector<Vector3d> x;
  int before = 0, after = 0;  // vertices added at the root and at the tip
};

Chain make_chain(std::span<const Vector3d> points, const Clamps& clamps) {
  Chain chain;
  chain.before = clamps.root == Clamp::point ? 1 : 0;
  chain.after = clamps.tip == Clamp::point ? 1 : 0;
  if (chain.before) chain.x.push_back(2.0 * points[0] - points[1]);
  chain.x.insert(chain.x.end(), points.begin(), points.end());
  if (chain.after) chain.x.push_back(2.0 * points[points.size() - 1] - points[points.size() - 2]);
  return chain;
}

int chain_length(const Description& d, std::size_t s) {
  const Clamps& c = of_strand(d.clamps, s);
  return int(d.curves.vertices(s)) + (c.root == Clamp::point) + (c.tip == Clamp::point);
}

bool is_round(const Description& d, std::size_t s) {
  for (std::size_t i = d.curves.offsets[s]; i + 1 < d.curves.offsets[s + 1]; ++i)
    if (d.semi_axis1[i] != d.semi_axis2[i]) return false;
  return true;
}

}  // namespace

void Strands::pack() {
  const std::size_t n = size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::vector<int> length(n);
  std::vector<char> round(n);
  for (std::size_t s = 0; s < n; ++s) length[s] = chain_length(description_, s), round[s] = is_round(description_, s);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::tuple(round[a], length[a]) < std::tuple(round[b], length[b]);
  });

  const auto width = std::size_t(lanes());
  places_.resize(n);
  for (std::size_t i = 0; i < n;) {
    std::size_t end = i + 1;
    while (end < n && end - i < width && round[order[end]] == round[order[i]] &&
           double(length[order[i]]) >= (1.0 - largest_padding) * double(length[order[end]]))
      ++end;
    Group group;
    group.vertices = length[order[end - 1]];
    group.round = round[order[i]] != 0;
    group.owned = int(end - i);
    for (std::size_t lane = 0; lane < width; ++lane) {
      const std::size_t s = order[std::min(i + lane, end - 1)];
      group.strands.push_back(s);
      group.real_begin.push_back(group.vertices - length[s]);
      group.first.push_back(group.vertices - length[s] + (clamps(s).root == Clamp::point ? 1 : 0));
      if (lane < end - i) places_[s] = {groups_.size(), int(lane), group.first.back()};
    }
    groups_.push_back(std::move(group));
    i = end;
  }

  for (std::size_t g = 0; g < groups_.size(); ++g) allocate(g);
  for (std::size_t g = 0; g < groups_.size(); ++g)
    for (std::size_t lane = 0; lane < width; ++lane) fill_lane(g, lane);
}

void Strands::allocate(std::size_t g) {
  Group& group = groups_[g];
  const auto width = std::size_t(lanes()), slots = std::size_t(group.vertices) * width;
  parameters_.append(slots * P::components, 0.0);
  start_.current.append(slots * StateLayout::components, 0.0);
  group.damping.assign(width, 0.0);

  // A slot is special if any lane holds something there, or has a ghost there.
  std::vector<char> special(std::size_t(group.vertices), 0);
  for (std::size_t lane = 0; lane < width; ++lane) {
    const std::size_t s = group.strands[lane];
    const int begin = group.real_begin[lane], end = group.vertices;
    for (int k = 0; k < begin; ++k) special[std::size_t(k)] = 1;
    if (clamps(s).root != Clamp::free) special[std::size_t(begin)] = special[std::size_t(begin + 1)] = 1;
    if (clamps(s).tip != Clamp::free) special[std::size_t(end - 1)] = special[std::size_t(end - 2)] = 1;
    for (const std::size_t h : holds_of(s)) special[std::size_t(group.first[lane] + holds_[h].vertex)] = 1;
  }
  int slots_held = 0;
  for (const char is : special) group.hold_of.push_back(is ? slots_held++ : -1);
  targets_.holds.append(std::size_t(slots_held) * HoldLayout::components * width, 1.0);
}

// Parameters, start pose and held unknowns of one lane. Ghost slots have neither stiffness nor mass.
void Strands::fill_lane(std::size_t g, std::size_t lane) {
  Group& group = groups_[g];
  const std::size_t s = group.strands[lane];
  const Description& d = description_;
  const int w = lanes(), begin = group.real_begin[lane], last = group.vertices - 1;
  const Chain chain = make_chain(d.curves.strand(s), clamps(s));
  const auto edges = int(d.curves.vertices(s)) - 1;  // of the user
  const std::span<double> parameters = parameters_[g], state = start_.current[g], holds = targets_.holds[g];
  const auto parameter = [&](int slot, int component) -> double& {
    return parameters[stream_at(slot, P::components, component, w, lane)];
  };

  for (int k = 0; k <= last; ++k) {
    parameter(k, P::inertia) = k == last ? 1.0 : 0.0;  // the last vertex has no edge: its angle is a dummy that stays 0
    parameter(k, P::reference_length) = parameter(k, P::inverse_rest_length) = 1.0;
    state[state_at(k, StateLayout::director + 1, w, lane)] = 1.0;
  }
  // Edge k of the lane is edge k - first of the user; clamp ghosts repeat the nearest one.
  const auto user_edge = [&](int k) {
    return d.curves.offsets[s] + std::size_t(std::clamp(k - group.first[lane], 0, edges - 1));
  };
  const auto is_user_edge = [&](int k) { return k >= group.first[lane] && k < group.first[lane] + edges; };

  for (int k = begin; k <= last; ++k) {
    write3(state, k, StateLayout::position, w, lane, to_vec3(chain.x[std::size_t(k - begin)]));
    if (k == last || !is_user_edge(k)) continue;
    const std::size_t e = user_edge(k);
    const Vector3d edge = chain.x[std::size_t(k + 1 - begin)] - chain.x[std::size_t(k - begin)];
    const double l0 = d.reference_length.empty() ? edge.norm() : d.reference_length[e];
    const double strain = d.rest_strain.empty() ? 0.0 : d.rest_strain[e];
    parameter(k, P::reference_length) = l0;
    parameter(k, P::inverse_rest_length) = (1.0 + strain) / l0;
    parameter(k, P::rest_strain) = strain;
    parameter(k, P::stretch) = d.stretch_modulus[e] * pi * d.semi_axis1[e] * d.semi_axis2[e];
    parameter(k, P::width) = d.semi_axis1[e] + d.semi_axis2[e];
  }
  // Lumped masses: half an edge to each of its vertices; the polar inertia of an ellipse about its axis. By the
  // reference length, so that a change of rest strain moves no mass.
  const auto edge_mass = [&](int k) {
    if (k < begin || k >= last || !is_user_edge(k)) return 0.0;
    const std::size_t e = user_edge(k);
    return d.density[e] * pi * d.semi_axis1[e] * d.semi_axis2[e] * parameter(k, P::reference_length);
  };
  for (int k = group.first[lane]; k <= group.first[lane] + edges; ++k) {
    const std::size_t v = d.curves.offsets[s] + std::size_t(k - group.first[lane]);
    parameter(k, P::mass) = d.mass.empty() ? 0.5 * (edge_mass(k - 1) + edge_mass(k)) : d.mass[v];
    if (k == group.first[lane] + edges) break;
    const double a = d.semi_axis1[v], b = d.semi_axis2[v];
    parameter(k, P::inertia) = d.inertia.empty() ? 0.25 * edge_mass(k) * (a * a + b * b) : d.inertia[v];
  }
  set_joint_stiffness(g, lane);
  group.damping[lane] = of_strand(d.damping, s);
  group.damped = group.damped || group.damping[lane] > 0.0;

  // Space-parallel directors: no reference twist at the start.
  Vec3<double> tangent{}, director{};
  for (int k = begin; k < last; ++k) {
    const Vec3<double> next =
        to_vec3((chain.x[std::size_t(k + 1 - begin)] - chain.x[std::size_t(k - begin)]).normalized());
    director = k == begin ? to_vec3(first_director(d, s, to_eigen(next))) : transport_director(tangent, next, director);
    tangent = next;
    write3(state, k, StateLayout::director, w, lane, director);
  }

  const auto hold = [&](int slot, int component) -> double& {
    return holds[stream_at(group.hold_of[std::size_t(slot)], HoldLayout::components, component, w, lane)];
  };
  const auto hold_component = [&](int slot, int c) {
    hold(slot, HoldLayout::free + c) = 0.0;
    hold(slot, HoldLayout::target + c) = state[state_at(slot, c, w, lane)];
  };
  const auto hold_vertex = [&](int slot) {
    for (int c = 0; c < 3; ++c) hold_component(slot, c);
  };
  for (int k = 0; k <= last; ++k)
    if (group.hold_of[std::size_t(k)] >= 0)
      for (int c = 0; c < 4; ++c) hold(k, HoldLayout::target + c) = 0.0;
  for (int k = 0; k < begin; ++k) {
    hold_vertex(k), hold_component(k, 3);
    hold(k, HoldLayout::real_edge) = 0.0;
  }
  if (clamps(s).root != Clamp::free) hold_vertex(begin), hold_component(begin, 3), hold_vertex(begin + 1);
  if (clamps(s).tip != Clamp::free) hold_vertex(last - 1), hold_component(last - 1, 3), hold_vertex(last);
  for (const std::size_t h : holds_of(s))
    for (int c = 0; c < 4; ++c)
      if (holds_[h].components[std::size_t(c)]) hold_component(group.first[lane] + holds_[h].vertex, c);
}

// Stiffness of the joints of one lane from the rest lengths of its edges.
void Strands::set_joint_stiffness(std::size_t g, std::size_t lane) {
  const Group& group = groups_[g];
  const std::span<double> parameters = parameters_[g];
  const std::size_t s = group.strands[lane];
  const Description& d = description_;
  const int w = lanes(), first = group.first[lane], edges = int(vertices(s)) - 1;
  const auto parameter = [&](int slot, int component) -> double& {
    return parameters[stream_at(slot, P::components, component, w, lane)];
  };
  // Two half-edges bend in series, so compliances add (uniform: EI/L, L twice the Voronoi length). The ghost edge of a
  // point clamp adds nothing: the joint there is that of half an edge.
  for (int k = group.real_begin[lane] + 1; k < group.vertices - 1; ++k) {
    double bend1 = 0.0, bend2 = 0.0, twist = 0.0;  // sums of length over second moment
    for (const int side : {k - 1, k}) {
      if (side < first || side >= first + edges) continue;
      const std::size_t e = offset(s) + std::size_t(side - first);
      const double length = 1.0 / parameter(side, P::inverse_rest_length);
      const double a = d.semi_axis1[e], b = d.semi_axis2[e], area = pi * a * b;
      bend1 += length / (0.25 * area * a * a);
      bend2 += length / (0.25 * area * b * b);
      twist += length / (area * a * b * (2.0 * a * b) / (a * a + b * b));  // 2J, J = pi a^3 b^3 / (a^2 + b^2)
    }
    const std::size_t m = offset(s) + std::size_t(k - first);
    parameter(k, P::bend1) = d.bend_modulus[m] / bend1;
    parameter(k, P::bend2) = d.bend_modulus[m] / bend2;
    parameter(k, P::twist) = d.twist_modulus[m] / twist;
  }
}

// The mass of a connector is at its end vertex; what its size adds to weight and inertia turns with the edge
// (docs/theory/der.md, "Connectors").
void Strands::add_connectors() {
  using C = ConnectorLayout;
  for (const Connector& c : description_.connectors) {
    Group& group = groups_[places_[c.strand].group];
    const std::span<double> parameters = parameters_[places_[c.strand].group];
    if (group.connectors.empty()) group.connectors.assign(std::size_t(group.vertices * C::components * lanes()), 0.0);
    for (std::size_t lane = 0; lane < std::size_t(lanes()); ++lane) {
      if (group.strands[lane] != c.strand) continue;
      const int first = group.first[lane], last = first + int(vertices(c.strand)) - 1;
      const int edge = c.at_tip ? last - 1 : first;
      const double length = parameters[stream_at(edge, P::components, P::reference_length, lanes(), lane)];
      parameters[stream_at(c.at_tip ? last : first, P::components, P::mass, lanes(), lane)] += c.mass;
      parameters[stream_at(edge, P::components, P::inertia, lanes(), lane)] += c.axial_inertia;
      group.connectors[stream_at(edge, C::components, C::rotary, lanes(), lane)] +=
          (c.transverse_inertia + c.mass * c.offset * (length + c.offset)) / (length * length);
      group.connectors[stream_at(edge, C::components, C::lever, lanes(), lane)] +=
          (c.at_tip ? 1.0 : -1.0) * c.mass * c.offset / length;
    }
  }
}

// Rest lengths, curvatures and twists that the description leaves open are those of the start pose, measured by the
// kernel that will compare with them: the strain there is zero to the last bit.
void Strands::measure_rest() {
  const Description& d = description_;
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    const std::span<double> parameters = parameters_[g];
    const int w = lanes();
    Stream strains(std::size_t(group.vertices) * MeasureLayout::components * std::size_t(w));
    kernels_->measure(view(g, targets_), start_.current[g].data(), strains.data());
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane) {
      const std::size_t s = group.strands[lane];
      const int edges = int(vertices(s)) - 1;
      for (int k = group.real_begin[lane]; k < group.vertices - 1; ++k) {
        const auto measured = [&](int c) { return strains[stream_at(k, MeasureLayout::components, c, w, lane)]; };
        const auto parameter = [&](int c) -> double& { return parameters[stream_at(k, P::components, c, w, lane)]; };
        const int user = k - group.first[lane];
        const std::size_t v = offset(s) + std::size_t(std::clamp(user, 0, edges));
        if (user >= 0 && user < edges && d.reference_length.empty()) {
          parameter(P::reference_length) = measured(MeasureLayout::length);
          parameter(P::inverse_rest_length) = (1.0 + parameter(P::rest_strain)) / measured(MeasureLayout::length);
        }
        const bool given = has_joint(d, s, v - offset(s));
        for (int c = 0; c < 4; ++c)
          parameter(P::rest_curvature + c) = given && !d.rest_curvature.empty()
                                                 ? d.rest_curvature[v][std::size_t(c)]
                                                 : measured(MeasureLayout::curvature + c);
        parameter(P::rest_twist) = given && !d.rest_twist.empty() ? d.rest_twist[v] : measured(MeasureLayout::twist);
      }
    }
  });
}

}  // namespace tendril::der
