// Gauss-Seidel on contacts on nodes: the records that the sweep runs over.
#pragma once

#include <algorithm>
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
  // Every contact that is awake, once. How many were solved.
  std::size_t sweep();

  // For who visits few: none of the contacts takes part but those that are entered, under velocities as they are.
  struct Few {};
  NodeSweeps(const NodeSpace& space, const Options& options, double speed, Few, Isa isa = active_isa());
  std::size_t enter(std::uint32_t contact);  // by its place in the space; its place here
  void start(std::span<const double> velocities) { std::ranges::copy(velocities, velocity_.begin()); }
  // The impulse of one of them from r on.
  void visit(std::size_t place, Eigen::Vector3d& r);
  std::span<const double> velocities() const { return velocity_; }

  // [m/s] of the worst contact, awake or not, from velocities without the round-off of many changes.
  double error();
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
  StrandPairs pairs_;
  OtherImpulses others_;
  double sleepy_;                         // [m/s]: a contact that changes by less, times its scale, falls asleep
  AlignedVector<SweepContact> contacts_;  // in the order of the pairs
  std::vector<Eigen::Matrix3d> diagonals_;
  std::vector<std::uint32_t> term_starts_;
  std::vector<SweepTerm> terms_;
  std::vector<double> scales_, least_change_;
  std::vector<SoftPush> pushes_;
  bool has_pushes_ = false;
  AlignedVector<double> velocity_, force_;
  std::vector<double> errors_;
  std::vector<std::size_t> solved_;
  Impulses best_;
};

}  // namespace tendril::contact
