#include "tendril/sagfree/strand_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "tendril/rods/der/joint.hpp"
#include "tendril/sagfree/determinate.hpp"
#include "tendril/sagfree/mean_modulus.hpp"

namespace tendril::sagfree {
namespace {

using Eigen::Vector3d;
using Eigen::VectorXd;
using P = der::ParameterLayout;
using L = der::StateLayout;

constexpr Variable full[] = {Variable::curvature0, Variable::curvature1,  Variable::bend,   Variable::rest_twist,
                             Variable::twist,      Variable::rest_length, Variable::stretch};
constexpr Variable full4[] = {Variable::curvature0, Variable::curvature1,  Variable::curvature2,
                              Variable::curvature3, Variable::bend,        Variable::rest_twist,
                              Variable::twist,      Variable::rest_length, Variable::stretch};
constexpr Variable rest_shape[] = {Variable::curvature0, Variable::curvature1, Variable::rest_twist,
                                   Variable::rest_length};
constexpr Variable rest_shape4[] = {Variable::curvature0, Variable::curvature1, Variable::curvature2,
                                    Variable::curvature3, Variable::rest_twist, Variable::rest_length};

const double* at(const der::Rod& rod, std::size_t slot, int component) {
  return &rod.state[slot * L::components + std::size_t(component)];
}

tendril::Edge<double> kernel_edge(const der::Rod& rod, std::size_t slot) {
  const double *a = at(rod, slot, L::position), *b = at(rod, slot + 1, L::position);
  return make_edge(Vec3<double>{b[0] - a[0], b[1] - a[1], b[2] - a[2]});
}

Frame<double> kernel_frame(const der::Rod& rod, std::size_t slot, const tendril::Edge<double>& edge) {
  const double* d = at(rod, slot, L::director);
  return material_frame(edge.tangent, Vec3<double>{d[0], d[1], d[2]}, *at(rod, slot, L::theta));
}

// By the eleven unknowns x_{i-1}, theta_e, x_i, theta_f, x_{i+1}.
std::array<double, 11> slope_of(const der::JointGradient<double>& g) {
  return {-g.e.x,        -g.e.y,    -g.e.z, g.theta_e, g.e.x - g.f.x, g.e.y - g.f.y,
          g.e.z - g.f.z, g.theta_f, g.f.x,  g.f.y,     g.f.z};
}

template <std::size_t N>
void add(double factor, const std::array<double, N>& from, std::array<double, N>& to) {
  for (std::size_t i = 0; i < N; ++i) to[i] += factor * from[i];
}

bool is_curvature(Variable variable) { return variable <= Variable::curvature3; }

}  // namespace

std::span<const Variable> variables_of(Freedom freedom) {
  switch (freedom) {
    case Freedom::full: return full;
    case Freedom::full4: return full4;
    case Freedom::rest_shape: return rest_shape;
    case Freedom::rest_shape4: return rest_shape4;
  }
  return {};
}

double ForceColumn::dot(const VectorXd& y) const {
  double sum = 0.0;
  for (std::size_t i = 0; i < count; ++i) sum += values[i] * y[Eigen::Index(first + i)];
  return sum;
}

StrandProblem::StrandProblem(const der::Strands& strands, const der::Targets& targets, const der::State& state,
                             std::size_t strand, const Vector3d& gravity, Freedom freedom, Dependent dependent)
    : strand_(strand), dependent_(dependent), mean_(sagfree::mean_modulus(strands.description(), strand)) {
  const std::span<const Variable> variables = variables_of(freedom);
  variables_.assign(variables.begin(), variables.end());
  const der::Rod rod = der::extract(strands, targets, state, strand);
  first_ = std::size_t(rod.first), last_ = first_ + std::size_t(rod.user_vertices) - 1;
  components_ = rod.curvature == der::Curvature::four ? 4 : 2;
  const auto slots = std::size_t(rod.vertices);
  for (std::size_t k = 0; k + 1 < slots; ++k) edges_.push_back(make_edge_data(strands, rod, k));
  for (std::size_t u = 0; u < rod.unknowns(); ++u) is_free_.push_back(rod.is_free(u));
  joint_of_.assign(slots, -1);
  for (std::size_t k = 0; k + 1 < slots; ++k) {
    const bool bends = k > 0 && rod.parameter(int(k), P::bend1) > 0.0;
    if (!bends && (edges_[k].area == 0.0 || is_held_edge(k))) continue;
    joint_of_[k] = std::ptrdiff_t(joints_.size());
    joints_.push_back(bends ? make_joint_data(strands, rod, k) : Joint{k, false});
  }
  is_determinate_ = is_determinate(strands, strand);
  set_initial();
  set_external(rod, gravity);
}

StrandProblem::Edge StrandProblem::make_edge_data(const der::Strands& strands, const der::Rod& rod,
                                                  std::size_t slot) const {
  const tendril::Edge<double> edge = kernel_edge(rod, slot);
  Edge data;
  data.tangent = {edge.tangent.x, edge.tangent.y, edge.tangent.z};
  data.length = edge.length;
  data.rest_length = 1.0 / rod.parameter(int(slot), P::inverse_rest_length);
  data.reference_length = rod.parameter(int(slot), P::reference_length);
  if (slot < first_ || slot + 1 >= first_ + std::size_t(rod.user_vertices)) return data;  // of a clamp's ghost
  const der::Description& d = strands.description();
  const std::size_t e = strands.offset(strand_) + slot - first_;
  const double a = d.semi_axis1[e], b = d.semi_axis2[e];
  data.area = std::numbers::pi * a * b;
  data.second = {0.25 * data.area * a * a, 0.25 * data.area * b * b,
                 data.area * a * b * (2.0 * a * b) / (a * a + b * b)};
  data.stretch = d.stretch_modulus[e] / mean_;
  return data;
}

StrandProblem::Joint StrandProblem::make_joint_data(const der::Strands& strands, const der::Rod& rod,
                                                    std::size_t slot) const {
  const tendril::Edge<double> e = kernel_edge(rod, slot - 1), f = kernel_edge(rod, slot);
  const der::JointGeometry<double> geometry = der::joint_geometry(e, f);
  Joint joint;
  joint.slot = slot, joint.bends = true;
  joint.twist = *at(rod, slot, L::theta) - *at(rod, slot - 1, L::theta) + *at(rod, slot, L::reference_twist);
  const der::Strain<double> twisting = der::twist_strain(e, f, geometry, joint.twist);
  const der::Curvature4<double> bending = der::curvature_strains(
      rod.curvature, e, f, geometry, kernel_frame(rod, slot - 1, e), kernel_frame(rod, slot, f), twisting);
  for (std::size_t c = 0; c < 4; ++c) {
    joint.curvature[c] = bending.component[c].value;
    joint.slopes[c] = slope_of(bending.component[c].gradient);
    joint.rest_curvature[c] = rod.parameter(int(slot), P::rest_curvature + int(c));
  }
  joint.twist_slope = slope_of(twisting.gradient);
  joint.rest_twist = rod.parameter(int(slot), P::rest_twist);
  const std::size_t v = strands.offset(strand_) + slot - first_;
  joint.bend = strands.description().bend_modulus[v] / mean_;
  joint.torsion = strands.description().twist_modulus[v] / mean_;
  const bool turned = dependent_ == Dependent::turned;
  const double cosine = turned ? std::cos(joint.twist) : 1.0, sine = turned ? std::sin(joint.twist) : 0.0;
  joint.dependent = {cosine, sine, -sine, cosine};
  return joint;
}

void StrandProblem::set_initial() {
  initial_.resize(Eigen::Index(size()));
  for (std::size_t i = 0; i < size(); ++i) {
    const Joint& joint = joints_[i / variables_.size()];
    const Variable v = variable(i);
    double value = 0.0;
    if (is_curvature(v)) value = joint.rest_curvature[std::size_t(v)];
    if (v == Variable::bend) value = joint.bend;
    if (v == Variable::rest_twist) value = joint.rest_twist;
    if (v == Variable::twist) value = joint.torsion;
    if (v == Variable::rest_length) value = edges_[joint.slot].rest_length;
    if (v == Variable::stretch) value = edges_[joint.slot].stretch;
    initial_[Eigen::Index(i)] = value;
  }
}

void StrandProblem::set_external(const der::Rod& rod, const Vector3d& gravity) {
  const auto n = Eigen::Index(rod.unknowns());
  external_ = VectorXd::Zero(n), inverse_mass_ = VectorXd::Zero(n);
  for (Eigen::Index u = 0; u < n; ++u) {
    if (!is_free_[std::size_t(u)]) continue;
    const int vertex = int(u / 4), c = int(u % 4);
    const double mass = rod.parameter(vertex, c < 3 ? P::mass : P::inertia);
    inverse_mass_[u] = 1.0 / mass;
    external_[u] = (c < 3 ? mass * gravity[c] : 0.0) + (rod.loads.empty() ? 0.0 : rod.loads[std::size_t(u)]);
  }
  for (int k = 0; k + 1 < rod.vertices; ++k) {
    const Vector3d weight = connector_weight(rod, k, gravity);
    external_.segment<3>(4 * k) -= weight, external_.segment<3>(4 * k + 4) += weight;
  }
  for (Eigen::Index u = 0; u < n; ++u)
    if (!is_free_[std::size_t(u)]) external_[u] = 0.0;
  load_ = 0.0;
  for (Eigen::Index u = 0; u < n; u += 4) load_ += external_.segment<3>(u).norm();
}

double StrandProblem::drawn_value(std::size_t index) const {
  const Joint& joint = joints_[index / variables_.size()];
  const Variable v = variable(index);
  if (is_curvature(v)) return joint.curvature[std::size_t(v)];
  return v == Variable::rest_twist ? joint.twist : edges_[joint.slot].length;
}

double StrandProblem::drawn_length(std::size_t index) const {
  return edges_[joints_[index / variables_.size()].slot].length;
}

double StrandProblem::largest_strain(std::size_t index) const {
  if (is_determinate_) return std::numeric_limits<double>::infinity();
  const Edge& edge = edges_[joints_[index / variables_.size()].slot];
  const double stiffness = mean_ * edge.stretch * edge.area;
  return stiffness > 0.0 ? 1e-3 + 10.0 * load_ / stiffness : 1e-3;
}

double StrandProblem::unit(std::size_t index) const {
  constexpr double taut = 1e-3;
  const bool is_free_to_pull = variable(index) == Variable::rest_length && !is_determinate_;
  return is_free_to_pull ? taut * drawn_length(index) : 1.0;
}

bool StrandProblem::is_held_vertex(std::size_t slot) const {
  return !is_free_[4 * slot] && !is_free_[4 * slot + 1] && !is_free_[4 * slot + 2];
}

bool StrandProblem::is_strung() const { return is_held_vertex(first_) && is_held_vertex(last_); }

bool StrandProblem::is_held_edge(std::size_t slot) const { return is_held_vertex(slot) && is_held_vertex(slot + 1); }

bool StrandProblem::is_fixed(std::size_t index) const {
  const Joint& joint = joints_[index / variables_.size()];
  const bool is_of_edge = variable(index) == Variable::rest_length || variable(index) == Variable::stretch;
  return is_of_edge ? edges_[joint.slot].area == 0.0 || is_held_edge(joint.slot) : !joint.bends;
}

// The parameter itself if it may change, else its initial value.
double StrandProblem::value(const VectorXd& p, std::size_t joint, Variable wanted, double fallback) const {
  const auto found = std::ranges::find(variables_, wanted);
  if (found == variables_.end()) return fallback;
  return p[Eigen::Index(joint * variables_.size() + std::size_t(found - variables_.begin()))];
}

double StrandProblem::rest_length(const VectorXd& p, std::size_t slot) const {
  const double fallback = edges_[slot].rest_length;
  return joint_of_[slot] < 0 ? fallback : value(p, std::size_t(joint_of_[slot]), Variable::rest_length, fallback);
}

// l_0 / l - 1, without loss where both are nearly equal.
double StrandProblem::rest_strain(const VectorXd& p, std::size_t slot) const {
  const double rest = rest_length(p, slot);
  return (edges_[slot].reference_length - rest) / rest;
}

double StrandProblem::stretch(const VectorXd& p, std::size_t slot) const {
  const double fallback = edges_[slot].stretch;
  return joint_of_[slot] < 0 ? fallback : value(p, std::size_t(joint_of_[slot]), Variable::stretch, fallback);
}

StrandProblem::Strained StrandProblem::strained(const VectorXd& p, std::size_t j) const {
  const Joint& joint = joints_[j];
  Strained s;
  if (!joint.bends) return s;
  for (const std::size_t slot : {joint.slot - 1, joint.slot})
    for (std::size_t kind = 0; kind < 3; ++kind)
      if (edges_[slot].second[kind] > 0.0) s.compliance[kind] += rest_length(p, slot) / edges_[slot].second[kind];
  const double double_count = components_ == 2 ? 2.0 : 1.0;
  std::array<double, 4> rest{};
  for (std::size_t c = 0; c < 2; ++c) rest[c] = value(p, j, Variable(c), joint.rest_curvature[c]);
  const bool dependent = std::ranges::find(variables_, Variable::curvature2) == variables_.end();
  for (std::size_t c = 2; c < 4; ++c)
    rest[c] = dependent ? joint.dependent[2 * (c - 2)] * rest[0] + joint.dependent[2 * (c - 2) + 1] * rest[1]
                        : value(p, j, Variable(c), joint.rest_curvature[c]);
  for (std::size_t c = 0; c < std::size_t(components_); ++c) {
    s.stiffness_per_bend[c] = double_count * mean_ / s.compliance[c % 2];
    s.strain[c] = joint.curvature[c] - rest[c];
  }
  s.bend = value(p, j, Variable::bend, joint.bend);
  s.torsion_per_twist = mean_ / s.compliance[2];
  s.torsion = s.torsion_per_twist * value(p, j, Variable::twist, joint.torsion);
  s.wound = joint.twist - value(p, j, Variable::rest_twist, joint.rest_twist);
  return s;
}

// Sum of stress times gradient over the components of curvature.
StrandProblem::Slope StrandProblem::bending_slope(const Joint& joint, const Strained& s, bool per_bend) const {
  Slope sum{};
  for (std::size_t c = 0; c < std::size_t(components_); ++c)
    add((per_bend ? 1.0 : s.bend) * s.stiffness_per_bend[c] * s.strain[c], joint.slopes[c], sum);
  return sum;
}

// What a longer rest length of an edge beside the joint takes off its stiffness.
StrandProblem::Slope StrandProblem::softening_slope(const Joint& joint, const Strained& s, std::size_t edge) const {
  Slope sum{};
  const Edge& e = edges_[edge];
  if (e.second[0] == 0.0) return sum;
  for (std::size_t c = 0; c < std::size_t(components_); ++c)
    add(s.bend * s.stiffness_per_bend[c] * s.strain[c] / (e.second[c % 2] * s.compliance[c % 2]), joint.slopes[c], sum);
  add(s.torsion * s.wound / (e.second[2] * s.compliance[2]), joint.twist_slope, sum);
  return sum;
}

void StrandProblem::force(const VectorXd& p, VectorXd& f) const {
  f = external_;
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    if (!joint.bends) continue;
    const Strained s = strained(p, j);
    Slope slope = bending_slope(joint, s, false);
    add(s.torsion * s.wound, joint.twist_slope, slope);
    const std::size_t base = 4 * (joint.slot - 1);
    for (std::size_t i = 0; i < slope.size(); ++i) f[Eigen::Index(base + i)] -= slope[i];
  }
  for (std::size_t k = 0; k < edges_.size(); ++k) {
    const double rest = rest_length(p, k);
    const double tension = mean_ * stretch(p, k) * edges_[k].area * (edges_[k].length - rest) / rest;
    const auto base = Eigen::Index(4 * k);
    f.segment<3>(base) += tension * edges_[k].tangent, f.segment<3>(base + 4) -= tension * edges_[k].tangent;
  }
  for (Eigen::Index u = 0; u < f.size(); ++u)
    if (!is_free_[std::size_t(u)]) f[u] = 0.0;
}

