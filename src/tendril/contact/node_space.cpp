#include "tendril/contact/node_space.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "tendril/base/parallel.hpp"
#include "tendril/contact/gradient_kernels.hpp"
#include "tendril/contact/law_lanes.hpp"
#include "tendril/linalg/packed_rows.hpp"

namespace tendril::contact {
namespace {

using Eigen::Index;
using Eigen::Map;
using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::Vector4d;

constexpr double strength_of_approach = 10.0;  // of pushes, in impulses that would stop the approach of a contact alone

// What a contact sees of three unknowns of a block that begin at `unknown`.
struct Triple {
  std::uint32_t unknown = 0;
  Matrix3d matrix = Matrix3d::Zero();
};

// Three unknowns that follow each other are a node wherever they begin, if the side has nothing but such; else nodes
// begin at multiples of three.
void find_triples(std::span<const Entry> entries, std::vector<Triple>& out) {
  out.clear();
  bool regular = entries.size() % 3 == 0;
  for (std::size_t k = 0; regular && k < entries.size(); ++k)
    regular = entries[k].unknown == entries[k - k % 3].unknown + k % 3;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const std::uint32_t from = regular ? entries[k - k % 3].unknown : entries[k].unknown / 3 * 3;
    auto triple = std::ranges::find(out, from, &Triple::unknown);
    if (triple == out.end()) triple = out.insert(out.end(), {from, Matrix3d::Zero()});
    triple->matrix.col(Index(entries[k].unknown - from)) += entries[k].coefficient;
  }
}

// The weight with which a matrix is the frame's multiple, to round-off.
std::optional<double> weight_in(const Matrix3d& frame, const Matrix3d& matrix) {
  const double weight = frame.cwiseProduct(matrix).sum() / frame.squaredNorm();
  const double error = (matrix - weight * frame).cwiseAbs().maxCoeff();
  return error <= 1e-14 * matrix.cwiseAbs().maxCoeff() ? std::optional(weight) : std::nullopt;
}

struct Builder {
  const Problem& problem;
  const BlockInverses& inverses;
  NodeSpace& space;
  std::vector<std::int32_t> name{};                   // of our blocks in the problem, sorted
  std::vector<std::vector<std::uint32_t>> triples{};  // per block, sorted: the unknowns at which its nodes begin
  std::array<std::vector<Triple>, 2> sides{};

  std::size_t place_of(std::int32_t block) const {
    return std::size_t(std::ranges::lower_bound(name, block) - name.begin());
  }

  void add_blocks(std::span<const std::uint32_t> some) {
    for (const std::uint32_t contact : some)
      for (const Side& side : {problem.contacts[contact].a, problem.contacts[contact].b})
        if (side.block != Side::none) name.push_back(side.block);
    std::ranges::sort(name);
    name.erase(std::ranges::unique(name).begin(), name.end());
    triples.resize(name.size());
  }

  void add_nodes(const Side& side) {
    if (side.block == Side::none) return;
    find_triples(problem.entries_of(side), sides[0]);
    std::vector<std::uint32_t>& unknowns = triples[place_of(side.block)];
    for (const Triple& triple : sides[0])
      if (std::ranges::find(unknowns, triple.unknown) == unknowns.end()) unknowns.push_back(triple.unknown);
  }

  void number_nodes() {
    std::uint32_t next = 1;  // node 0 never moves
    std::size_t matrix = 0;
    for (auto& unknowns : triples) {
      std::ranges::sort(unknowns);
      space.blocks.push_back({next, std::uint32_t(unknowns.size()), matrix});
      matrix += space.blocks.back().rows() * space.blocks.back().columns();
      next += std::uint32_t(unknowns.size());
    }
    space.free_velocity.assign(4 * std::size_t(next), 0.0);
    space.matrices.resize(matrix);
  }

  std::uint32_t node_of(std::size_t block, std::uint32_t unknown) const {
    const auto found = std::ranges::lower_bound(triples[block], unknown);
    return space.blocks[block].first_node + std::uint32_t(found - triples[block].begin());
  }

