// Contact in a step of the world: detect, resolve, look whether anything went through anything, and if so again with
// that contact too (docs/theory/coupling.md).
#pragma once

#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tendril/contact/solver.hpp"
#include "tendril/sim/contact/detection.hpp"
#include "tendril/sim/contact/memory.hpp"
#include "tendril/sim/contact/step_contacts.hpp"
#include "tendril/sim/contact/step_motion.hpp"
#include "tendril/sim/contact/step_solver.hpp"
#include "tendril/sim/contact/step_system.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

class ContactStage {
 public:
  explicit ContactStage(const World& world) : motion_(world), detection_(motion_) {}
  ContactStage(const ContactStage&) = delete;  // its parts know each other
  ContactStage& operator=(const ContactStage&) = delete;

  // Asked between rounds and by solvers; once true, resolve() gives up. Nothing: it never does.
  void set_interruption(std::function<bool()> interrupted) { interrupted_ = std::move(interrupted); }
  // Gives the systems end velocities that obey the laws of contacts and joints. `next` becomes the state's memory if
  // the step is accepted.
  Result<StepContacts> resolve(const World& world, const DriveSpan& span, std::span<StepSystem* const> systems,
                               const WorldState& state, ContactMemory& next);
  // Once the systems have been advanced: whether links have led strands noticeably deeper into what they touch than
  // contact has settled on.
  bool links_lead_astray();
  // The problem that was solved last, until the next step.
  const contact::Problem& problem() { return solver_.problem(row_system()); }

 private:
  // A contact, and what its normal row adds to the relative velocity such that the sum must not be negative.
  struct Active {
    const collide::Contact* contact = nullptr;  // where detection has it, or among `missed_`
    double normal_drift = 0.0;                  // [m/s]
    double push = 0.0;                          // [m/s] at which an overlap is to part, softly
    double way_back = 0.0;                      // [m/s], of the normal drift: out of what the step has led into
    bool gives_way = false;                     // nothing is left of the push
    Eigen::Vector3d body_velocity = Eigen::Vector3d::Zero();  // [m/s]
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero();        // [N s], world axes
  };

  Active active(const World& world, const collide::Contact& contact) const;
  Active active(const collide::Contact& contact, double time, double allowed, int round) const;
  void warm_start(const World& world, const ContactMemory& last);
  double friction(const World& world, const collide::Contact& contact) const;
  void make_rows(const World& world);
  void give_way(const World& world, const Active& active, ContactRow& row) const;
  void add_joint_row(const World::Joint& joint, const Eigen::Vector3d& impulse);
  void solve(const World& world, StepContacts& report);
  RowSystem row_system() const { return {motion_.blocks(), motion_.free_velocity(), rows_}; }
  void find_jams(const World& world, const contact::Solution& solution, StepContacts& report);
  std::string name_of(const World& world, const collide::StrandPoint& at) const;
  void find_moved(const BlockVectors& before);
  bool add_missed(const World& world, int round);
  void remember(const World& world, ContactMemory& next) const;

  StepMotion motion_;
  ContactDetection detection_;
  double dt_ = 0.0;                              // [s], real
  BlockVectors velocity_, last_velocity_;        // of this round and of the one before
  std::vector<std::uint32_t> moved_;             // strands that go elsewhere than in the round before
  std::vector<std::uint32_t> match_;             // of contacts with those of the step before
  std::vector<Active> active_, newcomers_;       // in contact_order
  std::deque<collide::Contact> missed_;          // in the rounds of this step; they stay where they are
  std::vector<Eigen::Vector3d> joint_impulses_;  // [N s]
  std::vector<ContactRow> rows_;
  contact::Impulses start_;
  std::vector<char> is_jammed_;  // of every strand, in this step
  StepSolver solver_;
  std::function<bool()> interrupted_;
};

}  // namespace tendril
