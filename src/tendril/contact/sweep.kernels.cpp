#include "tendril/contact/law_lanes.hpp"
#include "tendril/contact/sweep_kernels.hpp"
#include "tendril/linalg/packed_rows.hpp"
#include "tendril/linalg/quads.hpp"

namespace tendril::contact {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

TENDRIL_INLINE void read_velocity(const SweepView& view, std::size_t i, const SweepContact& c, double* u) {
  const double* const v = view.velocity;
  const Quad sum = c.weight[0] * load<Quad>(v + 4 * std::size_t(c.node[0])) +
                   c.weight[1] * load<Quad>(v + 4 * std::size_t(c.node[1])) +
                   (c.weight[2] * load<Quad>(v + 4 * std::size_t(c.node[2])) +
                    c.weight[3] * load<Quad>(v + 4 * std::size_t(c.node[3])));
  const double* const e = c.frame;
  for (int row = 0; row < 3; ++row)
    u[row] = c.drift[row] + e[3 * row] * sum[0] + e[3 * row + 1] * sum[1] + e[3 * row + 2] * sum[2];
  if (!c.has_terms) return;
  for (std::uint32_t t = view.term_starts[i]; t < view.term_starts[i + 1]; ++t) {
    const double *const a = view.terms[t].matrix, *const x = v + 4 * std::size_t(view.terms[t].node);
    for (int row = 0; row < 3; ++row) u[row] += a[3 * row] * x[0] + a[3 * row + 1] * x[1] + a[3 * row + 2] * x[2];
  }
}

// What a push aims at under the last impulse, off the normal velocity: its softness is small beside the contact's own
// compliance.
TENDRIL_INLINE void take_push(const SweepView& view, std::size_t i, const SweepContact& c, double* u) {
  if (view.pushes == nullptr) return;
  const SoftPush& push = view.pushes[i];
  const double left = push.speed - push.softness * (c.r[0] - push.strength);
  u[0] -= left > push.speed ? push.speed : left > 0.0 ? left : 0.0;
}

// What of a normal velocity a push has achieved, where errors are measured.
TENDRIL_INLINE double judged_part(const SoftPush& push, double normal_velocity, double normal_impulse) {
  const double least = (normal_impulse < push.strength ? push_share : -push_slack) * push.speed;
  return normal_velocity < least ? least : normal_velocity < push.speed ? normal_velocity : push.speed;
}

// v += the response of a block to impulses on two of its nodes.
TENDRIL_INLINE void respond_side(const SweepView& view, const SweepContact& c, int side, const double* world) {
  const std::size_t rows = 4 * std::size_t(c.quads[side]);
  const double *const p = view.matrices + c.column[2 * side], *const q = view.matrices + c.column[2 * side + 1];
  double* const v = view.velocity + c.first[side];
  const double a = c.weight[2 * side], b = c.weight[2 * side + 1];
  const double ax = a * world[0], ay = a * world[1], az = a * world[2];
  const double bx = b * world[0], by = b * world[1], bz = b * world[2];
  for (std::size_t k = 0; k < rows; k += 4) {
    const Quad first = ax * load<Quad>(p + k) + ay * load<Quad>(p + rows + k) + az * load<Quad>(p + 2 * rows + k);
    const Quad second = bx * load<Quad>(q + k) + by * load<Quad>(q + rows + k) + bz * load<Quad>(q + 2 * rows + k);
    store(Quad(load<Quad>(v + k) + (first + second)), v + k);
  }
}

// The same with packed rows, for one node: C of the nodes before it, its own, and those after it.
void respond_packed(const float* rows, std::size_t node, std::size_t nodes, const double* amount, double* v) {
  const std::size_t stride = PackedRows::stride(node);
  const float* const own = rows + PackedRows::begin(node);
  for (std::size_t j = 0; j <= node; ++j) {
    const double share = j < node ? 1.0 : 2.0;  // the block on the diagonal is halved
    for (std::size_t k = 0; k < 3; ++k) {
      const float* const c = own + 3 * j + k;
      v[4 * j + k] +=
          share * (amount[0] * double(c[0]) + amount[1] * double(c[stride]) + amount[2] * double(c[2 * stride]));
    }
  }
  for (std::size_t j = node + 1; j < nodes; ++j)
    for (std::size_t k = 0; k < 3; ++k) {
      const float* const c = rows + PackedRows::begin(j) + k * PackedRows::stride(j) + 3 * node;
      v[4 * j + k] += amount[0] * double(c[0]) + amount[1] * double(c[1]) + amount[2] * double(c[2]);
    }
}

void respond_side_packed(const SweepView& view, const SweepContact& c, int side, const double* world) {
  for (int k = 2 * side; k < 2 * side + 2; ++k) {
    if (c.weight[k] == 0.0) continue;
    const double amount[3] = {c.weight[k] * world[0], c.weight[k] * world[1], c.weight[k] * world[2]};
    respond_packed(view.packed_matrices + c.column[k], c.node[k] - c.first[side] / 4, c.quads[side], amount,
                   view.velocity + c.first[side]);
  }
}

TENDRIL_INLINE void respond_term(const SweepView& view, const SweepTerm& term, const double* change) {
  const double *const a = term.matrix, *const p = view.matrices + term.column;
  const std::size_t rows = 4 * std::size_t(term.quads);
  double* const v = view.velocity + term.first;
  double amount[3];
  for (int axis = 0; axis < 3; ++axis)
    amount[axis] = a[axis] * change[0] + a[3 + axis] * change[1] + a[6 + axis] * change[2];
  for (std::size_t k = 0; k < rows; k += 4)
    store(Quad(load<Quad>(v + k) + amount[0] * load<Quad>(p + k) + amount[1] * load<Quad>(p + rows + k) +
               amount[2] * load<Quad>(p + 2 * rows + k)),
          v + k);
}

TENDRIL_INLINE void respond(const SweepView& view, std::size_t i, const SweepContact& c, const double* change) {
  const double* const e = c.frame;
  double world[3];
  for (int axis = 0; axis < 3; ++axis)
    world[axis] = e[axis] * change[0] + e[3 + axis] * change[1] + e[6 + axis] * change[2];
  for (int side = 0; side < 2; ++side)
    if (c.quads[side] > 0) {
      if (view.matrices != nullptr)
        respond_side(view, c, side, world);
      else
        respond_side_packed(view, c, side, world);
    }
  if (!c.has_terms) return;
  for (std::uint32_t t = view.term_starts[i]; t < view.term_starts[i + 1]; ++t)
    respond_term(view, view.terms[t], change);
}

// The impulse with all others held.
TENDRIL_INLINE void next_impulse(const SweepView& view, std::size_t i, SweepContact& c, const double* u, double* r) {
  double b[3];
  times(c.local, c.r, b);
  for (int k = 0; k < 3; ++k) b[k] = u[k] - b[k], r[k] = c.r[k];
  if (c.kind == SweepContact::closed_form) {
    if (b[0] >= 0.0) {
      r[0] = r[1] = r[2] = 0.0;
      return;
    }
    if (pressed_impulse(c.local, b, c.alpha, r)) return;
    for (int k = 0; k < 3; ++k) r[k] = c.r[k];
  }
  view.solve_otherwise(view.caller, i, b, r);
}

// Whether it was solved, and the squared change of its impulse.
struct Visit {
  bool solved;
  double change;
};

TENDRIL_INLINE Visit visit_contact(const SweepView& view, std::size_t i) {
  SweepContact& c = view.contacts[i];
  if (c.kind == SweepContact::immovable) return {false, 0.0};
  double u[3], r[3], change[3];
  read_velocity(view, i, c, u);
  take_push(view, i, c, u);
  if (c.kind == SweepContact::closed_form && u[0] >= 0.0 && c.r[0] == 0.0) return {false, 0.0};  // all of r is 0
  next_impulse(view, i, c, u, r);
  for (int k = 0; k < 3; ++k) change[k] = r[k] - c.r[k], c.r[k] = r[k];
  respond(view, i, c, change);
  return {true, change[0] * change[0] + change[1] * change[1] + change[2] * change[2]};
}

std::size_t visit(const SweepView& view, std::size_t first, std::size_t end) {
  std::size_t solved = 0;
  for (std::size_t i = first; i < end; ++i) {
    SweepContact& c = view.contacts[i];
    if (c.asleep > 0) {
      --c.asleep;
      continue;
    }
    const Visit done = visit_contact(view, i);
    if (!done.solved) continue;
    ++solved;
    if (done.change < view.least_change[i] * view.least_change[i]) c.asleep = view.sleep;
  }
  return solved;
}

void visit_one(const SweepView& view, std::size_t contact) { visit_contact(view, contact); }

void push(const SweepView& view, std::size_t first, std::size_t end, double* force) {
  for (std::size_t i = first; i < end; ++i) {
    const SweepContact& c = view.contacts[i];
    const double *const e = c.frame, *const r = c.r;
    double world[4] = {};
    for (int axis = 0; axis < 3; ++axis) world[axis] = e[axis] * r[0] + e[3 + axis] * r[1] + e[6 + axis] * r[2];
    for (int k = 0; k < 4; ++k) {
      double* const to = force + 4 * std::size_t(c.node[k]);
      store(Quad(load<Quad>(to) + c.weight[k] * load<Quad>(world)), to);
    }
    if (!c.has_terms) continue;
    for (std::uint32_t t = view.term_starts[i]; t < view.term_starts[i + 1]; ++t) {
      const double* const a = view.terms[t].matrix;
      double* const to = force + 4 * std::size_t(view.terms[t].node);
      for (int axis = 0; axis < 3; ++axis) to[axis] += a[axis] * r[0] + a[3 + axis] * r[1] + a[6 + axis] * r[2];
    }
  }
}

TENDRIL_INLINE double error_of(const SweepView& view, std::size_t i, double rho) {
  const SweepContact& c = view.contacts[i];
  double u[3];
  read_velocity(view, i, c, u);
  if (view.pushes != nullptr) u[0] -= judged_part(view.pushes[i], u[0], c.r[0]);
  return law_error(Vec3<double>{c.r[0], c.r[1], c.r[2]}, Vec3<double>{u[0], u[1], u[2]}, c.is_joint ? -1.0 : c.local.mu,
                   rho);
}

void errors(const SweepView& view, std::size_t first, std::size_t end, const double* rho, double* out) {
  for (std::size_t i = first; i < end; ++i) out[i] = error_of(view, i, rho[i]);
}

}  // namespace

extern const SweepKernels sweep_table;
const SweepKernels sweep_table = {visit, visit_one, push, errors};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
