// Contact in a step of the world: detect, resolve, look whether anything went through anything, and if so again with
// that contact too (docs/theory/coupling.md).
#pragma once

#include <span>
#include <vector>

#include "tendril/collide/continuous.hpp"
#include "tendril/collide/merge.hpp"
#include "tendril/collide/narrow.hpp"
#include "tendril/collide/near_pairs.hpp"
#include "tendril/contact/solver.hpp"
#include "tendril/sim/contact/dives.hpp"
#include "tendril/sim/contact/geometry.hpp"
#include "tendril/sim/contact/memory.hpp"
#include "tendril/sim/contact/step_contacts.hpp"
#include "tendril/sim/contact/step_solver.hpp"
#include "tendril/sim/contact/step_system.hpp"
#include "tendril/sim/world.hpp"

namespace tendril {

class ContactStage {
 public:
  explicit ContactStage(const World& world) : geometry_(world) {}

  // Gives the systems end velocities that obey the laws of contacts and joints. `next` becomes the state's memory if
  // the step is accepted.
  Result<StepContacts> resolve(const World& world, const DriveSpan& span, std::span<StepSystem* const> systems,
                               const WorldState& state, ContactMemory& next);
  // The problem that was solved last, until the next step.
  const contact::Problem& problem() { return solver_.problem(row_system()); }

 private:
  // A contact, and what its normal row adds to the relative velocity such that the sum must not be negative.
  struct Active {
    collide::Contact contact;
    double normal_drift = 0.0;                                // [m/s]
    double push = 0.0;                                        // [m/s] at which an overlap is to part, softly
    bool gives_way = false;                                   // nothing is left of the push
    Eigen::Vector3d body_velocity = Eigen::Vector3d::Zero();  // [m/s]
    Eigen::Vector3d impulse = Eigen::Vector3d::Zero();        // [N s], world axes
  };

  void begin(const World& world, std::span<StepSystem* const> systems, const WorldState& state);
  Status detect(const World& world, const WorldState& state, ContactMemory& next, StepContacts& report);
  bool is_driven(const collide::StrandPoint& at) const;
  bool is_held(const collide::StrandPoint& at) const;
  bool is_joined(const World& world, const collide::StrandPoint& a, const collide::StrandPoint& b) const;
  bool is_idle(const World& world, const collide::Contact& contact) const;
  bool is_in_skin(const collide::Contact& contact) const;
  bool has_just_grown(const collide::StrandPoint& at) const;
  Active active(const World& world, const collide::Contact& contact) const;
  void warm_start(const World& world, const ContactMemory& last);
  void note_depths(const ContactMemory& last, ContactMemory& next, StepContacts& report) const;
  void make_rows(const World& world);
  void solve(const World& world, StepContacts& report);
  RowSystem row_system() const { return {blocks_, free_velocity_, rows_}; }
  void set_driven(std::uint32_t block);
  void mark_moved(const BlockVectors& before);
  void settle();
  void unsettle(std::uint32_t strand);
  void set_motion(const BlockVectors& velocity, std::uint32_t block);
  void move_strands();
  void set_end(const BlockVectors& velocity, std::uint32_t block);
  // Contacts that the end of the step asks for and that were not seen at its start.
  Status find_missed(const World& world, const ContactMemory& depths, std::vector<Active>& missed,
                     StepContacts& report);
  Status find_crossings(const World& world, std::vector<Active>& missed, StepContacts& report);
  Status find_dives(const World& world, const ContactMemory& depths, std::vector<Active>& missed);
  void add(std::vector<Active>& missed);
  void remember(ContactMemory& next) const;
  Eigen::Vector3d start_velocity_at(const collide::StrandPoint& at) const;
  Eigen::Vector3d velocity_at(const BlockVectors& velocity, const collide::StrandPoint& at) const;
  double friction(const World& world, const collide::Contact& contact) const;

  StrandGeometry geometry_;
  std::vector<BlockPlace> blocks_;
  BlockVectors start_velocity_, free_velocity_, velocity_, last_velocity_;
  std::vector<std::uint32_t> moved_;  // strands whose end is another than when it was last judged, or was found wanting
  std::vector<char> is_settled_;      // all others, by each of their vertices
  std::vector<char> is_left_out_;     // settled, or driven: edges, by their first vertices
  std::vector<Eigen::Vector3d> motion_, ends_;               // [m], of every vertex in the step
  Eigen::Vector3d common_motion_ = Eigen::Vector3d::Zero();  // mean of all
  std::vector<Eigen::Vector3d> common_ends_;                 // in the frame that goes with it
  std::vector<char> is_driven_;                              // of every edge, by its first vertex
  std::vector<char> is_driven_vertex_;
  std::vector<char> has_start_velocity_;            // of every block; the others' is zero
  double step_ = 0.0, dt_ = 0.0;                    // [s], of the integrator, and real
  std::vector<collide::Body> bodies_, end_bodies_;  // what deforms as it is at the start and at the end
  collide::NearPairs near_pairs_;
  collide::Narrow narrow_;
  collide::CrossingSearch crossing_search_;
  std::vector<collide::SegmentPair> pairs_, stray_pairs_;
  std::vector<collide::Contact> with_strands_, with_bodies_;
  collide::ContactRefs found_;  // those of both, in order, of which something is to be solved
  std::vector<collide::StrandCrossing> crossings_, new_crossings_;
  collide::Clearances clearances_;
  DiveSearch dive_search_;
  std::vector<Dive> dives_;
  std::vector<std::uint32_t> match_;
  std::vector<Active> active_, missed_;
  std::vector<Eigen::Vector3d> joint_impulses_;  // [N s]
  std::vector<ContactRow> rows_;
  contact::Impulses start_;
  StepSolver solver_;
};

}  // namespace tendril
