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

constexpr double largest_padding = 0.12;  // of a group's slots; beyond that a smaller group is cheaper

template <class T>
const T& entry(const std::vector<T>& values, std::size_t strand) {
  return values.size() == 1 ? values.front() : values[strand];
}

Vec3<double> to_vec3(const Vector3d& v) { return {v.x(), v.y(), v.z()}; }
Vector3d to_eigen(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

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
  const Clamps& c = entry(d.clamps, s);
  return int(d.curves.vertices(s)) + (c.root == Clamp::point) + (c.tip == Clamp::point);
}

bool is_round(const Description& d, std::size_t s) {
  for (std::size_t i = d.curves.offsets[s]; i + 1 < d.curves.offsets[s + 1]; ++i)
    if (d.semi_axis1[i] != d.semi_axis2[i]) return false;
  return true;
}

Vector3d any_normal(const Vector3d& t) {
  int smallest = 0;
  t.cwiseAbs().minCoeff(&smallest);
  return t.cross(Vector3d::Unit(smallest)).normalized();
}

std::size_t resolved_vertex(const Strands& strands, std::size_t strand, int vertex) {
  const auto n = std::ptrdiff_t(strands.vertices(strand));
  const std::ptrdiff_t v = vertex < 0 ? vertex + n : vertex;
  return v < 0 || v >= n ? std::size_t(-1) : std::size_t(v);
}

// Address of one value of a stream.
std::size_t at(int slot, int components, int component, int lanes, std::size_t lane) {
  return (std::size_t(slot) * std::size_t(components) + std::size_t(component)) * std::size_t(lanes) + lane;
}
std::size_t state_at(int slot, int component, int lanes, std::size_t lane) {
  return at(slot, StateLayout::components, component, lanes, lane);
}

Vec3<double> read3(const Stream& stream, int slot, int component, int lanes, std::size_t lane) {
  return {stream[state_at(slot, component, lanes, lane)], stream[state_at(slot, component + 1, lanes, lane)],
          stream[state_at(slot, component + 2, lanes, lane)]};
}
void write3(Stream& stream, int slot, int component, int lanes, std::size_t lane, const Vec3<double>& v) {
  stream[state_at(slot, component, lanes, lane)] = v.x;
  stream[state_at(slot, component + 1, lanes, lane)] = v.y;
  stream[state_at(slot, component + 2, lanes, lane)] = v.z;
}

}  // namespace

const Clamps& Strands::clamps(std::size_t strand) const { return entry(description_.clamps, strand); }

Result<Strands> Strands::create(Description description, std::vector<Hold> holds, Isa isa) {
  if (Status status = check(description); !status) return status.error();
  Strands strands;
  strands.description_ = std::move(description);
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
  }
  strands.holds_ = std::move(holds);
  strands.sort_holds();
  strands.pack();
  strands.measure_rest();
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

  start_.current.resize(groups_.size());
  targets_.holds.resize(groups_.size());
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    Group& group = groups_[g];
    const auto slots = std::size_t(group.vertices) * width;
    group.parameters.assign(slots * P::components, 0.0);
    group.damping.assign(width, 0.0);
    start_.current[g].assign(slots * StateLayout::components, 0.0);

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
    targets_.holds[g].assign(std::size_t(slots_held) * HoldLayout::components * width, 1.0);
    for (std::size_t lane = 0; lane < width; ++lane) fill_lane(group, lane);
  }
}

