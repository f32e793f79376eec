// A scene that is stepped by its user rather than by a run: for control loops, for experiments, for other programs.
// Poses and wrenches come in between steps, positions and reactions go out. Nothing is written unless save() is called.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tendril/base/error.hpp"
#include "tendril/rods/der/reactions.hpp"
#include "tendril/sim/groom_pose.hpp"
#include "tendril/sim/static_frame.hpp"
#include "tendril/sim/step.hpp"

namespace tendril {

// A force at a vertex and a moment on the edge that starts there, or that ends there at the tip.
struct AppliedWrench {
  std::string set;  // name of the strands
  std::size_t strand = 0;
  int vertex = -1;                                   // negative: counted from the tip
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   // [N]
  Eigen::Vector3d moment = Eigen::Vector3d::Zero();  // [N m]
};

struct SimulationStep {
  int steps = 0, usable = 0;
  int iterations = 0;     // most of any strand
  double residual = 0.0;  // of statics, or when iterating to convergence
};

class Simulation {
 public:
  // Takes the pre-roll, too.
  static Result<Simulation> create(Scene scene);
  // A file of save(), or a checkpoint of a run.
  static Result<Simulation> load(const std::filesystem::path& path);
  Status save(const std::filesystem::path& path) const;

  const Scene& scene() const { return scene_; }
  const World& world() const { return world_; }
  const WorldState& state() const { return state_; }
  double time() const { return state_.clock.time(world_.run.dt()); }  // [s]
  int frame() const;                                                  // the last one that is complete, from 1
  bool done() const { return frame() > world_.run.frames; }           // the scene's last frame is complete

  // One time step; of a static scene one frame. The state is as it was before if it fails. Wrenches act in this step.
  Result<SimulationStep> step();

  // The roots of a set leave their motion and go to `pose` in the next step, where they stay. It carries them from
  // where they were drawn.
  Status set_pose(const std::string& set, const Pose& pose);
  Status apply_wrench(const AppliedWrench& wrench);
  void clear_wrenches() { wrenches_.clear(); }

  // In the order of all grooms, with the strands that guides carry. The latter have no velocity between load() and the
  // next step.
  std::vector<Eigen::Vector3d> positions() const, velocities() const;
  std::vector<double> radius() const;
  std::vector<std::size_t> offsets() const;

  // Of all simulated strands of a set, at the present state, under gravity and the scene's loads.
  Result<std::vector<der::Reactions>> reactions(const std::string& set) const;
  Result<std::vector<double>> probe(const std::string& name) const;
  der::Energies energies() const;
  std::uint64_t hash() const { return tendril::hash(world_, state_); }

 private:
  explicit Simulation(Scene scene) : scene_(std::move(scene)) {}
  Result<std::size_t> part_of(const std::string& set) const;
  Status load_wrenches();
  void reload_scene_loads();
  LastStep last_step() const { return has_stepped_ ? LastStep{&work_.before, last_dt_} : LastStep{}; }

  Scene scene_;
  World world_;
  WorldState state_;
  WorldWorkspace work_;
  std::vector<AppliedWrench> wrenches_;
  bool has_stepped_ = false;
  double last_dt_ = 0.0;  // [s]
};

}  // namespace tendril
