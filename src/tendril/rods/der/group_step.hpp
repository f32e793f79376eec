// The implicit step of one lane group: what stepper.hpp runs for every group and one_step.hpp cuts open for contact.
#pragma once

#include <array>

#include "tendril/rods/der/stepper.hpp"

namespace tendril::der {

class GroupStep {
 public:
  static constexpr int most_lanes = 8;
  using LaneValues = std::array<double, most_lanes>;

  GroupStep(const Strands& strands, const Targets& targets, const StepOptions& options, const State& state,
            std::size_t g, GroupScratch& scratch);

  // The whole step.
  StepReport run(std::span<double> out);

  // The same in two parts: the increment of the first Newton iteration goes to the scratch, and any increment is
  // applied.
  StepReport linearise_at_start();
  StepReport advance_by(std::span<const double> increment, std::span<double> out);
  // Likewise at an iterate that these have led to.
  StepReport linearise_at(std::span<const double> iterate);
  StepReport advance_from(std::span<const double> iterate, std::span<const double> increment, std::span<double> out);

  // [vertex][4][lane], beside those of the group.
  void add_loads(std::span<const double> loads);

  double step() const { return effective_.h; }  // [s] what an increment is divided by to give a velocity
  bool plain_euler() const { return effective_.ratio == 0.0; }
  // (q - q_start) / h before anything has moved: zero for Euler; component c of the group's slot k.
  double start_velocity(int k, int c, int lane) const;

  // Largest residual over the group's strands of the step that ended in `after`, relative as in StepOptions.
  double residual_of(std::span<const double> after);
  // Whether no strand's was above the tolerance, or above what the rounding of positions makes.
  bool is_balanced() const { return balanced_; }

 private:
  StepReport run_once(std::span<double> out);
  StepReport iterate(std::span<double> out);
  void aim_at_state_velocity();
  void begin_iteration();
  void fold_damping_into_rest();
  void start_iterate(std::span<double> iterate) const;
  void linearise(std::span<const double> at, StepReport& report);
  void advance(std::span<const double> from, std::span<const double> increment, const LaneValues& length,
               std::span<double> to, double* tension = nullptr);
  void stride();
  Trouble trouble_of(int lane) const;
  void judge_advance(StepReport& report) const;
  void judge_convergence(const LaneValues& relative, const std::array<bool, most_lanes>& converged,
                         StepReport& report) const;
  void note(StepReport& report, Outcome outcome, Trouble trouble, int lane) const;
  void search(std::array<bool, most_lanes>& stalled);
  void potential(std::span<const double> at, LaneValues& total);
  void slope_along_increment(LaneValues& slope) const;
  void measure_residual(std::span<const double> at, LaneValues& relative, LaneValues& rounding);
  double rounding_of(std::span<const double> at, std::size_t k, std::size_t lane) const;
  double vertex_load(std::size_t k, std::size_t lane) const;
  bool at_rounding(int lane) const;
  void keep_lane(std::span<const double> from, std::span<double> to, int lane) const;
  double advanced(AdvanceReport::Row row, int lane) const { return advanced_[std::size_t(row * lanes_ + lane)]; }
  double parameter(std::size_t k, int component, std::size_t lane) const {
    return parameters_[(k * ParameterLayout::components + std::size_t(component)) * std::size_t(lanes_) + lane];
  }

  const Strands::Group& group_;
  const Kernels& kernels_;
  const StepOptions& options_;
  GroupScratch& scratch_;
  GroupView view_;
  std::span<const double> parameters_;
  std::span<const double> state_;
  std::span<const double> previous_;  // empty: no step before
  EffectiveStep effective_;
  int lanes_;
  std::size_t values_;  // vertices times lanes
  StepTerms terms_;
  bool balanced_ = false;
  alignas(64) LaneValues stiffening_{};
  alignas(64) std::array<double, std::size_t(AdvanceReport::rows* most_lanes)> advanced_{};
};

}  // namespace tendril::der