  void add_contact(std::uint32_t contact_name) {
    const Contact& from = problem.contacts[contact_name];
    NodeContact contact{.name = contact_name, .law = from.law, .mu = from.mu, .drift = from.drift};
    contact.push = {from.push, from.push_strength, push_softness};
    for (int s = 0; s < 2; ++s) {
      const Side& side = s == 0 ? from.a : from.b;
      sides[std::size_t(s)].clear();
      if (side.block == Side::none) continue;
      contact.block[std::size_t(s)] = std::int32_t(place_of(side.block));
      find_triples(problem.entries_of(side), sides[std::size_t(s)]);
    }
    if (!set_weights(contact)) add_terms(contact);
    space.contacts.push_back(contact);
  }

  // False: its rows are not one frame on at most two nodes of each side.
  bool set_weights(NodeContact& contact) const {
    if (sides[0].size() > 2 || sides[1].size() > 2) return false;
    bool has_frame = false;
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t k = 0; k < sides[s].size(); ++k) {
        const Matrix3d& matrix = sides[s][k].matrix;
        const double length = matrix.row(0).norm();
        if (!has_frame && length > 0.0) contact.frame = matrix / length, has_frame = true;
        const std::optional<double> weight = weight_in(contact.frame, matrix);
        if (!weight) return contact.frame.setIdentity(), contact.weight = {}, contact.node = {}, false;
        contact.weight[2 * s + k] = *weight;
        contact.node[2 * s + k] = node_of(std::size_t(contact.block[s]), sides[s][k].unknown);
      }
    return true;
  }

  void add_terms(NodeContact& contact) {
    contact.first_term = std::uint32_t(space.terms.size());
    for (std::size_t s = 0; s < 2; ++s)
      for (const Triple& triple : sides[s])
        space.terms.push_back(
            {node_of(std::size_t(contact.block[s]), triple.unknown), std::uint32_t(contact.block[s]), triple.matrix});
    contact.end_term = std::uint32_t(space.terms.size());
  }

  // C = S M^-1 Sᵀ and the free velocity, for the nodes S that are touched.
  void fill_block(std::size_t b) const {
    const NodeBlock& block = space.blocks[b];
    const Block& source = problem.blocks[std::size_t(name[b])];
    const std::vector<std::uint32_t>& begin = triples[b];
    const bool all_whole = begin.empty() || begin.back() + 3 <= source.size;
    const auto copy_nodes = [&](const double* from, double* to) {
      if (all_whole) {
        for (std::size_t node = 0; node < block.nodes; ++node, to += 4) {
          const double* const three = from + begin[node];
          to[0] = three[0], to[1] = three[1], to[2] = three[2], to[3] = 0.0;
        }
        return;
      }
      for (std::size_t node = 0; node < block.nodes; ++node, to += 4)
        for (std::size_t k = 0; k < 4; ++k)
          to[k] = k < 3 && begin[node] + k < source.size ? from[begin[node] + k] : 0.0;
    };
    const Eigen::VectorXd free = inverses.free_velocity(std::size_t(name[b]));
    copy_nodes(free.data(), space.free_velocity.data() + 4 * std::size_t(block.first_node));
    MatrixXd solved;  // columns of M^-1, where they are not at hand
    if (source.given == Given::matrix) {
      solved = MatrixXd::Zero(Index(source.size), Index(block.columns()));
      for (std::size_t c = 0; c < block.columns(); ++c)
        if (begin[c / 3] + c % 3 < source.size) solved(Index(begin[c / 3] + c % 3), Index(c)) = 1.0;
      inverses.apply(std::size_t(name[b]), solved);
    }
    for (std::size_t c = 0; c < block.columns(); ++c) {
      const std::size_t unknown = begin[c / 3] + c % 3;
      double* const to = space.matrices.data() + block.matrix + c * block.rows();
      if (unknown >= source.size) {
        std::fill_n(to, block.rows(), 0.0);
        continue;
      }
      const double* const column = source.given == Given::matrix ? solved.col(Index(c)).data()
                                                                 : problem.matrix(source).col(Index(unknown)).data();
      copy_nodes(column, to);
    }
  }
};

bool is_rotation(const Matrix3d& frame) {
  return (frame * frame.transpose() - Matrix3d::Identity()).cwiseAbs().maxCoeff() <= 1e-12;
}

