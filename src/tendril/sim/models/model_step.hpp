// One implicit step of one set of strands, whatever its model: linearised, open for contact (contracts/one_step.hpp),
// advanced. Memory is used again from step to step; nothing of it shows in the results.
#pragma once

#include <optional>
#include <span>

#include "tendril/geometry/pose.hpp"
#include "tendril/rods/der/stepper.hpp"
#include "tendril/sim/contact/step_system.hpp"
#include "tendril/sim/models/part_state.hpp"
#include "tendril/sim/strand_troubles.hpp"

namespace tendril {

// All of it must outlive the step.
struct StepInputs {
  const der::Strands& strands;
  const der::Targets& targets;  // of clamps and holds, and the forces that contact has found
  std::span<const Pose> roots;  // where the roots end, from where they were drawn: one for all strands, or one each
  const der::StepOptions& options;
  // [N] that contact pushed the vertices with in the step before, or in the round before of this one; empty: none.
  // Taut strands need to know roughly what will hold them where a step is linearised.
  std::span<const Eigen::Vector3d> contact_before;
  der::StepWorkspace& scratch;  // of the rods' kernels; all parts share it
};

class ModelStep : public StepSystem {
 public:
  virtual der::StepReport linearise(const StepInputs& inputs, const PartState& state) = 0;
  // The same step again, at an iterate that advance() has led to; only of models that iterate (ModelTraits).
  virtual der::StepReport linearise_at(const PartState&) { return {}; }
  // Once contact has been resolved: whether it is to be again, for strands that have been linearised anew because of
  // it.
  virtual bool relinearise_touched() { return false; }
  // What contact pushes the vertices with [N], in the user's order: for the residual.
  virtual void set_contact_forces(std::span<const Eigen::Vector3d>) {}
  virtual der::StepReport advance(PartState& trial) = 0;
  // At the state that advance() has led to, which must still be there.
  virtual double residual() const = 0;
  virtual bool is_balanced() const { return true; }
  // The same of the step from `before` to `after`, once it has been committed.
  virtual double force_residual(const StepInputs&, const PartState& /*before*/, const PartState& /*after*/) {
    return residual();
  }
  // Why strands of the last step stayed above tolerance, of models that can say; set and time are the caller's to fill.
  virtual std::vector<StrandTrouble> troubles() const { return {}; }

  // The whole step, free of contact.
  virtual der::StepReport take(const StepInputs& inputs, const PartState& state, PartState& trial) {
    der::StepReport linearised = linearise(inputs, state);
    der::StepReport advanced = advance(trial);
    advanced.clamped_pivots += linearised.clamped_pivots;
    return advanced;
  }
};

// The part of it that is the one-step contract, for a system that is made anew or again by linearise().
template <OneStepSystem M>
class ModelStepOf : public ModelStep {
 public:
  std::size_t block_count() const override { return system_->block_count(); }
  std::size_t block_size(std::size_t block) const override { return system_->block_size(block); }
  double step() const override { return system_->step(); }
  bool has_start_velocity() const override {
    if constexpr (requires { system_->has_start_velocity(); })
      return system_->has_start_velocity();
    else
      return true;
  }
  void start_velocity(std::size_t block, std::span<double> out) const override { system_->start_velocity(block, out); }
  void free_velocity(std::size_t block, std::span<double> out) const override { system_->free_velocity(block, out); }
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const override {
    system_->apply_inverse(block, columns, out);
  }
  void apply_inverse_downwards(std::size_t block, std::size_t columns, std::span<double> out) const override {
    if constexpr (requires { system_->apply_inverse_downwards(block, columns, out); })
      system_->apply_inverse_downwards(block, columns, out);
    else
      system_->apply_inverse(block, columns, out);
  }
  void point_compliance(std::size_t block, std::span<const MaterialPoint> points, float* rows) const override {
    if constexpr (requires { system_->point_compliance(block, points, rows); })
      system_->point_compliance(block, points, rows);
    else
      StepSystem::point_compliance(block, points, rows);
  }
  bool points_follow_vertices() const override {
    if constexpr (requires { M::points_follow_vertices; })
      return M::points_follow_vertices;
    else
      return false;
  }
  UnknownRange unknowns_of(const MaterialPoint& point) const override { return system_->unknowns_of(point); }
  bool is_driven(const MaterialPoint& point) const override { return system_->is_driven(point); }
  void find_driven(std::size_t block, std::span<char> vertices, std::span<char> elements) const override {
    if constexpr (requires { system_->find_driven(block, vertices, elements); })
      system_->find_driven(block, vertices, elements);
    else
      StepSystem::find_driven(block, vertices, elements);
  }
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const override {
    return system_->point_velocity(point, velocity);
  }
  void point_velocities(std::span<const MaterialPoint> points, std::span<const double> velocity,
                        double* out) const override {
    for (const MaterialPoint& point : points) out = put_four(system_->point_velocity(point, velocity), out);
  }
  void vertex_velocities(std::size_t block, std::span<const double> velocity,
                         std::span<Eigen::Vector3d> out) const override {
    if constexpr (requires { system_->vertex_velocities(block, velocity, out); }) {
      system_->vertex_velocities(block, velocity, out);
    } else {
      for (std::size_t k = 0; k + 1 < out.size(); ++k) out[k] = system_->point_velocity({block, k, 0.0}, velocity);
      out.back() = system_->point_velocity({block, out.size() - 2, 1.0}, velocity);
    }
  }
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse,
                         std::span<double> out) const override {
    system_->add_point_impulse(point, impulse, out);
  }
  void set_velocity(std::size_t block, std::span<const double> velocity) override {
    system_->set_velocity(block, velocity);
  }
  bool end_velocity(std::size_t block, std::span<double> out) const override {
    if constexpr (requires { system_->end_velocity(block, out); })
      return system_->end_velocity(block, out);
    else
      return false;
  }
  double residual() const override { return system_ ? system_->residual() : 0.0; }

 protected:
  std::optional<M> system_;
};

}  // namespace tendril
