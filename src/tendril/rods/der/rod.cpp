#include "tendril/rods/der/rod.hpp"

#include <algorithm>
#include <cmath>

#include "tendril/linalg/block_columns.hpp"
#include "tendril/linalg/dual.hpp"
#include "tendril/rods/der/joint.hpp"

namespace tendril::der {
namespace {

using P = ParameterLayout;
const Kernels& plain() { return kernels(Isa::reference); }

// Copies one lane of a stream [slot][component][lane].
Stream lane_of(std::span<const double> stream, int begin, int end, int components, int lanes, int lane) {
  Stream out;
  for (int i = begin * components; i < end * components; ++i)
    out.push_back(stream[std::size_t(i) * std::size_t(lanes) + std::size_t(lane)]);
  return out;
}

StepTerms static_terms(const Rod& rod, const Eigen::Vector3d& gravity, double load_factor, Stream& scaled_loads) {
  StepTerms terms;
  for (int c = 0; c < 3; ++c) terms.gravity[c] = load_factor * gravity[c];
  if (!rod.loads.empty()) {
    scaled_loads = rod.loads;
    for (double& load : scaled_loads) load *= load_factor;
    terms.loads = scaled_loads.data();
  }
  return terms;
}

// The eight unknowns of a joint in edge coordinates, in the order (e, theta_e, f, theta_f), reach eleven of q:
// x_{i-1} 0-2, theta_e 3, x_i 4-6, theta_f 7, x_{i+1} 8-10.
struct Reach {
  int unknown;
  double sign;
};
constexpr int reaches = 2;
Reach reach(int edge_unknown, int which) {
  if (edge_unknown < 3) return which == 0 ? Reach{edge_unknown, -1.0} : Reach{edge_unknown + 4, 1.0};
  if (edge_unknown == 3) return which == 0 ? Reach{3, 1.0} : Reach{3, 0.0};
  if (edge_unknown < 7) return which == 0 ? Reach{edge_unknown, -1.0} : Reach{edge_unknown + 4, 1.0};
  return which == 0 ? Reach{7, 1.0} : Reach{7, 0.0};
}

using D = Dual<8>;

// Gradient of joint i at a pose displaced by the eight dual unknowns: frames are transported from where they are.
JointGradient<D> displaced_gradient(const Rod& rod, int i) {
  const auto read = [&](int slot, int component) {
    return rod.state[std::size_t(slot * StateLayout::components + component)];
  };
  const auto constant = [](double v) { return D{v, {}}; };
  const auto vector = [&](int slot, int component) {
    return Vec3<D>{constant(read(slot, component)), constant(read(slot, component + 1)),
                   constant(read(slot, component + 2))};
  };
  struct Side {
    Edge<D> edge;
    Vec3<D> director;
    D theta;
  };
  const auto side = [&](int slot, int first_unknown) {
    Vec3<D> still = vector(slot + 1, StateLayout::position) - vector(slot, StateLayout::position);
    Vec3<D> moved = still;
    moved.x.partial[first_unknown] = moved.y.partial[first_unknown + 1] = moved.z.partial[first_unknown + 2] = 1.0;
    D theta = constant(read(slot, StateLayout::theta));
    theta.partial[first_unknown + 3] = 1.0;
    const Edge<D> edge = make_edge(moved);
    return Side{edge, transport_director(make_edge(still).tangent, edge.tangent, vector(slot, StateLayout::director)),
                theta};
  };
  const Side e = side(i - 1, 0), f = side(i, 4);
  const D reference = reference_twist(e.edge.tangent, e.director, f.edge.tangent, f.director,
                                      constant(read(i, StateLayout::reference_twist)));
  JointMaterial<D> material{constant(rod.parameter(i, P::bend1)),
                            constant(rod.parameter(i, P::bend2)),
                            constant(rod.parameter(i, P::twist)),
                            {},
                            constant(rod.parameter(i, P::rest_twist))};
  for (int c = 0; c < 4; ++c) material.curvature[c] = constant(rod.parameter(i, P::rest_curvature + c));
  return joint_gradient(rod.curvature, material, e.edge, f.edge, material_frame(e.edge.tangent, e.director, e.theta),
                        material_frame(f.edge.tangent, f.director, f.theta), f.theta - e.theta + reference);
}

void add_joint(const Rod& rod, int i, Band<double>& hessian) {
  const JointGradient<D> g = displaced_gradient(rod, i);
  const D rows[8] = {g.e.x, g.e.y, g.e.z, g.theta_e, g.f.x, g.f.y, g.f.z, g.theta_f};
  const auto base = std::size_t(4 * (i - 1));
  for (int a = 0; a < 8; ++a)
    for (int b = 0; b < 8; ++b) {
      const double second = 0.5 * (rows[a].partial[b] + rows[b].partial[a]);
      for (int u = 0; u < reaches; ++u)
        for (int v = 0; v < reaches; ++v) {
          const Reach row = reach(a, u), column = reach(b, v);
          if (row.unknown >= column.unknown)
            hessian.at(base + std::size_t(row.unknown), base + std::size_t(column.unknown)) +=
                row.sign * column.sign * second;
        }
    }
}

// On the two ends of edge k, from the second derivatives by the edge's vector.
void add_edge_block(int k, const Eigen::Matrix3d& block, Band<double>& hessian) {
  const auto base = std::size_t(4 * k);
  for (std::size_t r = 0; r < 3; ++r)
    for (std::size_t c = 0; c < 3; ++c) {
      const double value = block(Eigen::Index(r), Eigen::Index(c));
      if (r >= c) hessian.at(base + r, base + c) += value, hessian.at(base + 4 + r, base + 4 + c) += value;
      hessian.at(base + 4 + r, base + c) -= value;
    }
}

void add_stretch(const Rod& rod, int k, double tension, Band<double>& hessian) {
  const PreciseEdge edge = precise_edge(rod, k);
  const Eigen::Vector3d& t = edge.tangent;
  const double along = rod.parameter(k, P::stretch) * rod.parameter(k, P::inverse_rest_length),
               across = tension / edge.length;
  const Eigen::Matrix3d block = across * Eigen::Matrix3d::Identity() + (along - across) * t * t.transpose();
  add_edge_block(k, block, hessian);
}

// The forces of a long strand's joints are sums of terms that exceed its weight by the square of the number of
// vertices, and nearly cancel: they are summed, and the edges measured, with the 64 bits of the x87 unit
// (docs/theory/der.md, "Precision"). Directors and angles need no more than a double: their errors are multiplied by
// small bends.
Edge<Extended> extended_edge(const Rod& rod, int k) {
  Extended e[3];
  for (int c = 0; c < 3; ++c) {
    const auto at = [&](int slot) { return Extended(rod.state[std::size_t(slot * StateLayout::components + c)]); };
    const auto low = [&](int slot) { return Extended(rod.low[std::size_t(3 * slot + c)]); };
    e[c] = at(k + 1) - at(k);  // first: the remainders are lost in a position, but not in an edge
    if (!rod.low.empty()) e[c] += low(k + 1) - low(k);
  }
  return make_edge(Vec3<Extended>{e[0], e[1], e[2]});
}

Frame<Extended> extended_frame(const Rod& rod, int k, const Edge<Extended>& edge) {
  const double* at = &rod.state[std::size_t(k * StateLayout::components)];
  const double* director = at + StateLayout::director;
  const Frame<double> frame =
      material_frame(Vec3<double>{double(edge.tangent.x), double(edge.tangent.y), double(edge.tangent.z)},
                     Vec3<double>{director[0], director[1], director[2]}, at[StateLayout::theta]);
  return {{frame.m1.x, frame.m1.y, frame.m1.z}, {frame.m2.x, frame.m2.y, frame.m2.z}};
}

JointMaterial<Extended> extended_material(const Rod& rod, int k) {
  constexpr int r = P::rest_curvature;
  return {rod.parameter(k, P::bend1),
          rod.parameter(k, P::bend2),
          rod.parameter(k, P::twist),
          {rod.parameter(k, r), rod.parameter(k, r + 1), rod.parameter(k, r + 2), rod.parameter(k, r + 3)},
          rod.parameter(k, P::rest_twist)};
}

Extended extended_twist(const Rod& rod, int k) {
  const auto read = [&](int slot, int component) {
    return Extended(rod.state[std::size_t(slot * StateLayout::components + component)]);
  };
  return read(k, StateLayout::theta) - read(k - 1, StateLayout::theta) + read(k, StateLayout::reference_twist);
}

double tension_of(const Rod& rod, int k, std::span<const double> given) {
  return given.empty() ? rod.parameter(k, P::stretch) * precise_edge(rod, k).strain : given[std::size_t(k)];
}

// m d g of the connector on edge k: gravity times how far its mass lies beyond the end; signed by the end.
Eigen::Vector3d connector_moment(const Rod& rod, int k, const Eigen::Vector3d& gravity) {
  if (rod.connectors.empty()) return Eigen::Vector3d::Zero();
  const double lever = rod.connectors[std::size_t(k * ConnectorLayout::components + ConnectorLayout::lever)];
  return lever * rod.parameter(k, P::reference_length) * gravity;
}

}  // namespace

Eigen::Vector3d connector_weight(const Rod& rod, int k, const Eigen::Vector3d& gravity) {
  const Eigen::Vector3d moment = connector_moment(rod, k, gravity);
  if (moment.isZero(0.0)) return moment;
  const PreciseEdge edge = precise_edge(rod, k);
  return (moment - moment.dot(edge.tangent) * edge.tangent) / edge.length;
}

bool Rod::is_free(std::size_t unknown) const {
  if (unknown + 1 == unknowns()) return false;  // the dummy angle of the last vertex
  const int hold = hold_of[unknown / 4];
  return hold < 0 || holds[std::size_t(hold) * HoldLayout::components + unknown % 4] > 0.5;
}

Eigen::Vector3d Rod::position(int vertex) const {
  return Eigen::Map<const Eigen::Vector3d>(&state[std::size_t(vertex * StateLayout::components)]);
}

Rod extract(const Strands& strands, const Targets& targets, const State& state, std::size_t strand) {
  const Strands::Place place = strands.place(strand);
  const Strands::Group& group = strands.groups()[place.group];
  const int begin = group.real_begin[std::size_t(place.lane)], end = group.vertices, w = strands.lanes();
  Rod rod;
  rod.vertices = end - begin;
  rod.first = place.first - begin;
  rod.user_vertices = int(strands.vertices(strand));
  rod.curvature = strands.description().curvature;
  rod.round = group.round;
  rod.damping = group.damping[std::size_t(place.lane)];
  rod.state = lane_of(state.current[place.group], begin, end, StateLayout::components, w, place.lane);
  rod.parameters = lane_of(strands.parameters(place.group), begin, end, P::components, w, place.lane);
  if (!state.low.empty()) rod.low = lane_of(state.low[place.group], begin, end, 3, w, place.lane);
  if (!group.loads.empty()) rod.loads = lane_of(group.loads, begin, end, 4, w, place.lane);
  if (!group.connectors.empty())
    rod.connectors = lane_of(group.connectors, begin, end, ConnectorLayout::components, w, place.lane);
  for (int k = begin; k < end; ++k) {
    const int hold = group.hold_of[std::size_t(k)];
    rod.hold_of.push_back(hold < 0 ? -1 : int(rod.holds.size()) / HoldLayout::components);
    if (hold < 0) continue;
    const Stream slot = lane_of(targets.holds[place.group], hold, hold + 1, HoldLayout::components, w, place.lane);
    rod.holds.insert(rod.holds.end(), slot.begin(), slot.end());
  }
  return rod;
}

void insert(const Rod& rod, const Strands& strands, std::size_t strand, State& state) {
  const Strands::Place place = strands.place(strand);
  const Strands::Group& group = strands.groups()[place.group];
  const int w = strands.lanes();
  for (std::size_t lane = 0; lane < group.strands.size(); ++lane) {
    if (group.strands[lane] != strand) continue;
    const auto begin = std::size_t(group.real_begin[lane] * StateLayout::components);
    for (std::size_t i = 0; i < rod.state.size(); ++i)
      state.current[place.group][(begin + i) * std::size_t(w) + lane] = rod.state[i];
    if (rod.low.empty()) continue;
    if (state.low.empty())
      for (std::size_t g = 0; g < state.current.size(); ++g)
        state.low.append(state.current[g].size() / StateLayout::components * 3, 0.0);
    const std::span<double> low = state.low[place.group];
    for (std::size_t i = 0; i < rod.low.size(); ++i)
      low[(std::size_t(group.real_begin[lane] * 3) + i) * std::size_t(w) + lane] = rod.low[i];
  }
  state.previous_dt = 0.0;
}

PreciseEdge precise_edge(const Rod& rod, int edge) {
  // |e|^2 - l_0^2 in twice the precision, so that (l - l_0) = that / (l + l_0) keeps its digits however small it is.
  const double l0 = rod.parameter(edge, P::reference_length);
  double high = -l0 * l0, low = -std::fma(l0, l0, high);
  Eigen::Vector3d vector;
  const auto add = [&](double term) {
    const double sum = high + term, part = sum - high;
    low += (high - (sum - part)) + (term - part);
    high = sum;
  };
  for (int c = 0; c < 3; ++c) {
    const double b = rod.state[std::size_t((edge + 1) * StateLayout::components + c)];
    const double a = rod.state[std::size_t(edge * StateLayout::components + c)];
    double d = b - a;
    const double part = d - b;
    double rest = (b - (d - part)) - (a + part);
    if (!rod.low.empty()) rest += rod.low[std::size_t(3 * (edge + 1) + c)] - rod.low[std::size_t(3 * edge + c)];
    vector[c] = d + rest;
    const double square = d * d;
    add(square);
    low += std::fma(d, d, -square) + 2.0 * d * rest + rest * rest;
  }
  const double length = vector.norm();
  const double excess = (high + low) / (length + l0);
  return {vector / length, length,
          excess * rod.parameter(edge, P::inverse_rest_length) + rod.parameter(edge, P::rest_strain)};
}

Eigen::VectorXd net_force(const Rod& rod, const Eigen::Vector3d& gravity, double load_factor) {
  Eigen::Matrix<Extended, Eigen::Dynamic, 1> force =
      Eigen::Matrix<Extended, Eigen::Dynamic, 1>::Zero(Eigen::Index(rod.unknowns()));
  for (int k = 0; k < rod.vertices; ++k) {
    for (int c = 0; c < 3; ++c) force[4 * k + c] = load_factor * rod.parameter(k, P::mass) * gravity[c];
    for (int c = 0; c < 4 && !rod.loads.empty(); ++c)
      force[4 * k + c] += load_factor * rod.loads[std::size_t(4 * k + c)];
  }
  const auto add = [&](int k, const Vec3<Extended>& f) {
    force[4 * k] += f.x, force[4 * k + 1] += f.y, force[4 * k + 2] += f.z;
  };
  Edge<Extended> edge_behind{};
  Frame<Extended> frame_behind{};
  for (int k = 0; k + 1 < rod.vertices; ++k) {
    const Edge<Extended> edge = extended_edge(rod, k);
    const Vec3<Extended> tension = Extended(rod.parameter(k, P::stretch) * precise_edge(rod, k).strain) * edge.tangent;
    add(k, tension), add(k + 1, -tension);
    if (const Eigen::Vector3d weight = load_factor * connector_weight(rod, k, gravity); !weight.isZero(0.0)) {
      const Vec3<Extended> w{weight.x(), weight.y(), weight.z()};
      add(k, -w), add(k + 1, w);
    }
    const Frame<Extended> frame = extended_frame(rod, k, edge);
    if (k > 0) {
      const JointGradient<Extended> g = joint_gradient(rod.curvature, extended_material(rod, k), edge_behind, edge,
                                                       frame_behind, frame, extended_twist(rod, k));
      add(k - 1, g.e), add(k, g.f - g.e), add(k + 1, -g.f);
      force[4 * k - 1] -= g.theta_e, force[4 * k + 3] -= g.theta_f;
    }
    edge_behind = edge, frame_behind = frame;
  }
  return force.cast<double>();
}

Energies energies(const Rod& rod, const Eigen::Vector3d& gravity, double load_factor) {
  Stream loads;
  const StepTerms terms = static_terms(rod, gravity, load_factor, loads);
  double rows[EnergyReport::rows];
  plain().energy(rod.view(), terms, rod.state.data(), nullptr, rows);
  return {rows[EnergyReport::stretch], rows[EnergyReport::bend], rows[EnergyReport::twist], rows[EnergyReport::inertia],
          rows[EnergyReport::external]};
}

Band<double> step_hessian(const Rod& rod, double dt) {
  using B = BlockColumns;
  Stream slots(std::size_t(rod.vertices) * SlotLayout::components);
  StepTerms terms;
  terms.inverse_step = dt > 0.0 ? 1.0 / dt : 0.0;
  const double stiffening = dt > 0.0 ? 1.0 + rod.damping / dt : 1.0;
  terms.stiffening = &stiffening;
  plain().assemble(rod.view(), terms, rod.state.data(), slots.data());
  Band<double> band(rod.unknowns(), half_bandwidth);
  for (std::size_t k = 0; k < std::size_t(rod.vertices); ++k)
    for (int c = 0; c < 4; ++c)
      for (int r = c; r < B::rows && 4 * k + std::size_t(r) < band.size; ++r)
        band.at(4 * k + std::size_t(r), 4 * k + std::size_t(c)) =
            slots[k * SlotLayout::components + std::size_t(B::at(r, c))];
  return band;
}

Band<double> exact_hessian(const Rod& rod, std::span<const double> tension) {
  Band<double> hessian(rod.unknowns(), half_bandwidth);
  for (int k = 0; k + 1 < rod.vertices; ++k) add_stretch(rod, k, tension_of(rod, k, tension), hessian);
  for (int i = 1; i + 1 < rod.vertices; ++i) add_joint(rod, i, hessian);
  return hessian;
}

Band<double> positive_hessian(const Rod& rod, std::span<const double> tension) {
  Rod limp = rod;
  for (int k = 0; k < rod.vertices; ++k) limp.parameters[std::size_t(k * P::components + P::stretch)] = 0.0;
  Band<double> hessian = step_hessian(limp, 0.0);
  for (int k = 0; k + 1 < rod.vertices; ++k) add_stretch(rod, k, std::max(0.0, tension_of(rod, k, tension)), hessian);
  return hessian;
}

double connector_potential(const Rod& rod, const Eigen::Vector3d& gravity) {
  double sum = 0.0;
  for (int k = 0; k + 1 < rod.vertices && !rod.connectors.empty(); ++k)
    sum -= connector_moment(rod, k, gravity).dot(precise_edge(rod, k).tangent);
  return sum;
}

// Of -c.t with t = e/l: [(c.t) (I - 3 t t^T) + c t^T + t c^T] / l^2; for c along t that is (c.t) (I - t t^T) / l^2.
void add_connector_weight(const Rod& rod, const Eigen::Vector3d& gravity, bool positive, Band<double>& hessian) {
  for (int k = 0; k + 1 < rod.vertices && !rod.connectors.empty(); ++k) {
    const Eigen::Vector3d c = connector_moment(rod, k, gravity);
    if (c.isZero(0.0)) continue;
    const PreciseEdge edge = precise_edge(rod, k);
    const Eigen::Vector3d& t = edge.tangent;
    const double along = c.dot(t);
    Eigen::Matrix3d block = along * (Eigen::Matrix3d::Identity() - 3.0 * t * t.transpose());
    block += c * t.transpose() + t * c.transpose();
    if (positive) block = std::max(along, 0.0) * (Eigen::Matrix3d::Identity() - t * t.transpose());
    add_edge_block(k, block / (edge.length * edge.length), hessian);
  }
}

void take_out_held(const Rod& rod, Band<double>& hessian) {
  for (std::size_t column = 0; column < hessian.size; ++column)
    for (std::size_t row = column; row < std::min(hessian.size, column + hessian.width + 1); ++row)
      if (!rod.is_free(row) || !rod.is_free(column)) hessian.at(row, column) = row == column ? 1.0 : 0.0;
}

}  // namespace tendril::der