// f(block, matrix) for every two nodes of a block that a contact sees through its frame: what they add to W_ii, in the
// axes of the world.
template <class F>
void for_couplings(const NodeSpace& space, const NodeContact& contact, const F& f) {
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 4; ++j) {
      const std::int32_t bi = contact.block[i / 2], bj = contact.block[j / 2];
      if (contact.weight[i] == 0.0 || contact.weight[j] == 0.0 || bi != bj) continue;
      const Matrix3d c = space.coupling(space.blocks[std::size_t(bi)], contact.node[i], contact.node[j]);
      f(bi, Matrix3d(contact.weight[i] * contact.weight[j] * c));
    }
}

// The same of its terms, as they are.
template <class F>
void for_term_couplings(const NodeSpace& space, const NodeContact& contact, const F& f) {
  for (std::uint32_t s = contact.first_term; s < contact.end_term; ++s)
    for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t) {
      const NodeTerm &a = space.terms[s], &b = space.terms[t];
      if (a.block != b.block) continue;
      const Matrix3d c = space.coupling(space.blocks[a.block], a.node, b.node);
      f(std::int32_t(a.block), Matrix3d(a.matrix * c * b.matrix.transpose()));
    }
}

// tr of what an impulse on one node does to another one of its block.
double packed_trace(const NodeSpace& space, const NodeBlock& block, std::uint32_t i, std::uint32_t j) {
  const std::size_t low = std::min(i, j) - block.first_node, high = std::max(i, j) - block.first_node;
  const std::size_t next = PackedRows::stride(high) + 1;
  const float* const c = space.packed_matrices.data() + block.matrix + PackedRows::begin(high) + 3 * low;
  return double(c[0] + c[next] + c[2 * next]);
}

// Of a contact between two blocks, or of one with a body, as most are: C is symmetric, and E a rotation.
void set_packed_shares(const NodeSpace& space, NodeContact& contact) {
  for (std::size_t s = 0; s < 2; ++s) {
    const double a = contact.weight[2 * s], b = contact.weight[2 * s + 1];
    const std::uint32_t i = contact.node[2 * s], j = contact.node[2 * s + 1];
    double trace = 0.0;
    if (a != 0.0) trace += a * a * double(space.own_trace[i - 1]);
    if (b != 0.0) trace += b * b * double(space.own_trace[j - 1]);
    if (a != 0.0 && b != 0.0)
      trace += 2.0 * a * b * packed_trace(space, space.blocks[std::size_t(contact.block[s])], i, j);
    contact.share[s] = trace / 3.0;
  }
}

void set_shares(const NodeSpace& space, NodeContact& contact) {
  contact.share = {};
  if (space.is_packed() && contact.block[0] != contact.block[1]) return set_packed_shares(space, contact);
  const auto add = [&](std::int32_t block, double trace) {
    contact.share[block == contact.block[0] ? 0 : 1] += trace / 3.0;
  };
  const Matrix3d metric = contact.frame.transpose() * contact.frame;  // tr E C Eᵀ
  for_couplings(space, contact, [&](std::int32_t b, const Matrix3d& part) { add(b, metric.cwiseProduct(part).sum()); });
  for_term_couplings(space, contact, [&](std::int32_t b, const Matrix3d& part) { add(b, part.trace()); });
}

// 3 / tr W_ii; nothing for what cannot be moved beside the others.
void set_scales(NodeSpace& space) {
  std::vector<double> traces;
  traces.reserve(space.size());
  for (const NodeContact& contact : space.contacts) traces.push_back(contact.trace());
  if (traces.empty()) return;
  const auto middle = traces.begin() + std::ptrdiff_t(traces.size() / 2);
  std::ranges::nth_element(traces, middle);
  const double least = 1e-14 * *middle;
  for (NodeContact& contact : space.contacts) contact.scale = contact.trace() > least ? 3.0 / contact.trace() : 0.0;
}

