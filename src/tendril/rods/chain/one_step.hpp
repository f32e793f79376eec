// Chains of points behind the one-step contract (docs/theory/chain.md, "Contact"): the step is the projection of a
// prediction, its inverse that of Newton's system at its end, and what contact has settled on is projected once more,
// so that links are exact at the committed state. One block per strand, three unknowns per vertex: its velocity.
#pragma once

#include <Eigen/Core>
#include <array>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "tendril/contracts/one_step.hpp"
#include "tendril/contracts/outcome.hpp"
#include "tendril/rods/chain/kkt_band.hpp"
#include "tendril/rods/chain/kkt_tree.hpp"
#include "tendril/rods/chain/project.hpp"
#include "tendril/rods/chain/selection.hpp"
#include "tendril/rods/chain/strands.hpp"
#include "tendril/rods/der/layout.hpp"

namespace tendril::chain {

// Where points are, how fast, and where they were a step before; indexed by vertex.
struct Motion {
  std::vector<Vector3d> x, v;                // [m], [m/s]
  std::vector<Vector3d> x_before, v_before;  // empty: the step is one of Euler
};

// All that acts in a step beside the strands themselves.
struct Surroundings {
  double dt = 1.0 / 240.0, previous_dt = 0.0;  // [s], of this step and of the one before
  Vector3d gravity = {0.0, -9.81, 0.0};        // [m/s²]
  Vector3d wind = Vector3d::Zero();            // [m/s]
  der::Air air;
  std::vector<Vector3d> anchor;          // [m], per vertex: what draws it; empty: nothing does
  std::vector<double> anchor_stiffness;  // [N/m]
  std::span<const Vector3d> expected;    // [N], per vertex: that contact exerted in the step before; empty: none
};

struct StepReport {
  tendril::Outcome outcome = tendril::Outcome::converged;
  std::size_t strand = 0, troubled = 0;  // the first strand that could not be projected, and how many there are
  int iterations = 0;                    // most of any projection
  // Per status, above round_off: how many strands ended so, and the first of them.
  std::array<std::size_t, status_count> ended{}, first{};
};

// How close a step of so many seconds is to come to its solution, over the mean link. Unless told, points may stay a
// millionth of what they fall in it from their places, so that shorter steps ask for more.
double projection_tolerance(const Settings& settings, double mean_length, double step, const Vector3d& gravity);

class OneStep {
 public:
  static constexpr bool points_follow_vertices = true;  // linearly, on each edge

  // The arguments must outlive the step; memory of earlier ones is used again.
  void linearise(const Strands& strands, const Clamped& before, const Ends& ends, const Surroundings& around,
                 const Motion& motion);

  // The whole step of some strands, free of contact: their points and velocities are written to x and v. Of the others
  // nothing is looked at.
  StepReport step_some(std::span<const std::size_t> blocks, const Strands& strands, const Clamped& before,
                       const Ends& ends, const Surroundings& around, const Motion& motion, std::vector<Vector3d>& x,
                       std::vector<Vector3d>& v);
  // The residual of a step that has been taken in another way and has led to x, with tensions as balance() has them.
  double balance_at(std::span<const Vector3d> x, std::span<const Vector3d> contact, const Strands& strands,
                    const Clamped& before, const Ends& ends, const Surroundings& around, const Motion& motion,
                    std::vector<double>& tensions);

  std::size_t block_count() const { return strands_->size(); }
  std::size_t block_size(std::size_t block) const { return 3 * strands_->vertices(block); }
  double step() const { return step_; }
  bool has_start_velocity() const { return !motion_->x_before.empty(); }
  void start_velocity(std::size_t block, std::span<double> out) const;
  void free_velocity(std::size_t block, std::span<double> out) const;
  void apply_inverse(std::size_t block, std::size_t columns, std::span<double> out) const;
  UnknownRange unknowns_of(const MaterialPoint& point) const { return {3 * point.element, 6}; }
  bool is_driven(const MaterialPoint& point) const;
  Vector3d point_velocity(const MaterialPoint& point, std::span<const double> velocity) const;
  void add_point_impulse(const MaterialPoint& point, const Vector3d& impulse, std::span<double> out) const;
  void set_velocity(std::size_t block, std::span<const double> velocity);

  // Strands that contact has met unexpectedly and that would have gone far without it are linearised where the step
  // starts: contact is then to be resolved again. False: there are none.
  bool relinearise_touched();

