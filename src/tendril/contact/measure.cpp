#include "tendril/contact/measure.hpp"

#include "tendril/contact/chunks.hpp"
#include "tendril/contact/judge_kernels.hpp"

namespace tendril::contact {
namespace {

constexpr std::size_t chunk = 64, worth_threads = 1024;

JudgedContact judged(const NodeContact& contact, const double* r) {
  return {contact.frame.data(),
          contact.drift.data(),
          contact.weight.data(),
          contact.node.data(),
          &contact.push,
          r,
          contact.law == Law::bilateral ? -1.0 : contact.mu,
          contact.scale};
}

// The contacts of a chunk.
class Batch {
 public:
  void add(const NodeContact& contact, const double* r) { contacts_[size_++] = judged(contact, r); }
  std::size_t size() const { return size_; }
  const JudgedContact* data() const { return contacts_; }

 private:
  JudgedContact contacts_[chunk];
  std::size_t size_ = 0;
};

const JudgeKernels& kernels() {
  static const JudgeKernels& table = judge_kernels(active_isa());
  return table;
}

// index(k): the k-th contact.
template <class Index>
void measure(const NodeSpace& space, std::size_t count, const Index& index, const Impulses& r, const double* v,
             std::span<double> errors) {
  for_chunks(count, chunk, count >= worth_threads, [&](std::size_t, std::size_t first, std::size_t end) {
    Batch batch;
    double out[chunk];
    for (std::size_t k = first; k < end; ++k) batch.add(space.contacts[index(k)], r[index(k)].data());
    kernels().errors(batch.data(), batch.size(), v, out);
    for (std::size_t k = first; k < end; ++k) {
      const std::size_t i = index(k);
      const NodeContact& contact = space.contacts[i];
      errors[i] = contact.has_terms() ? error_of(contact, r[i], space.velocity(contact, v)) : out[k - first];
    }
  });
}

}  // namespace

void measure_velocities(const NodeSpace& space, const double* v, Impulses& u) {
  u.resize(space.size());
  for_chunks(space.size(), chunk, space.size() >= worth_threads, [&](std::size_t, std::size_t first, std::size_t end) {
    Batch batch;
    for (std::size_t i = first; i < end; ++i) batch.add(space.contacts[i], nullptr);
    kernels().velocities(batch.data(), batch.size(), v, u[first].data());
    for (std::size_t i = first; i < end; ++i)
      if (const NodeContact& contact = space.contacts[i]; contact.has_terms()) u[i] = space.velocity(contact, v);
  });
}

void push_all(const NodeSpace& space, const Impulses& r, double* force) {
  for_chunks(space.size(), chunk, false, [&](std::size_t, std::size_t first, std::size_t end) {
    Batch batch;
    for (std::size_t i = first; i < end; ++i) batch.add(space.contacts[i], r[i].data());
    kernels().push(batch.data(), batch.size(), force);
    for (std::size_t i = first; i < end; ++i)
      if (const NodeContact& contact = space.contacts[i]; contact.has_terms()) space.push(contact, r[i], force);
  });
}

void measure_errors(const NodeSpace& space, const Impulses& r, const double* v, std::span<double> errors) {
  measure(
      space, space.size(), [](std::size_t k) { return k; }, r, v, errors);
}

void measure_errors(const NodeSpace& space, std::span<const std::uint32_t> some, const Impulses& r, const double* v,
                    std::span<double> errors) {
  measure(
      space, some.size(), [&](std::size_t k) { return std::size_t(some[k]); }, r, v, errors);
}

}  // namespace tendril::contact