// What meets in flight is met by impulses of that size: only beyond many times that is it held by others.
void set_push(const NodeSpace& space, NodeContact& contact) {
  if (contact.push.speed == 0.0) return;
  const double approach = std::max(0.0, -space.velocity(contact, space.free_velocity.data())[0]);
  contact.push.strength = contact.scale * (contact.push.strength + strength_of_approach * approach);
  contact.push.softness *= contact.trace() / 3.0;
}

// tr W_ii and what follows from it.
void set_scales_and_pushes(NodeSpace& space) {
  std::vector<NodeContact>& contacts = space.contacts;
  parallel_for(contacts.size(), [&](std::size_t i) { set_shares(space, contacts[i]); });
  set_scales(space);
  parallel_for(contacts.size(), [&](std::size_t i) { set_push(space, contacts[i]); });
}

NodeContact node_contact(const NodeRow& row, std::uint32_t name) {
  NodeContact contact{.name = name, .law = row.law, .mu = row.mu, .frame = row.frame, .drift = row.drift};
  contact.push = {row.push, row.push_strength, push_softness};
  for (std::size_t s = 0; s < 2; ++s) {
    contact.block[s] = row.side[s].block;
    for (std::size_t k = 0; k < 2; ++k) {
      contact.weight[2 * s + k] = row.side[s].weight[k];
      contact.node[2 * s + k] = row.side[s].weight[k] != 0.0 ? row.side[s].node[k] + 1 : 0;  // node 0 never moves
    }
  }
  return contact;
}

}  // namespace

void NodeSpace::build(const Problem& problem, const BlockInverses& inverses, std::span<const std::uint32_t> some) {
  contacts.clear(), terms.clear(), blocks.clear();
  packed_matrices = {}, own_trace = {};
  Builder builder{problem, inverses, *this};
  builder.add_blocks(some);
  for (const std::uint32_t name : some)
    for (const Side& side : {problem.contacts[name].a, problem.contacts[name].b}) builder.add_nodes(side);
  builder.number_nodes();
  contacts.reserve(some.size());
  for (const std::uint32_t name : some) builder.add_contact(name);
  const auto place = [](const NodeContact& c) { return c.has_terms() ? c.block[0] : std::int32_t(c.node[0]); };
  if (!std::ranges::is_sorted(contacts, {}, place)) std::ranges::stable_sort(contacts, {}, place);
  parallel_for(blocks.size(), [&](std::size_t b) { builder.fill_block(b); });
  frames_are_rotations = std::ranges::all_of(contacts, [](const NodeContact& c) { return is_rotation(c.frame); });
  set_scales_and_pushes(*this);
}

void NodeSpace::build(const NodeProblem& problem) {
  terms.clear(), blocks.clear(), matrices.clear();
  packed_matrices = problem.compliances, own_trace = problem.own_trace;
  frames_are_rotations = true;
  for (const NodeProblem::Block& block : problem.blocks)
    blocks.push_back({block.first_node + 1, block.nodes, block.compliance});
  free_velocity.assign(4, 0.0);
  free_velocity.insert(free_velocity.end(), problem.free_velocity.begin(), problem.free_velocity.end());
  contacts.resize(problem.rows.size());
  parallel_for(contacts.size(), [&](std::size_t i) { contacts[i] = node_contact(problem.rows[i], std::uint32_t(i)); });
  set_scales_and_pushes(*this);
}

Matrix3d NodeSpace::coupling(const NodeBlock& block, std::uint32_t i, std::uint32_t j) const {
  Matrix3d c;
  if (!is_packed()) {
    for (int axis = 0; axis < 3; ++axis)
      c.col(axis) = Map<const Vector3d>(column(block, j, axis) + 4 * std::size_t(i - block.first_node));
    return c;
  }
  const std::size_t low = std::min(i, j) - block.first_node, high = std::max(i, j) - block.first_node;
  const float* const rows = packed_matrices.data() + block.matrix + PackedRows::begin(high) + 3 * low;
  for (int row = 0; row < 3; ++row)
    for (int k = 0; k < 3; ++k) c(row, k) = double(rows[std::size_t(row) * PackedRows::stride(high) + std::size_t(k)]);
  if (i == j) return 2.0 * c;
  return i > j ? c : Matrix3d(c.transpose());
}

