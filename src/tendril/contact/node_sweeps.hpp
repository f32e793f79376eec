// Gauss-Seidel on contacts on nodes: the records that the sweep runs over.
#pragma once

#include <span>
#include <vector>

#include "tendril/contact/node_space.hpp"
#include "tendril/contact/other_impulses.hpp"
#include "tendril/contact/strand_pairs.hpp"
#include "tendril/contact/sweep_kernels.hpp"

namespace tendril::contact {

class NodeSweeps {
 public:
  // `speed`: what errors are relative to [m/s]. Tasks of one colour may run at the same time.
  NodeSweeps(const NodeSpace& space, const Options& options, double speed, StrandPairs pairs, Isa isa = active_isa());
  NodeSweeps(const NodeSpace& space, const Options& options, double speed, Isa isa = active_isa())
      : NodeSweeps(space, options, speed, strand_pairs(space), isa) {}

  std::size_t size() const { return space_.size(); }

  void start(const Impulses& r);
  // With velocities of the nodes and errors [m/s] of the contacts under r, both in the order of the space.
  void start(const Impulses& r, std::span<const double> velocities, std::span<const double> errors);
  // Every contact that is awake, once. How many were solved.
  std::size_t sweep();
  // Those that are listed, one after the other, by their places in the order of the pairs.
  void visit(std::span<const std::uint32_t> some);
  // [m/s] of the worst contact, awake or not, from velocities without the round-off of many changes.
  double error();
  // The same of some contacts, from velocities as they are.
  void measure(std::span<const std::uint32_t> some);
  std::span<const double> errors() const { return errors_; }  // [m/s], as last measured
  void keep_best() { best_ = impulses(); }
  const Impulses& best() const { return best_; }
  Impulses impulses() const;  // as they stand
  const OtherImpulses& others() const { return others_; }

 private:
  void add_contact(std::uint32_t from);
  SweepView view();
  static void solve_otherwise(void* self, std::size_t contact, const double* b, double* r);

  const NodeSpace& space_;
  const SweepKernels& kernels_;
  const StrandPairs pairs_;
  OtherImpulses others_;
  AlignedVector<SweepContact> contacts_;  // in the order of the pairs
  std::vector<std::uint32_t> term_starts_;
  std::vector<SweepTerm> terms_;
  std::vector<double> scales_, least_change_;
  std::vector<SoftPush> pushes_;  // or empty
  AlignedVector<double> velocity_, force_;
  std::vector<double> errors_;
  std::vector<std::size_t> solved_;
  Impulses best_;
};

}  // namespace tendril::contact