ForceColumn StrandProblem::length_column(const VectorXd& p, std::size_t j) const {
  const std::size_t slot = joints_[j].slot;
  const Edge& edge = edges_[slot];
  const std::size_t before = joints_[j].bends ? 4 : 0;  // unknowns of the vertex that the joint reaches back to
  ForceColumn out{4 * slot - before, 11 + before, {}};
  const double rest = rest_length(p, slot);
  const double pull = mean_ * stretch(p, slot) * edge.area * edge.length / (rest * rest);
  for (std::size_t c = 0; c < 3; ++c) {
    out.values[before + c] -= pull * edge.tangent[Eigen::Index(c)];
    out.values[before + 4 + c] += pull * edge.tangent[Eigen::Index(c)];
  }
  const auto add_joint = [&](std::size_t joint, std::size_t shift) {
    const Slope slope = softening_slope(joints_[joint], strained(p, joint), slot);
    for (std::size_t i = 0; i < slope.size(); ++i) out.values[shift + i] += slope[i];
  };
  if (joints_[j].bends) add_joint(j, 0);
  if (j + 1 < joints_.size() && joints_[j + 1].slot == slot + 1 && joints_[j + 1].bends) add_joint(j + 1, before);
  return out;
}

ForceColumn StrandProblem::column(const VectorXd& p, std::size_t j, Variable v) const {
  if (v == Variable::rest_length) return length_column(p, j);
  const Joint& joint = joints_[j];
  const Strained s = strained(p, j);
  if (!joint.bends) return stretch_column(p, joint.slot, v, 0);
  if (v == Variable::stretch) return stretch_column(p, joint.slot, v, 4);
  ForceColumn out{4 * (joint.slot - 1), 11, {}};
  Slope slope{};
  if (is_curvature(v)) {
    const auto c = std::size_t(v);
    add(s.bend * s.stiffness_per_bend[c], joint.slopes[c], slope);
    const bool dependent = std::ranges::find(variables_, Variable::curvature2) == variables_.end();
    for (std::size_t d = 2; dependent && d < std::size_t(components_); ++d)
      add(s.bend * s.stiffness_per_bend[d] * joint.dependent[2 * (d - 2) + c], joint.slopes[d], slope);
  }
  if (v == Variable::bend) add(-1.0, bending_slope(joint, s, true), slope);
  if (v == Variable::rest_twist) add(s.torsion, joint.twist_slope, slope);
  if (v == Variable::twist) add(-s.torsion_per_twist * s.wound, joint.twist_slope, slope);
  std::ranges::copy(slope, out.values.begin());
  return out;
}

