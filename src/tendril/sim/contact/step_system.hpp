// The one-step systems of all parts of a world as one: blocks are numbered through. A contact solver sees this and
// nothing of the models.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "tendril/contracts/one_step.hpp"

namespace tendril {

class StepSystem {
 public:
  virtual ~StepSystem() = default;
  virtual std::size_t block_count() const = 0;
  virtual std::size_t block_size(std::size_t block) const = 0;
  virtual double step() const = 0;
  virtual void start_velocity(std::size_t block, std::span<double> out) const = 0;
  virtual void free_velocity(std::size_t block, std::span<double> out) const = 0;
  virtual void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const = 0;
  virtual UnknownRange unknowns_of(const MaterialPoint& point) const = 0;
  virtual bool is_driven(const MaterialPoint& point) const = 0;
  virtual Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const = 0;
  virtual void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse,
                                 std::span<double> out) const = 0;
  virtual void set_velocity(std::size_t block, std::span<const double> velocity) = 0;
};

template <OneStepSystem M>
class StepSystemOf final : public StepSystem {
 public:
  M model;

  std::size_t block_count() const override { return model.block_count(); }
  std::size_t block_size(std::size_t block) const override { return model.block_size(block); }
  double step() const override { return model.step(); }
  void start_velocity(std::size_t block, std::span<double> out) const override { model.start_velocity(block, out); }
  void free_velocity(std::size_t block, std::span<double> out) const override { model.free_velocity(block, out); }
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const override {
    model.apply_inverse(block, columns, out);
  }
  UnknownRange unknowns_of(const MaterialPoint& point) const override { return model.unknowns_of(point); }
  bool is_driven(const MaterialPoint& point) const override { return model.is_driven(point); }
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const override {
    return model.point_velocity(point, velocity);
  }
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse,
                         std::span<double> out) const override {
    model.add_point_impulse(point, impulse, out);
  }
  void set_velocity(std::size_t block, std::span<const double> velocity) override {
    model.set_velocity(block, velocity);
  }
};

// A block of one of the systems.
struct BlockPlace {
  StepSystem* system = nullptr;
  std::size_t block = 0;  // of the system

  MaterialPoint point(std::size_t element, double along) const { return {block, element, along}; }
};

std::vector<BlockPlace> all_blocks(std::span<const std::unique_ptr<StepSystem>> systems);

}  // namespace tendril
