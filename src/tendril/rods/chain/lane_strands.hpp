// Chains in the lane groups of the rods (docs/theory/chain.md, "Steps in lanes"): the strands that a step can take
// there from beginning to end, without gathering them, their constants, and that step. They are held at their first
// points or by nothing, and nothing but gravity and dead loads acts on them; all others, and those that Newton's method
// in full steps does not do for, are left to OneStep.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "tendril/base/aligned.hpp"
#include "tendril/rods/chain/lane_kernels.hpp"
#include "tendril/rods/chain/strands.hpp"
#include "tendril/rods/der/stepper.hpp"

namespace tendril::chain {

// Constants of the model.
class LaneStrands {
 public:
  LaneStrands(const der::Strands& rods, const Strands& chains);

  // Masses, lengths, stiffness and rests as they are now.
  void read(const Strands& chains);

  bool takes(std::size_t strand) const { return takes_[strand] != 0; }
  bool takes_none() const {
    return std::ranges::none_of(takes_, [](char takes) { return takes != 0; });
  }
  std::span<const double> constants(std::size_t group) const { return constants_[group]; }  // LaneConstants
  std::size_t held(std::size_t strand) const { return held_[strand]; }                      // points, the first ones
  double mean_length(std::size_t strand) const { return mean_length_[strand]; }             // [m]

 private:
  struct Group {
    std::vector<std::size_t> strands;
    std::vector<int> first;
  };
  std::vector<Group> groups_;
  der::GroupStreams constants_;
  std::vector<char> takes_;
  std::vector<std::size_t> held_;
  std::vector<double> mean_length_;
};

// All that a step of lanes needs beside the state; it must outlive the step.
struct LaneStepInputs {
  const der::Strands& rods;
  const Strands& chains;
  const LaneStrands& lanes;
  const der::Targets& targets;
  const der::StepOptions& options;
  const Clamped& before;  // at the start
  const Clamped& ends;    // at the end
};

// Keeps its memory from step to step.
class LaneStepper {
 public:
  // Writes the strands to the trial; those that are left have there what is to be written over. Returns the most
  // iterations of any.
  int step(const LaneStepInputs& inputs, const der::State& state, der::State& trial);
  // Those that it has not stepped.
  std::span<const std::size_t> left() const { return left_; }

 private:
  struct Scratch {
    AlignedVector<std::byte> memory;
    der::Stream lanes;
  };
  std::vector<Scratch> threads_;
  void step_group(const LaneStepInputs& inputs, const der::State& state, std::size_t group, der::State& trial);
  static void fill_lanes(const LaneStepInputs& inputs, std::size_t group, double step, std::span<double> values);

  std::vector<char> refused_;  // per group and lane
  std::vector<std::int32_t> iterations_;
  std::vector<std::size_t> left_;
};

}  // namespace tendril::chain
