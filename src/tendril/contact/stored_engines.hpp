// What accelerated gradients and Gauss-Seidel do to a problem that comes as W: the same steps as on nodes
// (node_gradients.hpp, node_sweeps.hpp), in plain doubles, with rows of W in place of blocks.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "tendril/contact/explicit_delassus.hpp"
#include "tendril/contact/gradient_kernels.hpp"
#include "tendril/contact/local_factor.hpp"
#include "tendril/contact/other_impulses.hpp"

namespace tendril::contact {

// 3 / tr W_ii; 0 for what cannot be moved beside the others.
std::vector<double> impulse_scales(const ExplicitDelassus& system);
std::vector<double> impulse_scales(const ExplicitDelassus& system, std::span<const std::uint32_t> some);

// [m/s], how far from the law all contacts are.
std::vector<double> errors_of(const ExplicitDelassus& system, std::span<const double> scales, const Impulses& r,
                              const Impulses& u);
// Of the worst of them, under the velocities that r makes.
double largest_error(const ExplicitDelassus& system, const Impulses& r);

class StoredGradients {
 public:
  explicit StoredGradients(const ExplicitDelassus& system);

  static constexpr bool is_single() { return false; }
  // In the metric of the impulse scales.
  static constexpr double usual_curvature = 20.0, least_curvature = 1.0,
                          most_curvature = std::numeric_limits<double>::infinity();

  std::size_t size() const { return system_.size(); }
  void start(const Impulses& r);
  static void adapt_steps(double) {}  // steps are those of the impulse scales
  StepSums step(double momentum, double step_length);
  double respond(double next_momentum);
  double error() const;
  void keep_best() { best_ = r_; }
  const Impulses& best() const { return best_; }
  const Impulses& impulses() const { return r_; }  // as they stand

 private:
  const ExplicitDelassus& system_;
  const std::vector<double> scales_;
  Impulses r_, old_r_, y_, u_, u_y_, next_u_, best_;
  std::vector<StepSums> sums_;
};

class StoredSweeps {
 public:
  StoredSweeps(const ExplicitDelassus& system, const Options& options, double speed);

  std::size_t size() const { return system_.size(); }
  void start(const Impulses& r) { r_ = r, std::ranges::fill(asleep_, 0); }
  std::size_t sweep();
  double error() const;
  void keep_best() { best_ = r_; }
  const Impulses& best() const { return best_; }
  const OtherImpulses& others() const { return others_; }

 private:
  Eigen::Vector3d next_impulse(std::size_t contact, const Eigen::Vector3d& u);

  const ExplicitDelassus& system_;
  const std::vector<double> scales_;
  const double least_velocity_;  // [m/s] times the scale: changes below it put a contact to sleep
  OtherImpulses others_;
  std::vector<LocalFactor> factors_;
  std::vector<char> closed_form_;
  std::vector<int> asleep_;
  std::vector<double> alpha_;
  Impulses r_, best_;
};

}  // namespace tendril::contact
