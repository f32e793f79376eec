// Discrete elastic rods whose edges keep their lengths: der::OneStep with the links put inside its inverse, so that
// contact never excites stretching, and with its end projected onto them (docs/theory/inextensible.md). Unknowns and
// material points are those of der::OneStep.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/contracts/one_step.hpp"
#include "tendril/rods/chain/selection.hpp"
#include "tendril/rods/der/one_step.hpp"
#include "tendril/rods/inextensible/links.hpp"
#include "tendril/rods/inextensible/method.hpp"

namespace tendril::inextensible {

// Strands of which nothing but the stretching is left out: links that cannot stretch need no stiffness, and a matrix
// without it keeps eight digits more. They are as long as drawn, or as long as their reference lengths.
der::Description without_stretch(der::Description description);

// What strands have that the method cannot do; nothing: it can.
std::optional<Error> unfit(const der::Strands& strands, Method method);

struct Options {
  Method method = Method::newton;
  int max_iterations = 30;   // of a projection; 5 are usual
  double tolerance = 1e-12;  // largest |length / link - 1|; the rounding of positions may ask for more
  double settled = 1e-7;     // the last move of a vertex, over the shortest link
};

struct Report {
  der::StepReport step;
  double stretch = 0.0;  // largest |length / link - 1| at the end
  int iterations = 0;    // most of any strand, both projections
};

class OneStep {
 public:
  static constexpr bool points_follow_vertices = true;  // linearly, on each edge

  explicit OneStep(const Options& options = {}) : options_(options) {}
  OneStep(const der::Strands& strands, const der::Targets& targets, const der::StepOptions& step_options,
          const Options& options, const der::State& state)
      : options_(options) {
    linearise(strands, targets, step_options, state);
  }
  // At `state`, where the step would end under the forces [N] that contact is expected to exert on the vertices (none
  // if empty). The arguments must outlive the step; memory of earlier ones is used again.
  der::StepReport linearise(const der::Strands& strands, const der::Targets& targets,
                            const der::StepOptions& step_options, const der::State& state,
                            std::span<const Eigen::Vector3d> expected = {});

  std::size_t block_count() const { return rods_.block_count(); }
  std::size_t block_size(std::size_t block) const { return rods_.block_size(block); }
  double step() const { return rods_.step(); }
  bool has_start_velocity() const { return rods_.has_start_velocity(); }
  void start_velocity(std::size_t block, std::span<double> out) const { rods_.start_velocity(block, out); }
  void free_velocity(std::size_t block, std::span<double> out) const;
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const;
  UnknownRange unknowns_of(const MaterialPoint& point) const { return rods_.unknowns_of(point); }
  bool is_driven(const MaterialPoint& point) const { return rods_.is_driven(point); }
  Eigen::Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const {
    return rods_.point_velocity(point, velocity);
  }
  void add_point_impulse(const MaterialPoint& point, const Eigen::Vector3d& impulse, std::span<double> out) const {
    rods_.add_point_impulse(point, impulse, out);
  }
  void set_velocity(std::size_t block, std::span<const double> velocity);

  // Strands that contact has met unexpectedly and that would have gone far without it are linearised where the step
  // starts: contact is then to be resolved again. False: there are none.
  bool relinearise_touched();

  // Projects what contact has settled on, and moves `state` by it into `trial`. Once.
  Report advance(der::State& trial);
  // What has led a block to its end, once that has been found; false: what contact has settled on.
  bool end_velocity(std::size_t block, std::span<double> out) const;
  double residual() const { return residual_; }
  // [N] What the links of a block carry without contact.
  std::span<const double> tension(std::size_t block) const { return blocks_[block].tension; }

 private:
  struct Block {
    der::StepMatrix matrix;
    LinkSystem links;                    // at the end of the step without contact
    std::vector<Eigen::Vector3d> start;  // [m] vertices; they end at start + h velocity
    std::vector<Eigen::Vector3d> now;    // [m] where they are
    std::vector<Eigen::Vector3d> place;  // [m] scratch of a projection
    std::vector<double> free, velocity;  // four per vertex
    std::vector<double> tension;         // [N] per link
    std::vector<double> aim, move, gap;  // scratch
    std::vector<double> impulses;        // [N s] that contact is expected to exert, four per vertex; empty: none
    double stretch = 0.0;                // as in Report
    int iterations = 0;
    bool touched = false, failed = false;
    bool on_links = false;  // `free` leads to where all links have their lengths
  };
  void begin(std::size_t block);
  void finish(std::size_t block);
  void prepare_at_start(std::size_t block);
  bool goes_far(std::size_t block) const;
  bool turns_over(std::size_t block) const;
  bool has_expected(std::size_t block) const;  // forces of contact
  void fill_expected(std::size_t block, std::span<double> impulses) const;
  // Moves velocities of blocks, `free` or `velocity`, to ones at whose end all links have their lengths: the nearest in
  // the metric of the step, or by fast projection.
  using Velocities = std::vector<double> Block::*;
  void project(std::span<const std::size_t> blocks, Velocities velocities);
  void project_by_newton(std::size_t block, std::span<double> velocity);
  void project_fast(std::span<const std::size_t> blocks, Velocities velocities);
  void take_fast(std::size_t block, std::size_t which, std::span<double> velocity);
  void set_right_hand_side(std::size_t block, std::span<const double> velocity);
  double rounding_of(std::size_t block) const;
  double set_places(std::size_t block, std::span<const double> velocity);  // returns the largest stretch
  std::span<const double> lengths(std::size_t block) const {
    return {&lengths_[strands_->offset(block)], strands_->vertices(block) - 1};
  }
  double residual_of(std::size_t block, const der::State& trial, const der::GroupStreams& forces) const;

  const der::Strands* strands_ = nullptr;
  const der::Targets* targets_ = nullptr;
  const der::StepOptions* step_options_ = nullptr;
  const der::State* state_ = nullptr;
  std::span<const Eigen::Vector3d> expected_;
  Options options_;
  der::OneStep rods_;
  std::vector<double> lengths_;  // [m] per vertex: of the link that begins there
  std::vector<Block> blocks_;
  std::vector<std::size_t> which_;  // blocks to be projected
  std::vector<char> again_;         // blocks that are linearised again
  chain::Projector projector_;      // of fast projection, with what it projects
  std::vector<double> masses_;      // [kg], per vertex
  chain::Selection chains_;
  der::StepWorkspace work_;  // of the residual
  der::GroupStreams forces_;
  double residual_ = 0.0;
};
static_assert(OneStepSystem<OneStep>);

}  // namespace tendril::inextensible