// By the stretching stiffness of an edge; nothing for other parameters of an edge without joint.
ForceColumn StrandProblem::stretch_column(const VectorXd& p, std::size_t slot, Variable v, std::size_t before) const {
  ForceColumn out{4 * slot - before, 7 + before, {}};
  if (v != Variable::stretch) return out;
  const Edge& edge = edges_[slot];
  const double rest = rest_length(p, slot);
  for (std::size_t c = 0; c < 3; ++c) {
    const double pull = mean_ * edge.area * (edge.length - rest) / rest * edge.tangent[Eigen::Index(c)];
    out.values[before + c] += pull, out.values[before + 4 + c] -= pull;
  }
  return out;
}

void StrandProblem::jacobian(const VectorXd& p, std::vector<ForceColumn>& columns) const {
  columns.resize(size());
  for (std::size_t i = 0; i < size(); ++i) {
    ForceColumn& c = columns[i];
    c = column(p, i / variables_.size(), variable(i));
    c.count = std::min(c.count, is_free_.size() - c.first);
    for (std::size_t r = 0; r < c.count; ++r)
      if (!is_free_[c.first + r]) c.values[r] = 0.0;
  }
}

void StrandProblem::add_gauss_newton(const std::vector<ForceColumn>& columns, double weight,
                                     Band<double>& hessian) const {
  for (std::size_t j = 0; j < columns.size(); ++j)
    for (std::size_t i = j; i < std::min(columns.size(), j + half_bandwidth() + 1); ++i) {
      const ForceColumn &a = columns[j], &b = columns[i];
      const std::size_t begin = std::max(a.first, b.first), end = std::min(a.first + a.count, b.first + b.count);
      double sum = 0.0;
      for (std::size_t u = begin; u < end; ++u)
        sum += a.values[u - a.first] * b.values[u - b.first] * inverse_mass_[Eigen::Index(u)];
      hessian.at(i, j) += weight * sum;
    }
}

