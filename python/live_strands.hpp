// The object behind tendril.der.Strands: a model with its state, its prescribed motion and its clock. It knows nothing
// of Python. Any thread may call any method at any time: each takes the object's lock, and a long run of steps gives it
// back after each step. Input that is wrong throws std::invalid_argument with the sentence of our Error.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <vector>

#include "fair_mutex.hpp"
#include "tendril/geometry/pose.hpp"
#include "tendril/implicit/der_statics.hpp"
#include "tendril/rods/der/reactions.hpp"
#include "tendril/rods/der/rod.hpp"
#include "tendril/rods/der/stepper.hpp"
#include "tendril/rods/der/strands.hpp"
#include "tendril/sagfree/optimise.hpp"
#include "threads.hpp"

namespace tendril::python {

using FrameMatrix = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;  // columns m1, m2, tangent; NumPy's order in memory

// The steps of one call, added up.
struct RunReport {
  der::StepReport worst;               // most iterations, largest residual, first trouble of the worst outcome
  std::int64_t steps = 0, usable = 0;  // committed; of these, above tolerance
};

enum class HessianKind : std::uint8_t { step, exact };
enum class End : std::uint8_t { root, tip };

class LiveStrands {
 public:
  LiveStrands(der::Description description, std::vector<der::Hold> holds, Isa isa);
  LiveStrands(const LiveStrands& other);
  LiveStrands& operator=(const LiveStrands&) = delete;

  // Never change.
  std::size_t strands() const { return strands_.size(); }
  std::size_t vertices() const { return strands_.vertex_count(); }
  const std::vector<std::size_t>& offsets() const { return strands_.description().curves.offsets; }
  const std::vector<der::Hold>& holds() const { return strands_.holds(); }

  // The state in the user's order. The positions stay where they are in memory for as long as the object lives, and are
  // refreshed by whatever changes the state (if anybody has asked for them: else they cost nothing).
  const std::vector<Eigen::Vector3d>& positions();
  std::vector<Eigen::Vector3d> velocities() const;
  std::vector<double> thetas() const, theta_velocities() const, reference_twists() const;
  std::vector<Eigen::Vector3d> directors() const;  // NaN at the last vertex of a strand, where no edge starts
  std::vector<FrameMatrix> frames() const;         // NaN there, too
  double time() const;                             // [s]
  std::uint64_t hash() const;

  void set_positions(std::span<const Eigen::Vector3d> positions);
  void set_velocities(std::span<const Eigen::Vector3d> velocities);
  void set_thetas(std::vector<double> thetas);  // entries without an edge are taken as 0
  void set_theta_velocities(std::vector<double> velocities);
  void set_directors(std::vector<Eigen::Vector3d> directors, std::span<const double> nearest_twists);

  // Where the clamped end of a strand (or of all) shall be at the end of the next run, relative to the drawn pose.
  void set_pose(std::size_t strand, End end, const Pose& pose);
  void set_hold(std::size_t hold, const Pose* pose, const double* angle);
  void add_load(const der::Load& load);
  void clear_loads();

  // `pause` is called between steps every few hundredths of a second, without the lock; it may throw, and the run then
  // ends after a whole step. Poses that were set go from where they are to where they shall be along screws, in equal
  // parts. A step that fails ends the run: the state is as it was before that step.
  RunReport step(const der::StepOptions& options, std::int64_t steps, const std::function<void()>& pause);
  std::vector<der::StaticReport> solve_static(const der::StaticOptions& options);

  // Of strands [begin, end).
  std::vector<der::Energies> energies(std::size_t begin, std::size_t end, const Eigen::Vector3d& gravity) const;
  std::vector<der::Reactions> reactions(std::size_t begin, std::size_t end, const Eigen::Vector3d& gravity) const;
  std::vector<Eigen::Vector4d> forces(const Eigen::Vector3d& gravity) const;  // per vertex: x, y, z, theta
  std::vector<std::array<bool, 4>> held() const;                              // per vertex
  // Lower band over the strand's own unknowns, without the dummy angle and without the ghosts of point clamps.
  Band<double> hessian(std::size_t strand, HessianKind kind, double dt) const;

  // Rest state and mass; entries without an owner are 0.
  std::vector<double> reference_lengths() const, rest_strains() const, rest_twists() const, masses() const;
  std::vector<std::array<double, 4>> rest_curvatures() const;
  der::RestState rest_state() const;
  sagfree::Outcome make_sag_free(const sagfree::Options& options);
  void set_rest(const std::vector<double>* strain, const std::vector<std::array<double, 4>>* curvature,
                const std::vector<double>* twist);

 private:
  // While alive, the object is this thread's and the thread count stays.
  struct Guard {
    explicit Guard(const LiveStrands& object) : lock(object.mutex_) {}
    Computing computing;  // first: who waits for it holds nothing else
    std::lock_guard<FairMutex> lock;
  };

  LiveStrands(const LiveStrands& other, const Guard& of_other);

  std::vector<double> without_last(std::vector<double> per_edge) const;
  template <class T>
  std::vector<T> joints_only(std::vector<T> per_joint) const;
  std::vector<Eigen::Vector3d> gather_directors() const;
  void refresh();
  void advance_clock(double dt);

  mutable FairMutex mutex_;
  der::Strands strands_;
  der::State state_, trial_;
  der::Targets targets_;
  der::StepWorkspace work_;
  der::Drive wanted_, reached_, drive_;  // one pose per strand, one per hold

  // Time as a multiple of the step, so that ten thousand steps of 0.1 ms make one second.
  double time_base_ = 0.0, time_step_ = 0.0;
  std::int64_t time_steps_ = 0;

  std::vector<Eigen::Vector3d> positions_;
};

}  // namespace tendril::python