Matrix3d NodeSpace::diagonal(const NodeContact& contact) const {
  Matrix3d sum = Matrix3d::Zero();
  const auto add = [&](std::int32_t, const Matrix3d& part) { sum += part; };
  for_couplings(*this, contact, add);
  sum = (contact.frame * sum * contact.frame.transpose()).eval();
  for_term_couplings(*this, contact, add);
  return 0.5 * (sum + sum.transpose());
}

Vector3d NodeSpace::velocity(const NodeContact& contact, const double* v) const {
  Vector3d sum = Vector3d::Zero(), u = contact.drift;
  for (std::size_t k = 0; k < 4; ++k)
    if (contact.weight[k] != 0.0) sum += contact.weight[k] * Map<const Vector3d>(v + 4 * std::size_t(contact.node[k]));
  u.noalias() += contact.frame * sum;
  for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
    u.noalias() += terms[t].matrix * Map<const Vector3d>(v + 4 * std::size_t(terms[t].node));
  return u;
}

Vector3d NodeSpace::law_velocity(const NodeContact& contact, const Vector3d& r, const double* v) const {
  Vector3d u = velocity(contact, v);
  u[0] -= contact.push.at(r[0]);
  return u;
}

double error_of(const NodeContact& contact, const Vector3d& r, const Vector3d& u) {
  return law_error(Vec3<double>{r[0], r[1], r[2]}, Vec3<double>{contact.push.judged(u[0], r[0]), u[1], u[2]},
                   contact.law == Law::bilateral ? -1.0 : contact.mu, contact.scale);
}

void NodeSpace::push(const NodeContact& contact, const Vector3d& r, double* force) const {
  const Vector3d world = contact.frame.transpose() * r;
  for (std::size_t k = 0; k < 4; ++k)
    if (contact.weight[k] != 0.0) Map<Vector3d>(force + 4 * std::size_t(contact.node[k])) += contact.weight[k] * world;
  for (std::uint32_t t = contact.first_term; t < contact.end_term; ++t)
    Map<Vector3d>(force + 4 * std::size_t(terms[t].node)).noalias() += terms[t].matrix.transpose() * r;
}

void NodeSpace::respond(const NodeBlock& block, const double* force, double* v) const {
  const std::size_t first = 4 * std::size_t(block.first_node);
  Map<Eigen::VectorXd> out(v + first, Index(block.rows()));
  out = Map<const Eigen::VectorXd>(free_velocity.data() + first, Index(block.rows()));
  if (is_packed()) {
    if (std::all_of(force + first, force + first + block.rows(), [](double f) { return f == 0.0; })) return;
    thread_local AlignedVector<float> scratch;
    scratch.resize(packed_scratch(block.nodes));
    return gradient_kernels(active_isa())
        .add_packed_product(packed_matrices.data() + block.matrix, block.nodes, force + first, v + first,
                            scratch.data());
  }
  for (std::uint32_t k = 0; k < block.nodes; ++k)
    for (int axis = 0; axis < 3; ++axis) {
      const double amount = force[first + 4 * k + std::size_t(axis)];
      if (amount == 0.0) continue;  // a contact that has taken off
      out.noalias() +=
          amount * Map<const Eigen::VectorXd>(column(block, block.first_node + k, axis), Index(block.rows()));
    }
}

void NodeSpace::apply(const Impulses& r, Impulses& u) const {
  AlignedVector<double> force(free_velocity.size(), 0.0), v(free_velocity.size(), 0.0);
  for (std::size_t i = 0; i < size(); ++i) push(contacts[i], r[i], force.data());
  parallel_for(blocks.size(), [&](std::size_t b) { respond(blocks[b], force.data(), v.data()); });
  u.resize(size());
  parallel_for(size(), [&](std::size_t i) { u[i] = velocity(contacts[i], v.data()); });
}

bool NodeSpace::has_pushes() const {
  return std::ranges::any_of(contacts, [](const NodeContact& contact) { return contact.push.speed != 0.0; });
}

std::size_t NodeSpace::immovable() const {
  return std::size_t(std::ranges::count_if(contacts, [](const NodeContact& c) { return c.scale == 0.0; }));
}

}  // namespace tendril::contact