  // [N] that contact pushes the vertices with; must outlive advance().
  void set_contact_forces(std::span<const Vector3d> forces) { contact_ = forces; }
  // Projects what contact has settled on.
  StepReport advance(std::vector<Vector3d>& x, std::vector<Vector3d>& v);
  // What has led a block to its end, once that has been found; false: what contact has settled on.
  bool end_velocity(std::size_t block, std::span<double> out) const;
  // Of the equations of motion at the end, less whatever tensions balance them best, over the largest load of a vertex.
  double residual() const;
  // Likewise, with these tensions [N], of links.
  double balance(std::vector<double>& tensions) const;

 private:
  // Newton's system of a strand at the end of its step, made when it is first asked for.
  struct Block {
    KktBand band;
    bool is_usable = true, touched = false, at_start = false;
    bool on_links = true;  // its free velocity leads to where all links have their lengths
  };
  std::span<const Vector3d> of(const std::vector<Vector3d>& points, std::size_t block) const {
    return {&points[strands_->offset(block)], strands_->vertices(block)};
  }
  void begin_step(const Strands& strands, const Clamped& before, const Ends& ends, const Surroundings& around,
                  const Motion& motion);
  void prepare(std::size_t block);
  Options projection() const;
  double tolerance_for(double mean_length) const;  // of a projection
  void predict(std::size_t block);
  void add_drag(std::size_t first, std::size_t count, std::size_t i, Vector3d& sum);
  void set_joints(std::size_t block);
  Chains chains() const;
  bool has_expected(std::size_t block) const;
  const KktBand& factor(std::size_t block) const;
  void factorise(std::size_t block, std::span<const Vector3d> x, std::span<const double> multipliers) const;
  void solve(std::size_t block, std::span<Vector3d> moves) const;
  void subtract_expected(std::size_t block);
  bool goes_far(std::size_t block) const;
  void prepare_at_start(std::size_t block);
  // Where chains are projected to: where the step would lead without links, or where contact has settled on.
  enum class Toward : std::uint8_t { aim, velocity };
  bool is_changed(std::size_t block) const;
  bool pulls_along_old_links() const { return strands_->settings().method == Method::shake; }
  bool is_tied(std::size_t block) const { return strands_->trees().tree_of(block) != Trees::none; }
  void project_free();
  void project_touched();
  void select_strand(std::size_t block, Toward toward, Selection& to) const;
  void select_tree(std::size_t tree, Toward toward, Selection& to) const;
  void select_point(std::size_t vertex, Toward toward, Selection& to) const;
  void select_link(std::size_t link, Selection& to) const;
  void finish_selection(std::uint32_t which, Toward toward, Selection& to) const;
  void clear_selections();
  void project_selections();
  void put_back_strands();
  void put_back_trees();
  Vector3d push_at(std::size_t vertex) const;
  double load_at(std::size_t vertex) const;
  double balance_strand(std::size_t block, std::span<double> tensions) const;
  double balance_tree(std::size_t tree, std::span<double> tensions) const;
  bool put_end(std::size_t block, std::vector<Vector3d>& x, std::vector<Vector3d>& v);
  static void judge(std::size_t block, const tendril::chain::Outcome& found, bool is_finite, StepReport& report);
  Joints joints_of_block(std::size_t block) const;

  const Strands* strands_ = nullptr;
  const Clamped* before_ = nullptr;
  const Ends* ends_ = nullptr;
  const Surroundings* around_ = nullptr;
  const Motion* motion_ = nullptr;
  std::span<const Vector3d> contact_;
  double step_ = 0.0;   // [s] effective: points end at from + step times velocity
  double ratio_ = 0.0;  // of the step to the one before; 0: a step of Euler

  std::vector<Vector3d> from_, aim_;       // [m] where points start from, and where they would go without links
  std::vector<double> inertia_, inverse_;  // [kg] with air and anchors, and 1 over it; 0 of held points
  std::vector<double> stiffness_, compliance_, tolerance_;  // as in Chains
  std::vector<Vector3d> rest_;
  Projector projector_;
  Projections projected_;
  Selection some_strands_, some_trees_;
  std::vector<Vector3d> free_, velocity_;  // [m/s]
  std::vector<char> finite_;               // of strands, where the step ends
  std::vector<std::size_t> far_;           // strands that are linearised at the start
  mutable std::vector<double> tensions_, residuals_;
  mutable std::vector<Block> blocks_;
  mutable std::unique_ptr<std::once_flag[]> asked_;
};
static_assert(OneStepSystem<OneStep>);

}  // namespace tendril::chain
