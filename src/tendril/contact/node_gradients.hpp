// What accelerated gradients do to contacts on nodes: the arrays that the kernels run over.
#pragma once

#include <limits>
#include <vector>

#include "tendril/contact/chunks.hpp"
#include "tendril/contact/gradient_kernels.hpp"
#include "tendril/contact/gradient_steps.hpp"
#include "tendril/contact/node_space.hpp"

namespace tendril::contact {

class NodeGradients {
 public:
  // What C is multiplied in. Its products wait for memory: in single precision they take half as long. A space whose
  // compliances are packed has no other.
  enum class Precision { full, single };

  explicit NodeGradients(const NodeSpace& space, Isa isa = active_isa(), Precision precision = Precision::full);
  NodeGradients(const NodeGradients&) = delete;  // its bounds know it
  NodeGradients& operator=(const NodeGradients&) = delete;

  // Of the curvature of W along a step, beside the metric of gradient_steps.hpp: what it usually is, and at least. At
  // most it is 1, and somewhat more since eigenvalues are estimates: beyond that it is round-off in short steps.
  static constexpr double usual_curvature = 0.5, least_curvature = 0.05, most_curvature = 1.5;

  std::size_t size() const { return space_.size(); }
  bool is_single() const { return packed_ != nullptr; }

  // r projected on its cone, and the velocities under it; the extrapolated point is r itself.
  void start(const Impulses& r);
  // Steps that suit the impulses as they stand (Eq. 42), with the speed that errors are relative to [m/s]. Until then
  // they are none.
  void adapt_steps(double speed);
  // r⁺ from the extrapolated point (Eq. 33): turn and length.
  StepSums step(double momentum, double step_length);
  // Velocities under r, and the next extrapolated point: curvature.
  double respond(double next_momentum);
  // Errors [m/s] of all contacts at r: the worst of them is not finite if a number is not.
  ErrorSums errors(double limit);
  double error() { return errors(std::numeric_limits<double>::infinity()).worst; }

  void keep_best() { best_ = r_; }
  Impulses best() const;
  Impulses impulses() const;

 private:
  void add_contacts();
  void add_contact(std::size_t index);
  void add_terms();
  void add_touches();
  void pair_matrices();
  void pack_matrices();
  GradientView view();
  BlockScratch scratch();  // of this worker
  bool wakes_threads() const { return size() >= worth_sharing; }
  Impulses unpacked(const AlignedVector<double>& r) const;

  const NodeSpace& space_;
  const GradientKernels& kernels_;
  std::size_t lanes_, group_count_;
  GradientSteps bounds_;
  std::vector<double> step_weights_, steps_;
  AlignedVector<double> groups_, pushes_;  // pushes_: empty if there are none
  AlignedVector<double> matrices_;         // of all blocks; empty: in single precision
  AlignedVector<float> own_packed_;        // those, unless they are the space's
  const float* packed_ = nullptr;
  struct Scratch {
    AlignedVector<double> numbers;
    AlignedVector<float> packed;
  };
  std::vector<Scratch> scratch_;  // per worker
  std::vector<std::uint32_t> term_starts_;
  std::vector<TermRecord> terms_;
  std::vector<BlockRecord> blocks_;
  std::vector<SegmentRecord> segments_;
  std::vector<TouchRecord> touches_;
  std::vector<TermTouch> term_touches_;
  AlignedVector<double> r_, old_r_, best_, push_, velocity_, velocity_y_, force_, force_y_;
  std::vector<StepSums> sums_;
  std::vector<ErrorSums> errors_;
};

}  // namespace tendril::contact
