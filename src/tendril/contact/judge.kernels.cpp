#include "tendril/contact/judge_kernels.hpp"
#include "tendril/contact/law_lanes.hpp"
#include "tendril/linalg/gathered.hpp"
#include "tendril/linalg/quads.hpp"

namespace tendril::contact {
inline namespace TENDRIL_ISA_NAMESPACE {
namespace {

constexpr int W = TENDRIL_LANES;
using S = Lanes<W>;
using V3 = Vec3<S>;

// As many contacts as there are lanes. The last group has the last contact more than once, so that what comes out for a
// contact does not depend on where it stands.
struct Group {
  const JudgedContact* contacts[W];

  TENDRIL_INLINE Group(const JudgedContact* first, std::size_t left) {
    for (int lane = 0; lane < W; ++lane)
      contacts[lane] = first + (std::size_t(lane) < left ? std::size_t(lane) : left - 1);
  }

  template <class Row>
  TENDRIL_INLINE V3 vectors(const Row& row) const {
    Quad rows[W];
    for (int lane = 0; lane < W; ++lane) rows[lane] = row(*contacts[lane]);
    return by_lanes<S>(rows);
  }
  template <class Number>
  TENDRIL_INLINE S numbers(const Number& number) const {
    return gathered<S>([&](int lane) TENDRIL_INLINE_LAMBDA { return number(*contacts[lane]); });
  }

  TENDRIL_INLINE V3 column(int k) const {  // of E
    return vectors([&](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return load<Quad>(c.frame + 3 * k); });
  }

  TENDRIL_INLINE V3 velocity(const double* v) const {
    const V3 world = vectors([&](const JudgedContact& c) TENDRIL_INLINE_LAMBDA -> Quad {
      const auto part = [&](int k) TENDRIL_INLINE_LAMBDA -> Quad {
        return c.weight[k] * load<Quad>(v + 4 * std::size_t(c.node[k]));
      };
      return part(0) + part(1) + (part(2) + part(3));
    });
    const V3 drift = vectors([](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return load<Quad>(c.drift); });
    return drift + world.x * column(0) + world.y * column(1) + world.z * column(2);
  }

  TENDRIL_INLINE V3 impulse() const {
    const auto entry = [&](int k) TENDRIL_INLINE_LAMBDA {
      return numbers([&](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return c.r[k]; });
    };
    return {entry(0), entry(1), entry(2)};
  }

  TENDRIL_INLINE V3 world_impulse() const {
    const V3 r = impulse();
    return {dot(column(0), r), dot(column(1), r), dot(column(2), r)};
  }

  // What of a normal velocity a push has achieved (SoftPush::judged).
  TENDRIL_INLINE S achieved(const S& normal_velocity, const S& normal_impulse) const {
    const S speed = numbers([](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return c.push->speed; });
    const S strength = numbers([](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return c.push->strength; });
    const S least = (normal_impulse < strength ? S{} + push_share : S{} - push_slack) * speed;
    return minimum(maximum(normal_velocity, least), speed);
  }

  TENDRIL_INLINE S error(const double* v) const {
    const V3 r = impulse();
    V3 u = velocity(v);
    u.x -= achieved(u.x, r.x);
    return law_error(r, u, numbers([](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return c.mu; }),
                     numbers([](const JudgedContact& c) TENDRIL_INLINE_LAMBDA { return c.rho; }));
  }
};

void velocities(const JudgedContact* contacts, std::size_t count, const double* v, double* u) {
  alignas(64) double rows[4 * W];
  for (std::size_t first = 0; first < count; first += W) {
    by_rows(Group(contacts + first, count - first).velocity(v), rows);
    for (std::size_t i = 0; i < W && first + i < count; ++i)
      for (std::size_t k = 0; k < 3; ++k) u[3 * (first + i) + k] = rows[4 * i + k];
  }
}

void push(const JudgedContact* contacts, std::size_t count, double* force) {
  alignas(64) double rows[4 * W] = {};
  for (std::size_t first = 0; first < count; first += W) {
    by_rows(Group(contacts + first, count - first).world_impulse(), rows);
    for (std::size_t i = 0; i < W && first + i < count; ++i) {
      const JudgedContact& contact = contacts[first + i];
      const Quad impulse = load<Quad>(rows + 4 * i);
      for (int k = 0; k < 4; ++k) {
        double* const to = force + 4 * std::size_t(contact.node[k]);
        store(Quad(load<Quad>(to) + contact.weight[k] * impulse), to);
      }
    }
  }
}

void errors(const JudgedContact* contacts, std::size_t count, const double* v, double* out) {
  alignas(64) double some[W];
  for (std::size_t first = 0; first < count; first += W) {
    store(Group(contacts + first, count - first).error(v), some);
    for (std::size_t i = 0; i < W && first + i < count; ++i) out[first + i] = some[i];
  }
}

}  // namespace

extern const JudgeKernels judge_table;
const JudgeKernels judge_table = {velocities, push, errors};

}  // namespace TENDRIL_ISA_NAMESPACE
}  // namespace tendril::contact