VectorXd StrandProblem::read(const der::Strands& strands, const der::RestState& rest) const {
  VectorXd p = initial_;
  for (std::size_t i = 0; i < size(); ++i) {
    const Joint& joint = joints_[i / variables_.size()];
    const std::size_t v = strands.offset(strand_) + joint.slot - first_;
    const Variable kind = variable(i);
    double& value = p[Eigen::Index(i)];
    if (is_fixed(i)) continue;
    if (is_curvature(kind)) value = rest.curvature[v][std::size_t(kind)];
    if (kind == Variable::bend) value = rest.bend_modulus[v] / mean_;
    if (kind == Variable::rest_twist) value = rest.twist[v];
    if (kind == Variable::twist) value = rest.twist_modulus[v] / mean_;
    if (kind == Variable::rest_length) value = edges_[joint.slot].reference_length / (1.0 + rest.strain[v]);
    if (kind == Variable::stretch) value = rest.stretch_modulus[v] / mean_;
  }
  return p;
}

void StrandProblem::store(const VectorXd& p, const der::Strands& strands, der::RestState& rest) const {
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const Strained s = strained(p, j);
    const std::size_t v = strands.offset(strand_) + joint.slot - first_;
    if (joint.bends) {
      for (std::size_t c = 0; c < std::size_t(components_); ++c)
        rest.curvature[v][c] = joint.curvature[c] - s.strain[c];
      rest.twist[v] = joint.twist - s.wound;
      rest.bend_modulus[v] = mean_ * s.bend;
      rest.twist_modulus[v] = mean_ * value(p, j, Variable::twist, joint.torsion);
    }
    if (edges_[joint.slot].area == 0.0) continue;
    rest.strain[v] = rest_strain(p, joint.slot);
    rest.stretch_modulus[v] = mean_ * stretch(p, joint.slot);
  }
}