// Parameters, start pose and held unknowns of one lane. Ghost slots have neither stiffness nor mass.
void Strands::fill_lane(Group& group, std::size_t lane) {
  const std::size_t s = group.strands[lane], g = std::size_t(&group - groups_.data());
  const Description& d = description_;
  const int w = lanes(), begin = group.real_begin[lane], last = group.vertices - 1;
  const Chain chain = make_chain(d.curves.strand(s), clamps(s));
  const auto edges = int(d.curves.vertices(s)) - 1;  // of the user
  const auto parameter = [&](int slot, int component) -> double& {
    return group.parameters[at(slot, P::components, component, w, lane)];
  };
  Stream& state = start_.current[g];

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
  set_joint_stiffness(group, lane);
  group.damping[lane] = entry(d.damping, s);
  group.damped = group.damped || group.damping[lane] > 0.0;

  // Space-parallel directors: no reference twist at the start.
  Vec3<double> tangent{}, director{};
  for (int k = begin; k < last; ++k) {
    const Vec3<double> next =
        to_vec3((chain.x[std::size_t(k + 1 - begin)] - chain.x[std::size_t(k - begin)]).normalized());
    director = k == begin ? to_vec3(any_normal(to_eigen(next))) : transport_director(tangent, next, director);
    tangent = next;
    write3(state, k, StateLayout::director, w, lane, director);
  }

  Stream& holds = targets_.holds[g];
  const auto hold = [&](int slot, int component) -> double& {
    return holds[at(group.hold_of[std::size_t(slot)], HoldLayout::components, component, w, lane)];
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
void Strands::set_joint_stiffness(Group& group, std::size_t lane) {
  const std::size_t s = group.strands[lane];
  const Description& d = description_;
  const int w = lanes(), first = group.first[lane], edges = int(vertices(s)) - 1;
  const auto parameter = [&](int slot, int component) -> double& {
    return group.parameters[at(slot, P::components, component, w, lane)];
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
    // A point clamp's joint has no modulus of its own in the arrays: it takes its inner neighbour's.
    const int joint = edges > 1 ? std::clamp(k - first, 1, edges - 1) : std::clamp(k - first, 0, edges);
    const std::size_t m = offset(s) + std::size_t(joint);
    parameter(k, P::bend1) = d.bend_modulus[m] / bend1;
    parameter(k, P::bend2) = d.bend_modulus[m] / bend2;
    parameter(k, P::twist) = d.twist_modulus[m] / twist;
  }
}

// Rest lengths, curvatures and twists that the description leaves open are those of the start pose, measured by the
// kernel that will compare with them: the strain there is zero to the last bit.
void Strands::measure_rest() {
  const Description& d = description_;
  parallel_for(groups_.size(), [&](std::size_t g) {
    Group& group = groups_[g];
    const int w = lanes();
    Stream strains(std::size_t(group.vertices) * MeasureLayout::components * std::size_t(w));
    kernels_->measure(view(g, targets_), start_.current[g].data(), strains.data());
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane) {
      const std::size_t s = group.strands[lane];
      const int edges = int(vertices(s)) - 1;
      for (int k = group.real_begin[lane]; k < group.vertices - 1; ++k) {
        const auto measured = [&](int c) { return strains[at(k, MeasureLayout::components, c, w, lane)]; };
        const auto parameter = [&](int c) -> double& { return group.parameters[at(k, P::components, c, w, lane)]; };
        const int user = k - group.first[lane];
        const std::size_t v = offset(s) + std::size_t(std::clamp(user, 0, edges));
        if (user >= 0 && user < edges && d.reference_length.empty()) {
          parameter(P::reference_length) = measured(MeasureLayout::length);
          parameter(P::inverse_rest_length) = (1.0 + parameter(P::rest_strain)) / measured(MeasureLayout::length);
        }
        const bool given = user > 0 && user < edges;  // clamp joints are always as drawn
        for (int c = 0; c < 4; ++c)
          parameter(P::rest_curvature + c) = given && !d.rest_curvature.empty()
                                                 ? d.rest_curvature[v][std::size_t(c)]
                                                 : measured(MeasureLayout::curvature + c);
        parameter(P::rest_twist) = given && !d.rest_twist.empty() ? d.rest_twist[v] : measured(MeasureLayout::twist);
      }
    }
  });
}

State Strands::start() const { return start_; }
Targets Strands::make_targets() const { return targets_; }

GroupView Strands::view(std::size_t g, const Targets& targets) const {
  const Group& group = groups_[g];
  return {group.vertices,          description_.curvature, group.round,
          group.parameters.data(), group.hold_of.data(),   targets.holds[g].data()};
}

void Strands::drive(const Drive& drive, const State& state, Targets& targets) const {
  const int w = lanes();
  const auto unchanged = [](const std::vector<Pose>& poses, const std::vector<Pose>& before, std::size_t s) {
    if (before.size() != poses.size()) return false;
    const Pose &a = entry(poses, s), &b = entry(before, s);
    return a.rotation.coeffs() == b.rotation.coeffs() && a.translation == b.translation;
  };
  parallel_for(groups_.size(), [&](std::size_t g) {
    const Group& group = groups_[g];
    const Stream &start = start_.current[g], &now = state.current[g];
    Stream& holds = targets.holds[g];
    for (std::size_t lane = 0; lane < std::size_t(w); ++lane) {
      const std::size_t s = group.strands[lane];
      const auto target = [&](int slot, int component) -> double& {
        return holds[at(group.hold_of[std::size_t(slot)], HoldLayout::components, HoldLayout::target + component, w,
                        lane)];
      };
      const auto move_vertex = [&](int slot, const Pose& pose) {
        const Vector3d x = apply(pose, to_eigen(read3(start, slot, StateLayout::position, w, lane)));
        for (int c = 0; c < 3; ++c) target(slot, c) = x[c];
        return x;
      };
      // The clamped edge reaches its pose, and its material frame that of the pose (docs/theory/der.md, Eq. 17).
      const auto move_clamp = [&](int slot, const Pose& pose) {
        const Vector3d a = move_vertex(slot, pose), b = move_vertex(slot + 1, pose);
        const Vec3<double> old_tangent = make_edge(read3(now, slot + 1, StateLayout::position, w, lane) -
                                                   read3(now, slot, StateLayout::position, w, lane))
                                             .tangent;
        const Vec3<double> tangent = make_edge(to_vec3(b) - to_vec3(a)).tangent;
        const Vec3<double> director =
            transport_director(old_tangent, tangent, read3(now, slot, StateLayout::director, w, lane));
        // theta is 0 in the start pose: its director is its material frame.
        const Vector3d wanted = pose.rotation * to_eigen(read3(start, slot, StateLayout::director, w, lane));
        const double angle = angle_of(dot(cross(director, to_vec3(wanted)), tangent), dot(director, to_vec3(wanted)));
        const double theta = now[state_at(slot, StateLayout::theta, w, lane)];
        target(slot, 3) = angle + 2.0 * pi * std::nearbyint((theta - angle) / (2.0 * pi));
      };
      // A clamp that stands still, with the strand where it wants it, has its targets already.
      const auto arrived = [&](int slot) {
        for (const int k : {slot, slot + 1})
          for (int c = 0; c < 3; ++c)
            if (target(k, c) != now[state_at(k, c, w, lane)]) return false;
        return target(slot, 3) == now[state_at(slot, 3, w, lane)];
      };
      const int root = group.real_begin[lane], tip = group.vertices - 2;
      if (clamps(s).root != Clamp::free && !(unchanged(drive.root, targets.root, s) && arrived(root)))
        move_clamp(root, entry(drive.root, s));
      if (clamps(s).tip != Clamp::free && !(unchanged(drive.tip, targets.tip, s) && arrived(tip)))
        move_clamp(tip, entry(drive.tip, s));
      for (const std::size_t h : holds_of(s)) {
        const int slot = group.first[lane] + holds_[h].vertex;
        const Vector3d x = apply(drive.holds.empty() ? Pose{} : drive.holds[h],
                                 to_eigen(read3(start, slot, StateLayout::position, w, lane)));
        for (int c = 0; c < 3; ++c)
          if (holds_[h].components[std::size_t(c)]) target(slot, c) = x[c];
        if (holds_[h].components[3]) target(slot, 3) = drive.hold_angles.empty() ? 0.0 : drive.hold_angles[h];
      }
    }
  });
  targets.root = drive.root, targets.tip = drive.tip;
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
    for (int c = 0; c < 3; ++c) group.loads[at(slot, 4, c, int(w), lane)] += load.force[c];
    // No edge starts at the last vertex: a torque there turns the last edge.
    const int edge = vertex + 1 == vertices(load.strand) ? slot - 1 : slot;
    group.loads[at(edge, 4, 3, int(w), lane)] += load.torque;
  }
  return ok();
}

