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
  int steps = 0, usable = 0, retries = 0;
  int iterations = 0;     // most of any strand
  double residual = 0.0;  // of statics, or when iterating to convergence
  ContactTotals contacts;
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

  // One time step; of a static scene one frame. The state is as it was before if it fails. Wrenches act in this step,
  // and in all that is measured at its end.
  Result<SimulationStep> step();

  // The roots of a set leave their motion and go to `pose` in the next step, where they stay. It carries them from
  // where they were drawn.
  Status set_pose(const std::string& set, const Pose& pose);
  Status apply_wrench(const AppliedWrench& wrench);
  void clear_wrenches() { wrenches_.clear(); }
  // The roots go on with their motion; to be called where that has them, or they jump.
  Status release_pose(const std::string& set);

  // What of the scene can be changed between steps. A file of save() has the scene as it was written, without that.
  Status set_gravity(const Eigen::Vector3d& gravity);  // [m/s2]
  Status set_wind(const Eigen::Vector3d& wind);        // [m/s]; there must be air
  Status scale_stiffness(double factor);               // of all strands, as a multiple of the scene's
  Status set_damping(std::optional<double> seconds);   // of all strands; nothing: the scene's
  Status scale_friction(double factor);                // of all contacts, as a multiple of the scene's

  // Back to where it was created or loaded. What was changed of the scene stays so; given poses and wrenches go.
  void reset();

  // In the order of all grooms, with the strands that guides carry. The latter have no velocity between load() and the
  // next step.
  std::vector<Eigen::Vector3d> positions() const, velocities() const;
  std::vector<double> radius() const;
  std::vector<std::size_t> offsets() const;

  // [N] that contacts and joints pushed every vertex with in the last step; zero where strands are carried by guides.
  std::vector<Eigen::Vector3d> contact_forces() const;

  // Of all simulated strands of a set, at the present state, under gravity, the scene's loads and the wrenches of
  // the last step.
  Result<std::vector<der::Reactions>> reactions(const std::string& set) const;
  Result<std::vector<double>> probe(const std::string& name) const;
  der::Energies energies() const;
  LastStep last_step() const { return has_stepped_ ? LastStep{&work_.before, last_dt_} : LastStep{}; }
  Residuals residuals();  // at the state that the last step led to; zero if there was none
  std::uint64_t hash() const { return tendril::hash(world_, state_); }

 private:
  explicit Simulation(Scene scene) : scene_(std::move(scene)) {}
  Result<std::size_t> part_of(const std::string& set) const;
  struct ActingLoad {
    std::size_t part = 0;
    der::Load load;
  };
  std::vector<ActingLoad> loads_of_wrenches() const;
  // These beside the scene's, and no others.
  Status act(std::vector<ActingLoad> loads);
  void begin_here();

  // Where reset() goes back to.
  struct Beginning {
    WorldState state, before;
    bool has_stepped = false;
    double last_dt = 0.0;  // [s]
  };

  Scene scene_;
  World world_;
  WorldState state_;
  WorldWorkspace work_;
  std::vector<AppliedWrench> wrenches_;
  std::vector<ActingLoad> acting_;  // of the wrenches of the last step: what is measured is measured under them
  bool has_stepped_ = false;
  double last_dt_ = 0.0;  // [s]
  Residuals static_residuals_;
  Beginning beginning_;
};

}  // namespace tendril