void StrandProblem::apply(const VectorXd& p, der::Rod& rod) const {
  const auto parameter = [&](std::size_t slot, int c) -> double& {
    return rod.parameters[slot * P::components + std::size_t(c)];
  };
  for (std::size_t j = 0; j < joints_.size(); ++j) {
    const Joint& joint = joints_[j];
    const Strained s = strained(p, j);
    const double halved = components_ == 2 ? 0.5 : 1.0;  // 2D measures count twice by themselves
    if (joint.bends) {
      parameter(joint.slot, P::bend1) = halved * s.bend * s.stiffness_per_bend[0];
      parameter(joint.slot, P::bend2) = halved * s.bend * s.stiffness_per_bend[1];
      parameter(joint.slot, P::twist) = s.torsion;
      for (std::size_t c = 0; c < std::size_t(components_); ++c)
        parameter(joint.slot, P::rest_curvature + int(c)) = joint.curvature[c] - s.strain[c];
      parameter(joint.slot, P::rest_twist) = joint.twist - s.wound;
    }
    if (edges_[joint.slot].area == 0.0) continue;
    const double strain = rest_strain(p, joint.slot);
    parameter(joint.slot, P::rest_strain) = strain;
    parameter(joint.slot, P::inverse_rest_length) = (1.0 + strain) / edges_[joint.slot].reference_length;
    parameter(joint.slot, P::stretch) = mean_ * stretch(p, joint.slot) * edges_[joint.slot].area;
  }
}

}  // namespace tendril::sagfree