void Strands::clear_loads() {
  for (Group& group : groups_) group.loads.clear();
}

Status Strands::set_rest(const std::vector<double>& rest_strain,
                         const std::vector<std::array<double, 4>>& rest_curvature,
                         const std::vector<double>& rest_twist) {
  Description changed = description_;
  changed.reference_length = reference_lengths();
  changed.rest_strain = rest_strain, changed.rest_curvature = rest_curvature, changed.rest_twist = rest_twist;
  if (Status status = check(changed); !status) return status;
  for (Group& group : groups_)
    for (std::size_t lane = 0; lane < std::size_t(lanes()); ++lane) {
      const std::size_t s = group.strands[lane];
      for (int i = 0; i + 1 < int(vertices(s)); ++i) {
        const std::size_t v = offset(s) + std::size_t(i);
        const auto parameter = [&](int c) -> double& {
          return group.parameters[at(group.first[lane] + i, P::components, c, lanes(), lane)];
        };
        parameter(P::rest_strain) = rest_strain[v];
        parameter(P::inverse_rest_length) = (1.0 + rest_strain[v]) / parameter(P::reference_length);
        if (i == 0) continue;
        for (int c = 0; c < 4; ++c) parameter(P::rest_curvature + c) = rest_curvature[v][std::size_t(c)];
        parameter(P::rest_twist) = rest_twist[v];
      }
      set_joint_stiffness(group, lane);
    }
  description_ = std::move(changed);
  return ok();
}

std::vector<double> Strands::parameter_of(int component) const {
  std::vector<double> out(vertex_count());
  for (std::size_t s = 0; s < size(); ++s) {
    const Place p = places_[s];
    for (std::size_t i = 0; i < vertices(s); ++i)
      out[offset(s) + i] =
          groups_[p.group].parameters[at(p.first + int(i), P::components, component, lanes(), std::size_t(p.lane))];
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
  std::size_t total = 0;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    total += 8 * (groups_[g].parameters.size() + groups_[g].loads.size() + groups_[g].damping.size() +
                  start_.current[g].size() + targets_.holds[g].size());
  return total;
}

}  // namespace tendril::der
