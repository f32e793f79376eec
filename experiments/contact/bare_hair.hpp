// Hair on a head that is shaken, stepped through the contracts of models, detection and contact alone
// (docs/theory/coupling.md), so that an experiment may choose what a scene does not let it: the local solver, and the
// tangents of contacts. Steps are not halved, and strands that pass through each other are not sent back.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <vector>

#include "tendril/collide/body.hpp"
#include "tendril/collide/grid.hpp"
#include "tendril/collide/narrow.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/sim/contact/assembly.hpp"
#include "tendril/sim/models/model_step.hpp"

namespace tendril::experiments::contact {

struct BareHairOptions {
  int strands = 250, vertices = 16;
  double radius = 8e-4;  // [m]
  double mu = 0.3, mu_head = 0.5;
  double shaken = 0.8;     // [s], then the head stands still
  std::uint64_t seed = 1;  // of where strands are drawn
  double turn = 0.0;       // [rad] of the tangents of every contact about its normal
  tendril::contact::Options solver;
};

class BareHair {
 public:
  explicit BareHair(const BareHairOptions& options);

  void step();
  double time() const { return steps_ * dt; }  // [s]
  const std::vector<Eigen::Vector3d>& positions() const { return positions_; }
  std::vector<std::size_t> offsets() const { return {offsets_.begin(), offsets_.end()}; }
  double radius() const { return options_.radius; }
  const tendril::contact::Problem& problem() const { return problem_; }  // of the last step

 private:
  static constexpr double dt = 4e-3;  // [s]

  Pose head(double time) const;
  void set_free_motion();
  void find_contacts();
  void make_rows();
  void resolve();
  bool is_driven(const collide::StrandPoint& at) const;

  const BareHairOptions options_;
  const der::Strands strands_;
  PartState state_, trial_;
  der::Targets targets_;
  der::StepOptions step_options_;
  der::StepWorkspace scratch_;
  std::unique_ptr<ModelStep> system_;
  std::vector<BlockPlace> blocks_;
  BlockVectors free_velocity_;
  std::vector<Eigen::Vector3d> positions_, motion_, ends_;  // [m]
  std::vector<double> radii_;
  std::vector<std::uint32_t> offsets_;
  std::vector<collide::Body> bodies_;
  collide::Grid grid_;
  collide::Narrow narrow_;
  std::vector<collide::SegmentPair> pairs_;
  std::vector<collide::Contact> contacts_, last_contacts_;
  std::vector<Eigen::Vector3d> impulses_;  // [N s], of the last contacts, in world axes
  std::vector<ContactRow> rows_;
  Touches touches_;
  ContactAssembly assembly_;
  tendril::contact::Problem problem_;
  tendril::contact::Impulses start_;
  int steps_ = 0;
};

}  // namespace tendril::experiments::contact
